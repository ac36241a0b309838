import AWSTestSupport
import NIOCore
import NIOHTTP1
import Testing

/// What a client sees through the proxy, and what reaches the server.
@Suite("Fault proxy")
struct FaultProxyTests {
    @Test("Without a plan, requests and answers pass unchanged, on one connection on either side")
    func passing() async throws {
        try await StubServer.with { server in
            try await FaultProxy.with(before: server.url) { proxy in
                let answers = try await RawClient.connected(to: proxy.url) { client in
                    var answers: [RawClient.Answer] = []
                    for number in 0..<3 { answers.append(try await client.call("PutItem", "{\"n\":\(number)}")) }
                    return answers
                }
                for answer in answers {
                    #expect(answer.status == 200 && answer.body == #"{"Count":0}"#)
                    #expect(answer.header("x-amz-crc32") == "12" && answer.header("x-stub") == "yes")
                }
                #expect(server.connectionCount == 1)
                #expect(server.requests.map { $0.body.map { String(buffer: $0) } } == (0..<3).map { "{\"n\":\($0)}" })
                let headers = try #require(server.requests.first).head.headers
                #expect(headers["host"] == ["dynamodb.test"] && headers["content-length"] == ["7"])
                #expect(headers["x-amz-target"] == ["DynamoDB_20120810.PutItem"])
            }
        }
    }

    @Test("Every fault reaches the server exactly when it should, and says so", arguments: FaultProxy.Fault.allCases)
    func effects(fault: FaultProxy.Fault) async throws {
        let reaching: Set<FaultProxy.Fault> = [
            .lostReply, .cut, .slow, .silent, .crcMismatch, .internalErrorAfterEffect,
        ]
        #expect(fault.takesEffect == reaching.contains(fault))
        try await StubServer.with { server in
            try await FaultProxy.with(before: server.url) { proxy in
                (proxy.delay, proxy.silence) = (.milliseconds(20), .milliseconds(20))
                proxy.script([fault], for: "PutItem")
                _ = try await RawClient.call(proxy.url, "PutItem", "{}")
                #expect(server.requests.count == (reaching.contains(fault) ? 1 : 0))
                #expect(proxy.counts.faults == [fault: 1] && proxy.scriptedCount == 0)
                #expect(try await RawClient.call(proxy.url, "PutItem", "{}").status == 200, "only once")
            }
        }
    }

    @Test(
        "A lost reply, a lost request and silence close the connection without a byte",
        arguments: [
            FaultProxy.Fault.lostReply, .lostRequest, .silent,
        ])
    func closing(fault: FaultProxy.Fault) async throws {
        let answer = try await Self.answer(to: fault)
        #expect(answer.wasClosed && answer.text.isEmpty)
    }

    @Test("A cut answer has a whole head and half of a body")
    func cut() async throws {
        let answer = try await Self.answer(to: .cut)
        #expect(answer.wasClosed && answer.status == 200)
        #expect(answer.header("content-length") == "11" && answer.body == #"{"Cou"#)
    }

    @Test("A slow answer comes whole, and not before its time")
    func slow() async throws {
        let start = ContinuousClock.now
        let answer = try await Self.answer(to: .slow)
        #expect(answer.status == 200 && answer.isComplete && ContinuousClock.now - start >= .milliseconds(50))
    }

    @Test("A checksum that is not the answer's own, with the answer whole")
    func checksum() async throws {
        let answer = try await Self.answer(to: .crcMismatch)
        #expect(answer.status == 200 && answer.body == #"{"Count":0}"# && answer.header("x-amz-crc32") == "13")
    }

    @Test("A client that waits is let go when the proxy stops, and nobody is let in any more")
    func stopping() async throws {
        try await StubServer.with { server in
            let proxy = try await FaultProxy.start(before: server.url)
            proxy.script([.silent], for: "GetItem")
            async let waiting = RawClient.call(proxy.url, "GetItem", "{}")
            try await eventually { server.requests.count == 1 }
            await proxy.stop()
            #expect(try await waiting.wasClosed)
            await #expect(throws: (any Error).self) { try await RawClient.call(proxy.url, "GetItem", "{}") }
        }
    }

    @Test("A client that gives up on a silent proxy is served when it comes back")
    func givingUp() async throws {
        try await StubServer.with { server in
            try await FaultProxy.with(before: server.url) { proxy in
                proxy.script([.silent], for: "GetItem")
                try await RawClient.connected(to: proxy.url) { client in
                    try await client.send("GetItem", "{}")
                    try await eventually { server.requests.count == 1 }
                }
                #expect(try await RawClient.call(proxy.url, "GetItem", "{}").status == 200)
            }
        }
    }

    @Test("A server that is not there is like a connection that breaks")
    func noServer() async throws {
        // Nobody serves TCPMUX (RFC 1078) any more.
        try await FaultProxy.with(before: "http://127.0.0.1:1") { proxy in
            let answer = try await RawClient.call(proxy.url, "GetItem", "{}")
            #expect(answer.wasClosed && answer.text.isEmpty)
        }
    }

    @Test("Bodies of megabytes pass in both directions; beyond 32 MB a request is refused")
    func largeBodies() async throws {
        let large = String(repeating: "x", count: 20 << 20)
        try await StubServer.with(answering: large) { server in
            try await FaultProxy.with(before: server.url) { proxy in
                let answer = try await RawClient.call(proxy.url, "PutItem", large)
                #expect(answer.status == 200 && answer.body.utf8.count == large.utf8.count)
                #expect(server.requests.first?.body?.readableBytes == large.utf8.count)
                let refused = try await RawClient.call(
                    proxy.url, "PutItem", "", headers: [("Content-Length", "\((32 << 20) + 1)")])
                #expect(refused.status != 200 && server.requests.count == 1)
            }
        }
    }

    @Test("An address that is none is refused", arguments: ["", "localhost", "https://a:1", "http://a", "http://a:0"])
    func addresses(url: String) async throws {
        await #expect(throws: AWSTestError.self) { try await FaultProxy.start(before: url) }
    }

    /// What a client sees of a fault.
    private static func answer(to fault: FaultProxy.Fault) async throws -> RawClient.Answer {
        try await StubServer.with { server in
            try await FaultProxy.with(before: server.url) { proxy in
                (proxy.delay, proxy.silence) = (.milliseconds(50), .milliseconds(50))
                proxy.script([fault], for: "PutItem")
                return try await RawClient.call(proxy.url, "PutItem", "{}")
            }
        }
    }
}
