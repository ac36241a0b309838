import Testing

@testable import AWSTestSupport

/// When faults happen.
@Suite("Fault plan")
struct FaultPlanTests {
    @Test("The same seed gives the same faults to the same requests, another seed others")
    func seeds() async throws {
        let plan = { FaultProxy.Plan(faults: [.throttled, .internalError, .expiredToken], seed: $0) }
        let first = try await Self.outcomes(of: plan(7))
        #expect(try await Self.outcomes(of: plan(7)) == first)
        #expect(try await Self.outcomes(of: plan(8)) != first)
        #expect(Set(first).count == 4, "every fault, and none")
    }

    /// What becomes of 60 requests through a proxy.
    private static func outcomes(of plan: FaultProxy.Plan) async throws -> [String] {
        try await StubServer.with { server in
            try await FaultProxy.with(before: server.url, plan: plan) { proxy in
                try await RawClient.connected(to: proxy.url) { client in
                    var outcomes: [String] = []
                    for number in 0..<60 {
                        let body = try await client.call("PutItem", "{\"n\":\(number)}").body
                        outcomes.append(String(body.prefix(80)))
                    }
                    return outcomes
                }
            }
        }
    }

    @Test("A plan that is set while requests come begins at its beginning, and none ends all faults")
    func switching() async throws {
        try await StubServer.with { server in
            try await FaultProxy.with(before: server.url) { proxy in
                let plan = FaultProxy.Plan(faults: [.internalError], percentage: 100, maximumInARow: 1, seed: 1)
                func statuses() async throws -> [Int?] {
                    var statuses: [Int?] = []
                    for _ in 0..<4 { statuses.append(try await RawClient.call(proxy.url, "PutItem", "{}").status) }
                    return statuses
                }
                #expect(try await statuses() == [200, 200, 200, 200])
                proxy.plan = plan
                #expect(try await statuses() == [500, 200, 500, 200])
                _ = try await RawClient.call(proxy.url, "PutItem", "{}")
                proxy.plan = plan
                #expect(try await statuses() == [500, 200, 500, 200])
                proxy.plan = nil
                #expect(try await statuses() == [200, 200, 200, 200])
            }
        }
    }

    @Test("A request that is sent again meets no more faults than the plan allows, whatever comes between")
    func sameRequest() {
        var sequence = FaultSequence(.init(faults: [.lostReply], percentage: 100, maximumInARow: 2, seed: 3))
        var row = 0
        var longest = 0
        for number in 0..<1000 {
            row = sequence.next(operation: "PutItem", identity: 0) == nil ? 0 : row + 1
            // Two others come between, so that of all requests every third, never this one, ends the row.
            for other in 0..<2 { _ = sequence.next(operation: "PutItem", identity: number * 2 + other + 1) }
            longest = max(longest, row)
        }
        #expect(longest == 2)
    }

    @Test("About as many requests go wrong as the plan says", arguments: [0, 20, 100])
    func percentage(_ percentage: Int) {
        var sequence = FaultSequence(
            .init(faults: [.lostReply, .cut], percentage: percentage, maximumInARow: .max, seed: 11))
        let draws = (0..<2000).map { sequence.next(operation: "PutItem", identity: $0) }
        let count = draws.count { $0 != nil }
        #expect(abs(count - percentage * 20) < 100)
        #expect(percentage == 0 || Set(draws.compactMap { $0?.fault }) == [.lostReply, .cut])
    }

    @Test("Only the operations of the plan go wrong, and reads meet no conflict")
    func operations() {
        var sequence = FaultSequence(
            .init(faults: [.transactionConflict], percentage: 100, seed: 1, operations: ["PutItem", "GetItem"]))
        #expect(sequence.next(operation: "UpdateItem", identity: 1) == nil)
        #expect(sequence.next(operation: "GetItem", identity: 2) == nil)
        #expect(sequence.next(operation: "PutItem", identity: 3)?.fault == .transactionConflict)
    }

    @Test("A script says what happens to the requests of one operation, before the plan")
    func script() async throws {
        try await StubServer.with { server in
            let plan = FaultProxy.Plan(faults: [.internalError], percentage: 100, maximumInARow: .max, seed: 1)
            try await FaultProxy.with(before: server.url, plan: plan) { proxy in
                proxy.script([nil, .throttled], for: "PutItem")
                var statuses: [Int?] = []
                for operation in ["PutItem", "GetItem", "PutItem", "PutItem"] {
                    statuses.append(try await RawClient.call(proxy.url, operation, "{}").status)
                }
                #expect(statuses == [200, 500, 400, 500] && proxy.scriptedCount == 0)
            }
        }
    }
}
