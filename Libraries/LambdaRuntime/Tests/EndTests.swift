import NIOHTTP1
import Testing

@testable import LambdaRuntime

/// How a run ends.
@Suite("The end of a run")
struct EndTests {
    @Test("A run that is cancelled while it waits returns, and its connections are closed")
    func cancelledWaiting() async throws {
        try await FakeRuntimeAPI.with { api in
            let runtime = try api.runtime(concurrency: 2)
            let run = Task { try await runtime.run { $0.body } }
            try await api.asked()
            try await api.asked()
            run.cancel()
            try await run.value
            try await api.closed()
        }
    }

    @Test("A run that is cancelled before it begins asks for nothing")
    func cancelledBefore() async throws {
        try await FakeRuntimeAPI.with { api in
            let runtime = try api.runtime()
            let gate = Gate()
            let run = Task {
                await gate.pass()
                try await runtime.run { $0.body }
            }
            run.cancel()
            gate.open()
            try await run.value
            #expect(api.connectionCount == 0)
        }
    }

    @Test("A run that is cancelled during an invocation finishes that first, and takes no other")
    func cancelledDuring() async throws {
        try await FakeRuntimeAPI.with { api in
            api.give("under way", "event")
            api.give("too late")
            let begun = AsyncStream<Void>.makeStream()
            let gate = Gate()
            defer { gate.open() }
            let runtime = try api.runtime()
            let run = Task {
                try await runtime.run { invocation in
                    begun.continuation.yield()
                    await gate.pass()
                    try Task.checkCancellation()
                    return invocation.body
                }
            }
            for await _ in begun.stream { break }
            run.cancel()
            gate.open()
            try await run.value
            try await api.expectReport("under%20way/response", "event")
            // The other is still to be had.
            try await api.serving({ $0.body }) {
                try await api.expectReport("too%20late/response")
            }
        }
    }

    @Test("When one connection is given up, the others end, and what is under way there is finished")
    func oneEndsAll() async throws {
        try await FakeRuntimeAPI.with { api in
            api.give("under way", "event")
            let begun = AsyncStream<Void>.makeStream()
            let gate = Gate()
            defer { gate.open() }
            let runtime = try api.runtime(concurrency: 3)
            let run = Task {
                try await runtime.run { invocation in
                    begun.continuation.yield()
                    await gate.pass()
                    return invocation.body
                }
            }
            for await _ in begun.stream { break }
            for _ in 0..<3 { try await api.asked() }
            api.give(.status(.internalServerError))
            // The one that waits ends by itself; only then the one with the invocation may.
            try await api.closed(but: 1)
            gate.open()
            try await api.expectReport("under%20way/response", "event")
            let error = await #expect(throws: LambdaRuntimeError.self) { try await run.value }
            #expect(error?.code == .brokenEnvironment)
        }
    }
}
