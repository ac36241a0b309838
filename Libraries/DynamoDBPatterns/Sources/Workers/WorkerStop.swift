import ServiceLifecycle

/// How a worker learns that it has to stop: its task is cancelled, or its service group shuts down gracefully.
///
/// | | a graceful shutdown begins | the task is cancelled |
/// | :-- | :-- | :-- |
/// | what is not begun | is not begun | is not begun |
/// | what is under way | ends; is cancelled when the worker's patience is over | is cancelled |
/// | what cannot be ended | is given back | is given back |
/// | `run()` | returns | returns |
enum WorkerStop {
    /// Whether this is the task of a worker that heeds a graceful shutdown: within `run()`, and not where a caller
    /// asks for one round of work.
    @TaskLocal static var isHeeded = false

    /// Whether nothing more is to be begun.
    static var isAskedFor: Bool { Task.isCancelled || isHeeded && Task.isShuttingDownGracefully }

    /// Waits until a graceful shutdown begins, or the task is cancelled.
    static func wait() async {
        let (stops, continuation) = AsyncStream.makeStream(of: Void.self)
        await withGracefulShutdownHandler {
            for await _ in stops { return }
        } onGracefulShutdown: {
            continuation.finish()
        }
    }
}

extension PatternClock {
    /// Works until the work ends by itself or has to stop, for which the work looks at `WorkerStop.isAskedFor`.
    ///
    /// - Parameters:
    ///   - patience: How long the work may go on after a graceful shutdown began; then it is cancelled.
    ///   - work: What to do.
    /// - Throws: What the work throws.
    func untilStopped(patience: Duration, _ work: @escaping @Sendable () async throws -> Void) async throws {
        try await WorkerStop.$isHeeded.withValue(true) {
            try await withThrowingTaskGroup(of: Bool.self) { group in
                group.addTask {
                    try await work()
                    return true
                }
                group.addTask {
                    await WorkerStop.wait()
                    // Whatever ends this pause, the time is over.
                    if !Task.isCancelled { try? await sleep(patience) }
                    return false
                }
                while let hasEnded = try await group.next() {
                    group.cancelAll()
                    if hasEnded { return }
                }
            }
        }
    }

    /// A pause of a worker, which a stop ends early.
    ///
    /// - Throws: What ends the clock's pauses, other than a stop.
    func rest(_ pause: Duration) async throws {
        do {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await sleep(pause) }
                group.addTask { await WorkerStop.wait() }
                try await group.next()
                group.cancelAll()
                // A pause that a shutdown has cut short ends with a cancellation of its own.
                while let result = await group.nextResult() { _ = result }
            }
        } catch is CancellationError where WorkerStop.isAskedFor {}
    }
}
