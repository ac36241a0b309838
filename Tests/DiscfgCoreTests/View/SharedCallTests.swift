@testable import DiscfgCore
import Synchronization
import Testing

@Suite("Calls that are shared")
struct SharedCallTests {
    /// A call that waits until the test lets it go on, and counts how often it was made.
    final class Gate: Sendable {
        private let state = Mutex((begun: 0, opened: 0))

        var begun: Int { state.withLock { $0.begun } }

        func open(_ count: Int = 1) { state.withLock { $0.opened += count } }

        func pass() async -> Int {
            let number = state.withLock { state in
                state.begun += 1
                return state.begun
            }
            while state.withLock({ $0.opened }) < number { await Task.yield() }
            return number
        }
    }

    @Test("Callers that arrive while a call is under way share the next one")
    func shared() async throws {
        let (shared, gate) = (SharedCall<Int>(), Gate())
        let first = Task { try await shared { await gate.pass() } }
        while gate.begun < 1 { await Task.yield() }
        let arrived = Gate()
        arrived.open(50)
        let others = (0..<50).map { _ in
            Task {
                _ = await arrived.pass()
                return try await shared { await gate.pass() }
            }
        }
        while arrived.begun < 50 { await Task.yield() }
        gate.open(100)
        #expect(try await first.value == 1)
        let numbers = try await withThrowingTaskGroup(of: Int.self) { group in
            for other in others { group.addTask { try await other.value } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        // None of them is given the call that had begun before it came.
        #expect(numbers.allSatisfy { $0 >= 2 })
        #expect(gate.begun < 50)
    }

    @Test("If the caller that carries out a call is cancelled, another takes over")
    func cancelled() async throws {
        let (shared, gate) = (SharedCall<Int>(), Gate())
        let first = Task { try await shared { await gate.pass() } }
        while gate.begun < 1 { await Task.yield() }
        let leader = Task {
            try await shared {
                let number = await gate.pass()
                try Task.checkCancellation()
                return number
            }
        }
        let follower = Task { try await shared { await gate.pass() } }
        gate.open()
        #expect(try await first.value == 1)
        // One of the two carries out the second call; the other shares it, or carries out a third.
        while gate.begun < 2 { await Task.yield() }
        leader.cancel()
        gate.open(10)
        #expect(try await follower.value >= 2)
        _ = await leader.result
    }

    @Test("A failure is told to all that share the call, and the next call is made")
    func failure() async throws {
        let shared = SharedCall<Int>()
        await #expect(throws: DiscfgError.self) { try await shared { throw DiscfgError(.storeUnavailable, "away") } }
        #expect(try await shared { 7 } == 7)
    }
}
