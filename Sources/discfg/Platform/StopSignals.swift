import Dispatch
import Synchronization

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Lets SIGINT and SIGTERM end a piece of work, so that it can tidy up.
enum StopSignals {
    /// Does the work; the first signal cancels it, a second ends the process.
    ///
    /// - Returns: Whether the work ended by itself.
    static func stoppable(_ work: @escaping @Sendable () async throws -> Void) async throws -> Bool {
        let stopped = Mutex(false)
        let task = Task { try await work() }
        let sources = [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number)
            source.setEventHandler {
                task.cancel()
                signal(number, SIG_DFL)
            }
            source.resume()
            return source
        }
        defer { for source in sources { source.cancel() } }
        do {
            try await task.value
        } catch  where task.isCancelled {
            stopped.withLock { $0 = true }
        }
        return !stopped.withLock { $0 }
    }
}
