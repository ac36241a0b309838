import NIOHTTP1
import Testing

@testable import LambdaRuntime

/// Connections that break, and a runtime API that refuses.
@Suite("Connections to the runtime API")
struct ConnectionTests {
    @Test("A connection that breaks while an invocation is awaited is made anew", arguments: [1, 2, 3])
    func broken(times: Int) async throws {
        try await FakeRuntimeAPI.with { api in
            // As often after each answer: what was before does not count.
            for id in ["a", "b"] {
                for _ in 0..<times { api.give(.cut) }
                api.give(id)
            }
            try await api.serving({ $0.body }) {
                try await api.expectReport("a/response")
                try await api.expectReport("b/response")
            }
            #expect(api.connectionCount == 1 + 2 * times)
        }
    }

    @Test("Half an event is none")
    func half() async throws {
        try await FakeRuntimeAPI.with { api in
            api.give(.half(.init("half", Array("half an event".utf8))))
            api.give("whole")
            try await api.serving({ $0.body }) {
                try await api.expectReport("whole/response")
            }
        }
    }

    @Test("Where the API wants no connection used again, none is")
    func closing() async throws {
        try await FakeRuntimeAPI.with { api in
            for id in 0..<6 { api.give(.last(.init("\(id)", []))) }
            try await api.serving({ $0.body }) {
                for id in 0..<6 { try await api.expectReport("\(id)/response") }
            }
            #expect(api.connectionCount == 7)
        }
    }

    @Test("When the runtime API is gone, the run ends with an error that says so")
    func gone() async throws {
        try await FakeRuntimeAPI.with { api in
            let runtime = try api.runtime(concurrency: 2)
            let run = Task { try await runtime.run { $0.body } }
            try await api.asked()
            try await api.asked()
            await api.close()
            let error = await #expect(throws: LambdaRuntimeError.self) { try await run.value }
            #expect(error?.code == .gone)
            #expect(error?.message.contains(runtime.address.description) == true)
            #expect(error?.message.contains("4 times in a row") == true)
        }
    }

    @Test("An API that cuts every connection, or refuses every time, is gone as well")
    func refusing() async throws {
        for delivery in [FakeRuntimeAPI.Delivery.cut, .status(.forbidden), .status(.notFound)] {
            try await FakeRuntimeAPI.with { api in
                for _ in 0..<4 { api.give(delivery) }
                let error = await #expect(throws: LambdaRuntimeError.self) { try await api.runtime().run { $0.body } }
                #expect(error?.code == .gone)
            }
        }
    }

    @Test("One refusal is none", arguments: [400, 403, 503])
    func oneRefusal(status: Int) async throws {
        try await FakeRuntimeAPI.with { api in
            api.give(.status(HTTPResponseStatus(statusCode: status)))
            api.give("id")
            try await api.serving({ $0.body }) { try await api.expectReport("id/response") }
            #expect(api.connectionCount == 1)
        }
    }

    @Test("An answer that was lost with its connection is posted again")
    func lostAnswer() async throws {
        try await FakeRuntimeAPI.with { api in
            api.accept(.lost)
            api.give("id", "event")
            api.give("next")
            try await api.serving({ $0.body }) {
                for _ in 0..<2 { try await api.expectReport("id/response", "event") }
                try await api.expectReport("next/response")
            }
            #expect(api.connectionCount == 2)
        }
    }

    @Test("An answer that was taken before its connection broke is no failure when it is refused the second time")
    func takenAnswer() async throws {
        let log = LogText()
        try await FakeRuntimeAPI.with { api in
            api.accept(.takenInSilence)
            api.give("id", "event")
            api.give("next")
            try await api.serving(logger: log.logger, { $0.body }) {
                for _ in 0..<2 { try await api.expectReport("id/response") }
                try await api.expectReport("next/response")
            }
        }
        #expect(!log.lines.contains { $0.hasPrefix("error") })
    }

    @Test("An answer that is lost twice is given up, and the next invocation is taken")
    func givenUp() async throws {
        let log = LogText()
        try await FakeRuntimeAPI.with { api in
            api.accept(.lost)
            api.accept(.lost)
            api.give("id")
            api.give("next")
            try await api.serving(logger: log.logger, { $0.body }) {
                for _ in 0..<2 { try await api.expectReport("id/response") }
                try await api.expectReport("next/response")
            }
        }
        #expect(log.lines.contains { $0.hasPrefix("error: The answer could not be posted") })
    }

    @Test("An answer that is refused ends nothing, and the log says so", arguments: [400, 403, 413, 503])
    func refusedAnswer(status: Int) async throws {
        let log = LogText()
        try await FakeRuntimeAPI.with { api in
            api.accept(.status(HTTPResponseStatus(statusCode: status)))
            api.give("id")
            api.give("next")
            try await api.serving(logger: log.logger, { $0.body }) {
                try await api.expectReport("id/response")
                try await api.expectReport("next/response")
            }
            #expect(api.connectionCount == 1)
        }
        #expect(log.lines.contains { $0.hasPrefix("error") && $0.contains("aws.request.id=id") })
    }

    @Test("500 ends the run, for an invocation and for an answer")
    func brokenEnvironment() async throws {
        try await FakeRuntimeAPI.with { api in
            api.give(.status(.internalServerError))
            let asked = await #expect(throws: LambdaRuntimeError.self) { try await api.runtime().run { $0.body } }
            #expect(asked?.code == .brokenEnvironment)
            api.accept(.status(.internalServerError))
            api.give("id")
            let answered = await #expect(throws: LambdaRuntimeError.self) { try await api.runtime().run { $0.body } }
            #expect(answered?.code == .brokenEnvironment)
            #expect(answered?.message.contains("500") == true)
        }
    }

    @Test("An invocation without an identity ends the run: nobody could be answered")
    func noIdentity() async throws {
        try await FakeRuntimeAPI.with { api in
            api.give(.event(.init(nil, [])))
            let error = await #expect(throws: LambdaRuntimeError.self) { try await api.runtime().run { $0.body } }
            #expect(error?.code == .unexpectedAnswer)
        }
    }
}
