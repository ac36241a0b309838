import NIOHTTP1
import Testing

@testable import LambdaRuntime

/// What a handler is given, and where its answer arrives.
@Suite("Invocations")
struct InvocationTests {
    @Test("Two invocations use one connection, and each answer arrives under the identity of its invocation")
    func twoInvocations() async throws {
        try await FakeRuntimeAPI.with { api in
            api.give("first", "1")
            api.give("second", "2")
            try await api.serving({ Array("answer ".utf8) + $0.body }) {
                let reports = [try await api.report(), try await api.report()]
                #expect(reports.map { String(decoding: $0.body, as: UTF8.self) } == ["answer 1", "answer 2"])
                #expect(
                    reports.map(\.path) == [
                        "/2018-06-01/runtime/invocation/first/response",
                        "/2018-06-01/runtime/invocation/second/response",
                    ])
                #expect(
                    try reports.map { $0.headers["Host"] } == [[api.address.description], [api.address.description]])
                #expect(reports.map { $0.headers["Content-Length"] } == [["8"], ["8"]])
            }
            #expect(api.connectionCount == 1)
        }
    }

    @Test("The handler is given what Lambda says of the invocation")
    func headers() async throws {
        try await FakeRuntimeAPI.with { api in
            api.give(
                "id", "{}",
                [
                    "lambda-runtime-invoked-function-arn": "arn:aws:lambda:us-east-1:000000000000:function:f:live",
                    "Lambda-Runtime-Trace-Id": "Root=1-5bef4de7-ad49b0e87f6ef6c87fc2e700;Sampled=1",
                    "Lambda-Runtime-Client-Context": #"{"client":{}}"#,
                    "Lambda-Runtime-Cognito-Identity": #"{"identityId":"x"}"#,
                ])
            api.give("bare")
            let seen = AsyncStream<Invocation>.makeStream()
            try await api.serving({
                seen.continuation.yield($0)
                return []
            }) {
                var invocations = seen.stream.makeAsyncIterator()
                let full = try #require(await invocations.next())
                #expect(full.requestID == "id")
                #expect(full.functionARN == "arn:aws:lambda:us-east-1:000000000000:function:f:live")
                #expect(full.traceID == "Root=1-5bef4de7-ad49b0e87f6ef6c87fc2e700;Sampled=1")
                #expect(full.clientContext == #"{"client":{}}"#)
                #expect(full.cognitoIdentity == #"{"identityId":"x"}"#)
                let bare = try #require(await invocations.next())
                #expect(
                    [bare.functionARN, bare.traceID, bare.clientContext, bare.cognitoIdentity] == [nil, nil, nil, nil])
            }
        }
    }

    @Test("An identity with unusual characters is one part of the path")
    func unusualIdentity() async throws {
        try await FakeRuntimeAPI.with { api in
            api.give("a/../b c?d#e%f\"é")
            try await api.serving({ $0.body }) {
                let path = try await api.report().path
                #expect(path == "/2018-06-01/runtime/invocation/a%2F..%2Fb%20c%3Fd%23e%25f%22%C3%A9/response")
            }
        }
    }

    @Test("Nothing is an event and an answer as well")
    func nothing() async throws {
        try await FakeRuntimeAPI.with { api in
            api.give("empty", "")
            try await api.serving({ $0.body }) {
                let report = try await api.report()
                #expect(report.body == [])
                #expect(report.headers["Content-Length"] == ["0"])
                #expect(report.headers["Transfer-Encoding"] == [])
            }
        }
    }

    @Test("An event that comes byte by byte, in chunks, is whole, and the connection is kept")
    func chunks() async throws {
        try await FakeRuntimeAPI.with { api in
            let event = Array(#"{"text":"in “many” pieces"}"#.utf8)
            api.give(.chunks(.init("chunked", event)))
            api.give("after")
            try await api.serving({ $0.body }) {
                let report = try await api.report()
                #expect(report.body == event)
                try await api.expectReport("after/response")
            }
            #expect(api.connectionCount == 1)
        }
    }

    @Test("Megabytes go through in both directions, byte by byte the same")
    func megabytes() async throws {
        try await FakeRuntimeAPI.with { api in
            let event = (0..<5 << 20).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }
            api.give(.event(.init("large", event)))
            try await api.serving({ $0.body.reversed() }) {
                let report = try await api.report()
                #expect(report.body.elementsEqual(event.reversed()))
            }
        }
    }

    @Test("An event of 7 MiB is taken, and one byte more is refused; the next one is taken on the same connection")
    func bound() async throws {
        try await FakeRuntimeAPI.with { api in
            api.give(.event(.init("fits", [UInt8](repeating: 1, count: 7 << 20))))
            api.give(.event(.init("large", [UInt8](repeating: 1, count: 7 << 20 + 1))))
            api.give("after", "next")
            try await api.serving({ Array("\($0.body.count)".utf8) }) {
                try await api.expectReport("fits/response", "7340032")
                let refusal = try await api.report()
                #expect(refusal.path == "/2018-06-01/runtime/invocation/large/error")
                #expect(refusal.headers["Lambda-Runtime-Function-Error-Type"] == ["Runtime.EventTooLarge"])
                #expect(String(decoding: refusal.body, as: UTF8.self).contains("over 7340032 bytes"))
                try await api.expectReport("after/response", "4")
            }
            #expect(api.connectionCount == 1)
        }
    }

    @Test("With a concurrency of three, three invocations are under way at a time, each on a connection of its own")
    func concurrency() async throws {
        try await FakeRuntimeAPI.with { api in
            for id in ["a", "b", "c", "d"] { api.give(id, id) }
            let begun = AsyncStream<String>.makeStream()
            let gate = Gate()
            defer { gate.open() }
            try await api.serving(concurrency: 3) { invocation in
                begun.continuation.yield(invocation.requestID)
                await gate.pass()
                return invocation.body
            } _: {
                var started: Set<String> = []
                var iterator = begun.stream.makeAsyncIterator()
                while started.count < 3 { started.insert(try #require(await iterator.next())) }
                #expect(started == ["a", "b", "c"])
                #expect(api.connectionCount == 3)
                gate.open()
                for _ in 0..<4 {
                    let report = try await api.report()
                    let id = String(decoding: report.body, as: UTF8.self)
                    #expect(report.path == "/2018-06-01/runtime/invocation/\(id)/response")
                }
            }
            #expect(api.connectionCount == 3)
        }
    }
}
