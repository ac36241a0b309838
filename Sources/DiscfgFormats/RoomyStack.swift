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
/// The threads that serve requests have as little as 512 KiB, which a kilobyte of hostile brackets would overflow.
enum RoomyStack {
    private static let size = 32 << 20

    static func run<Result: Sendable>(
        _ work: @escaping @Sendable () throws(DiscfgError) -> Result
    ) throws(DiscfgError) -> Result {
        let outcome = Outcome<Result>()
        let body = Body { outcome.set(Swift.Result(catching: { () throws(DiscfgError) in try work() })) }
        body.runOnThread(stackSize: size)
        guard let result = outcome.value else {
            throw DiscfgError(.internalError, "The file could not be read or written.", hint: "Try again.")
        }
        return try result.get()
    }

    /// What the thread carries out.
    private final class Body: Sendable {
        private let work: @Sendable () -> Void

        init(_ work: @escaping @Sendable () -> Void) { self.work = work }

        /// Runs the work to its end, or not at all where the system has no thread left.
        func runOnThread(stackSize: Int) {
            var attributes = pthread_attr_t()
            guard pthread_attr_init(&attributes) == 0 else { return }
            defer { pthread_attr_destroy(&attributes) }
            pthread_attr_setstacksize(&attributes, stackSize)
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
                    if let context { Unmanaged<Body>.fromOpaque(context).takeRetainedValue().work() }
                    return nil
                }, body.toOpaque())
            guard status == 0 else { return body.release() }
            #if canImport(Darwin)
            if let thread { pthread_join(thread, nil) }
            #else
            pthread_join(thread, nil)
            #endif
        }
    }

    /// Where the thread leaves what came of it.
    private final class Outcome<Value: Sendable>: Sendable {
        private let result = Mutex<Swift.Result<Value, DiscfgError>?>(nil)
        var value: Swift.Result<Value, DiscfgError>? { result.withLock { $0 } }
        func set(_ value: Swift.Result<Value, DiscfgError>) { result.withLock { $0 = value } }
    }
}
