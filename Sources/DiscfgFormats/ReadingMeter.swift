package import DiscfgCore

/// Counts the values that a parser reads, so that a file cannot take more memory than a server has, and stops the parser
/// when nobody waits for the result any more.
///
/// A parser calls ``value()`` for each scalar, list and map before it keeps it.
package struct ReadingMeter {
    /// The most scalars, lists and maps that one file may hold.
    package static let maximumValues = 1_000_000

    private var values = 0
    private let maximum: Int
    private let cancellation: WorkCancellation

    package init(_ cancellation: WorkCancellation = WorkCancellation(), atMost maximum: Int = maximumValues) {
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
