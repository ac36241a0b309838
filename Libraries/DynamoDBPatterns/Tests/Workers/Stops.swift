import DynamoDBPatterns
import DynamoDBPatternsTesting
import ServiceLifecycleTestKit
import Synchronization

/// A way to DynamoDB that a cancellation ends, as AWSClient's requests do.
struct HeedsCancellation: DynamoDBDecorator {
    let base: any DynamoDBAPI

    func around<Answer: Sendable>(
        _ call: DynamoDBCall, _ carryOut: () async throws -> Answer
    ) async throws -> Answer {
        try Task.checkCancellation()
        let answer = try await carryOut()
        // Carried out, and its caller does not learn of it.
        try Task.checkCancellation()
        return answer
    }
}

/// Cancels the task of a worker, from wherever the worker is.
final class Stopper: Sendable {
    private let task = Mutex<Task<Void, any Error>?>(nil)

    /// Runs a worker in a task that `stop` cancels.
    func run(_ work: @escaping @Sendable () async throws -> Void) async -> Result<Void, any Error> {
        let (starts, start) = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            for await _ in starts { break }
            try await work()
        }
        self.task.withLock { $0 = task }
        start.finish()
        return await task.result
    }

    func stop() { task.withLock { $0 }?.cancel() }
}

extension Simulation {
    /// Runs a worker for some time, and then stops it, by a cancellation or a graceful shutdown.
    ///
    /// - Throws: What the worker throws, such as `CancellationError` where it is one round of work and not a loop.
    func stopping(
        _ process: SimulatedProcess, after longest: Duration, _ work: @escaping @Sendable () async throws -> Void
    ) async throws {
        let isGraceful = chance(percent: 50)
        let time = duration(in: .zero...longest)
        try await testGracefulShutdown { trigger in
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await work() }
                try await process.clock.sleep(time)
                if isGraceful { trigger.triggerGracefulShutdown() } else { group.cancelAll() }
                try await group.waitForAll()
            }
        }
    }
}
