import DiscfgCore
import Dispatch
import Synchronization

import class Foundation.Thread

/// Runs work that recurses as deep as its input is nested on a stack with room for the deepest that the parsers let through.
///
/// The threads that serve requests have as little as 512 KiB, which a kilobyte of hostile brackets would overflow.
enum RoomyStack {
    private static let size = 32 << 20

    static func run<Result: Sendable>(
        _ work: @escaping @Sendable () throws(DiscfgError) -> Result
    ) throws(DiscfgError) -> Result {
        let outcome = Outcome<Result>()
        let done = DispatchSemaphore(value: 0)
        let thread = Thread {
            outcome.set(Swift.Result(catching: { () throws(DiscfgError) in try work() }))
            done.signal()
        }
        thread.stackSize = size
        thread.start()
        done.wait()
        guard let result = outcome.value else {
            throw DiscfgError(.internalError, "The file could not be read or written.", hint: "Try again.")
        }
        return try result.get()
    }

    /// Where the thread leaves what came of it.
    private final class Outcome<Value: Sendable>: Sendable {
        private let result = Mutex<Swift.Result<Value, DiscfgError>?>(nil)
        var value: Swift.Result<Value, DiscfgError>? { result.withLock { $0 } }
        func set(_ value: Swift.Result<Value, DiscfgError>) { result.withLock { $0 = value } }
    }
}
