import Foundation

/// Runs work on a thread with a small stack, to show that the stack it needs does not depend on its input.
///
/// Work that overflows the stack ends the process.
public enum SmallStack {
    /// The stack of a thread of Swift's pool on the platforms that have the smallest.
    public static let bytes = 512 << 10

    /// Runs the work on a thread of its own.
    ///
    /// - Returns: What the work returns.
    /// - Throws: What the work throws.
    public static func run<Result: Sendable>(
        bytes: Int = bytes, _ work: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            let thread = Thread { continuation.resume(with: Swift.Result { try work() }) }
            thread.stackSize = bytes
            thread.start()
        }
    }
}
