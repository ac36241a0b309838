package import DiscfgCore
import Synchronization

/// Counts the values that a parser reads, so that a file cannot take more memory than a server has, and stops the parser
/// when nobody waits for the result any more.
///
/// A parser calls ``value()`` for each scalar, list and map before it keeps it.
package struct ReadingMeter {
    /// The most scalars, lists and maps that one file may hold.
    package static let maximumValues = 1_000_000

    private var values = 0
    private let maximum: Int
    private let cancellation: ReadingCancellation

    package init(_ cancellation: ReadingCancellation = ReadingCancellation(), atMost maximum: Int = maximumValues) {
        self.cancellation = cancellation
        self.maximum = maximum
    }

    /// Counts one value.
    ///
    /// - Throws: `DiscfgError` with code `tooLarge` when the file holds too many, and when the reading was cancelled.
    package mutating func value() throws(DiscfgError) { try add(1) }

    /// Counts several values at once.
    package mutating func add(_ count: Int) throws(DiscfgError) {
        values += count
        guard values <= maximum else {
            throw DiscfgError(
                .tooLarge, "The file holds more than \(maximum) values, the most that one import takes.",
                hint: "Split the file, and import each part.")
        }
        if values & 0xFF == 0 || count > 1 { try cancellation.check() }
    }
}

/// Tells a parser on a thread of its own that the task that waits for it was cancelled.
package final class ReadingCancellation: Sendable {
    private let isCancelled = Atomic<Bool>(false)

    package init() {}

    package func cancel() { isCancelled.store(true, ordering: .relaxed) }

    /// - Throws: `DiscfgError` when the reading was cancelled; `RoomyStack` turns it into a `CancellationError`.
    package func check() throws(DiscfgError) {
        guard isCancelled.load(ordering: .relaxed) else { return }
        throw DiscfgError(.internalError, "The reading of the file was cancelled.", hint: "Try again.")
    }
}
