import AWSTestSupport
import Testing

/// What the proxy counts.
@Suite("Counts")
struct CountTests {
    @Test(
        "The units of an answer are the sum over its tables",
        arguments: [
            (#"{"ConsumedCapacity":{"TableName":"t","CapacityUnits":1.5,"Table":{"CapacityUnits":1.0}}}"#, 1.5),
            (#"{"ConsumedCapacity":[{"TableName":"t","CapacityUnits":4},{"TableName":"u","CapacityUnits":0.5}]}"#, 4.5),
            (#"{"ConsumedCapacity":[]}"#, 0), (#"{"Item":{"ConsumedCapacity":{"CapacityUnits":9}}}"#, 0), ("<html>", 0),
            (#"{"ConsumedCapacity":{"CapacityUnits":"7"}}"#, 0),
        ])
    func units(body: String, units: Double) async throws {
        try await StubServer.with(answering: body) { server in
            try await FaultProxy.with(before: server.url) { proxy in
                for _ in 0..<2 { _ = try await RawClient.call(proxy.url, "Query", "{}") }
                #expect(proxy.counts.units == 2 * units)
            }
        }
    }

    @Test("Requests count before their faults, answers and units when they took effect, until they are taken")
    func taking() async throws {
        let body = #"{"ConsumedCapacity":{"TableName":"t","CapacityUnits":2}}"#
        try await StubServer.with(answering: body) { server in
            try await FaultProxy.with(before: server.url) { proxy in
                proxy.script([.lostReply, .lostRequest, nil, .throttled], for: "PutItem")
                for _ in 0..<4 { _ = try await RawClient.call(proxy.url, "PutItem", "{\"a\":1}") }
                _ = try await RawClient.call(proxy.url, "GetItem", "{}")
                let counts = proxy.takeCounts()
                #expect(counts.requests == 5 && counts.units == 6)
                let puts = try #require(counts.operations["PutItem"])
                #expect(puts.requests == 4 && puts.answered == 2 && puts.units == 4)
                #expect(puts.requestBytes == 28 && puts.answerBytes == 2 * body.utf8.count)
                #expect(counts.operations["GetItem"]?.requests == 1)
                #expect(counts.faults == [.lostReply: 1, .lostRequest: 1, .throttled: 1])
                #expect(proxy.takeCounts() == .init())
            }
        }
    }
}
