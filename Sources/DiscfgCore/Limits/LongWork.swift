import Dispatch
import Synchronization

/// Runs work that keeps a core busy for long, such as the parsing of a large body, outside Swift's cooperative threads.
///
/// There are only as many cooperative threads as cores, and every request needs one to go on. So a large body gets a queue of its
/// own, whose thread runs next to them, and the calling task is suspended meanwhile. Two run at a time, so that many
/// large bodies take neither the memory nor the cores from other requests; the next ones wait as suspended tasks.
package enum LongWork {
    /// Maximum number of bytes that are read or written without a change of threads: a few milliseconds of work.
    package static let inlineBytes = 256 << 10

    /// Lets two bodies be read or written at a time.
    package static let slots = WorkSlots(count: 2, maximumWaiters: 1000)

    /// Runs the work: a small amount at once, and a large amount outside the cooperative threads.
    ///
    /// - Parameters:
    ///   - count: About how many bytes the work reads or writes.
    ///   - slots: How much work runs at the same time.
    ///   - work: What to do; if the calling task is cancelled, the `WorkCancellation` passed to it is cancelled too.
    /// - Returns: What the work returns.
    /// - Throws: What the work throws, `CancellationError` if the calling task was cancelled, and `DiscfgError` with code
    ///   `overloaded` if too much work waits already.
    package static func run<Result: Sendable>(
        onBytes count: Int, slots: WorkSlots = slots,
        _ work: @escaping @Sendable (WorkCancellation) throws(DiscfgError) -> Result
    ) async throws -> Result {
        let cancellation = WorkCancellation()
        guard count > inlineBytes else { return try work(cancellation) }
        try await slots.acquire()
        defer { slots.release() }
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // A serial queue, because concurrent queues share their threads with Swift's cooperative executor.
                DispatchQueue(label: "discfg.long-work").async {
                    continuation.resume(
                        returning: Swift.Result { () throws(DiscfgError) in try work(cancellation) })
                }
            }
        } onCancel: {
            cancellation.cancel()
        }
        if case .failure = outcome { try Task.checkCancellation() }
        return try outcome.get()
    }
}

/// Tells long work that the task that waits for it was cancelled.
package final class WorkCancellation: Sendable {
    private let isCancelled = Atomic(false)

    package init() {}

    package func cancel() { isCancelled.store(true, ordering: .relaxed) }

    /// Stops the work if it was cancelled.
    ///
    /// - Throws: `DiscfgError`, which `LongWork` turns into a `CancellationError`.
    package func check() throws(DiscfgError) {
        guard isCancelled.load(ordering: .relaxed) else { return }
        throw DiscfgError(.internalError, "The reading of the file was cancelled.", hint: "Try again.")
    }
}
