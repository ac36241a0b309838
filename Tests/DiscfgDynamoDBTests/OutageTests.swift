import AWSTestSupport
import DiscfgCore
import DiscfgDynamoDB
import DiscfgTestSupport
import Testing

@Suite("Behind a network that fails, a write is told the truth", DynamoDBFixture.isAvailable)
struct OutageTests {
    private func withProxy(_ body: (FaultProxy, DynamoDBFixture) async throws -> Void) async throws {
        try await FaultProxy.with(before: try await Ministack.shared().url) { proxy in
            try await body(proxy, try await DynamoDBFixture(endpoint: proxy.url))
        }
    }

    private func set(_ path: String, _ text: String, if test: Precondition.Test? = nil) throws -> Transaction {
        let key = try Key(path: path)
        return Transaction(if: test.map { [Precondition(key, $0)] } ?? [], then: [.set(key, Value(text))])
    }

    @Test("Each acknowledged write is in the log once, and none that failed before it began")
    func acknowledgedOnce() async throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        try await withProxy { proxy, fixture in
            let services = (0..<3).map { _ in fixture.service() }
            _ = try await services[0].revision(of: .default)
            proxy.delay = .milliseconds(10)
            proxy.plan = FaultProxy.Plan(
                faults: FaultProxy.Fault.allCases.filter { ![.silent, .expiredToken].contains($0) }, percentage: 40,
                maximumInARow: 3, seed: seed, operations: ["TransactWriteItems"])
            let outcomes = try await withThrowingTaskGroup(of: [(Key, DiscfgError.Code?)].self) { group in
                for writer in 0..<6 {
                    group.addTask {
                        var outcomes: [(Key, DiscfgError.Code?)] = []
                        for number in 0..<15 {
                            let path = "/\(writer)/\(number)"
                            do {
                                let result = try await services[writer % 3].commit(
                                    try self.set(path, "x", if: .absent), to: .default)
                                #expect(
                                    result.failed == nil, "its own write must not look like another's; seed \(seed)")
                                outcomes.append((try Key(path: path), nil))
                            } catch let error as DiscfgError {
                                outcomes.append((try Key(path: path), error.code))
                            }
                        }
                        return outcomes
                    }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }
            proxy.plan = nil
            let log = try await fixture.engine().entries(of: .default, after: 0, limit: 1000)
            #expect(log.map(\.revision) == Array(1...Int64(log.count)))
            let counts = Dictionary(log.flatMap(\.changes).map { ($0.key, 1) }, uniquingKeysWith: +)
            for (key, code) in outcomes {
                switch code {
                case nil: #expect(counts[key] == 1, "\(key) was acknowledged; seed \(seed)")
                case .storeUnavailable?: #expect(counts[key] == nil, "\(key) was refused; seed \(seed)")
                case .outcomeUnknown?: #expect(counts[key] ?? 0 <= 1, "\(key) is in doubt; seed \(seed)")
                case let code?: Issue.record("\(key) failed with code \(code.rawValue); seed \(seed)")
                }
            }
            #expect(outcomes.count { $0.1 == nil } > 45)
            #expect(proxy.counts.faults.count > 5, "many kinds of fault must happen")
        }
    }

    @Test("An outage is never called a conflict, and throttling says what was throttled")
    func outage() async throws {
        try await withProxy { proxy, fixture in
            let service = fixture.service()
            _ = try await service.commit(set("/k", "1"), to: .default)
            proxy.script(Array(repeating: .provisionedThroughputExceeded, count: 20), for: "TransactWriteItems")
            let failed = await #expect(throws: DiscfgError.self) {
                try await service.commit(try set("/k", "2", if: .version(1)), to: .default)
            }
            #expect(failed?.code == .storeUnavailable)
            #expect(failed?.message.contains("TransactionCanceledException") == true)
            proxy.script(Array(repeating: .throttled, count: 4), for: "GetItem")
            let throttled = await #expect(throws: DiscfgError.self) {
                try await fixture.service().get(try Key(path: "/k"), in: .default)
            }
            #expect(throttled?.code == .storeUnavailable)
            #expect(throttled?.message.contains("Throttled: ") == true)
            let after = try await service.commit(set("/k", "2", if: .version(1)), to: .default)
            #expect(after.failed == nil && after.revision == 3)
        }
    }

    @Test("A reply that is lost again and again leaves a doubt, and what was written is there once")
    func lostReplies() async throws {
        try await withProxy { proxy, fixture in
            let service = fixture.service()
            _ = try await service.commit(set("/k", "1"), to: .default)
            proxy.script([.lostReply, .lostRequest, .lostReply, .lostReply], for: "TransactWriteItems")
            let result = try await service.commit(set("/k", "2"), to: .default)
            #expect(result.revision == 3 && result.failed == nil)
            let log = try await service.changes(ChangesQuery(after: 1), in: .default)
            #expect(log.commits.map(\.revision) == [2, 3])
        }
    }

    @Test("A refusal that comes after a lost reply does not say that nothing was written")
    func doubt() async throws {
        try await withProxy { proxy, fixture in
            let service = fixture.service()
            _ = try await service.commit(set("/k", "1"), to: .default)
            let refusals = Array(repeating: FaultProxy.Fault.provisionedThroughputExceeded, count: 200)
            proxy.script([.lostReply] + refusals, for: "TransactWriteItems")
            let error = await #expect(throws: DiscfgError.self) {
                try await service.commit(try set("/k", "2"), to: .default)
            }
            #expect(error?.code == .outcomeUnknown)
            let log = try await service.changes(ChangesQuery(after: 2), in: .default).commits
            #expect(log.count == 1, "it had taken effect")
        }
    }

    @Test("A writer far behind those who were first needs a few requests, not one for each of their commits")
    func farBehind() async throws {
        try await withProxy { proxy, fixture in
            let (first, second) = (fixture.service(), fixture.service())
            for service in [first, second] { _ = try await service.commit(set("/k", "0"), to: .default) }
            for number in 0..<30 { _ = try await first.commit(set("/k", "\(number)"), to: .default) }
            _ = proxy.takeCounts()
            let result = try await second.commit(set("/other", "x"), to: .default)
            #expect(result.revision == 34)
            let counts = proxy.takeCounts()
            // The item and its config's record, the newest entries, two appends that are beaten, the rest of the log and its end, and
            // the append.
            #expect(counts.requests <= 8, "\(counts.operations.mapValues(\.requests))")
            let cold = try await fixture.service().commit(set("/cold", "x"), to: .default)
            #expect(cold.revision == 35)
            #expect(proxy.takeCounts().requests <= 5)
        }
    }
}
