import DiscfgCore
import Synchronization

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Runs work that recurses as deep as its input is nested on a stack with room for the deepest that the parsers let through.
///
/// The threads that serve requests have as little as 512 KiB, which a kilobyte of hostile brackets would overflow. Each work
/// gets a thread of its own, which no other thread waits for: the calling task is resumed when it ends. Few run at a time,
/// so that many large files take neither the memory nor the processors from other requests; the next ones wait as tasks.
enum RoomyStack {
    private static let size = 32 << 20
    private static let slots = WorkSlots(count: 2, maximumWaiters: 1000)

    /// Runs the work on a thread of its own.
    ///
    /// - Parameters:
    ///   - slots: How much work runs at the same time.
    ///   - work: What to do; when the calling task is cancelled, the `ReadingCancellation` that it gets is cancelled too.
    /// - Returns: What the work returns.
    /// - Throws: What the work throws, `CancellationError` when the calling task was cancelled, and `DiscfgError` with code
    ///   `overloaded` when too many wait already, or when the system has no thread left.
    static func run<Result: Sendable>(
        slots: WorkSlots = slots, _ work: @escaping @Sendable (ReadingCancellation) throws(DiscfgError) -> Result
    ) async throws -> Result {
        try await slots.acquire()
        defer { slots.release() }
        let cancellation = ReadingCancellation()
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let body = ThreadBody {
                    continuation.resume(
                        returning: Swift.Result { () throws(DiscfgError) in try work(cancellation) })
                }
                guard !body.start(stackSize: size) else { return }
                continuation.resume(
                    returning: .failure(
                        DiscfgError(
                            .overloaded, "The system has no thread left to read or write the file.",
                            hint: "Try again later.")))
            }
        } onCancel: {
            cancellation.cancel()
        }
        if case .failure = outcome { try Task.checkCancellation() }
        return try outcome.get()
    }

    /// What a thread carries out.
    private final class ThreadBody: Sendable {
        private let work: @Sendable () -> Void

        init(_ work: @escaping @Sendable () -> Void) { self.work = work }

        /// Starts a detached thread; `false` if the system has none left.
        func start(stackSize: Int) -> Bool {
            var attributes = pthread_attr_t()
            guard pthread_attr_init(&attributes) == 0 else { return false }
            defer { pthread_attr_destroy(&attributes) }
            pthread_attr_setstacksize(&attributes, stackSize)
            pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
            #if canImport(Darwin)
            var thread: pthread_t?
            #else
            var thread = pthread_t()
            #endif
            let body = Unmanaged.passRetained(self)
            let status = pthread_create(
                &thread, &attributes,
                { context in
                    let context: UnsafeMutableRawPointer? = context
                    if let context { Unmanaged<ThreadBody>.fromOpaque(context).takeRetainedValue().work() }
                    return nil
                }, body.toOpaque())
            if status != 0 { body.release() }
            return status == 0
        }
    }
}
