import Testing

@testable import DiscfgHTTP

@Suite("Gate")
struct GateTests {
    @Test("What is over at once is over, however often, and what is not is ended by the gate")
    func bound() async throws {
        // Many times, and at the same time: what must not happen is a task that nobody wakes.
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for number in 0..<2000 {
                        let value = try await untilShutdown { number }
                        #expect(value == number)
                    }
                }
                group.addTask {
                    for _ in 0..<200 {
                        let gate = Gate()
                        // Longer than any test: it ends because the gate cancels it, or the suite fails by its time limit.
                        async let bound = gate.bound { try await Task.sleep(for: .seconds(3600)) }
                        gate.open()
                        let value: Void? = try await bound
                        #expect(value == nil)
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    @Test("A task that is cancelled does not wait any longer")
    func cancellation() async throws {
        let gate = Gate()
        let tasks = (0..<100).map { _ in Task { try await gate.bound { await gate.wait() } } }
        for task in tasks { task.cancel() }
        for task in tasks {
            await #expect(throws: CancellationError.self) { try await task.value }
        }
    }
}
