#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The time, and waiting for it to pass: the system's, or a test's.
public struct TimeSource: Sendable {
    /// The time of day.
    public var now: @Sendable () -> Timestamp
    /// Waits; throws `CancellationError` when the task is cancelled.
    public var sleep: @Sendable (Duration) async throws -> Void

    public init(now: @escaping @Sendable () -> Timestamp, sleep: @escaping @Sendable (Duration) async throws -> Void) {
        self.now = now
        self.sleep = sleep
    }

    /// The system's clock.
    public static let system = TimeSource(
        now: { Timestamp(milliseconds: Int64((Date().timeIntervalSince1970 * 1000).rounded(.down))) },
        sleep: { try await Task.sleep(for: $0) })
}
