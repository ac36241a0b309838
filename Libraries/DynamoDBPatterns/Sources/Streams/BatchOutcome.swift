import AWSClient

/// What became of a batch of records.
public struct BatchOutcome: Sendable {
    /// The record at which a batch was given up.
    public struct Failure: Sendable {
        /// From here on the records are to be delivered again.
        public var sequenceNumber: String
        /// What the handler or the dead letters' target threw.
        public var error: any Error
    }

    /// How many records, counted from the first, are not to be delivered again.
    public internal(set) var completed = 0
    /// How many of those went to the dead letters.
    public internal(set) var deadLetters = 0
    /// Why the batch was given up; `nil` if all of it is done.
    public internal(set) var failure: Failure?
    /// Whether nothing failed and nothing went to the dead letters.
    public var isHandled: Bool { failure == nil && deadLetters == 0 }
}

/// What became of one record.
enum RecordOutcome: Sendable {
    case handled
    /// It went to the dead letters.
    case buried
    /// Nobody is to see it: a pattern's own write.
    case passedOver
    case failed(any Error)
}

/// Where a record came from.
struct RecordOrigin: Sendable {
    var stream: String?
    var shardID: String?
    /// How often the record has failed before, as far as that is known.
    var failures = 0
}

/// What a consumer needs of a `StreamProcessor`, whatever its items are.
protocol RecordHandling: Sendable {
    var name: String { get }
    var hasDeadLetters: Bool { get }
    /// Hands one record to the handler, or to the dead letters where it never will succeed.
    func handle(_ record: StreamRecord, from origin: RecordOrigin) async -> RecordOutcome
    /// Gives a record up that has failed too often.
    func bury(_ record: StreamRecord, from origin: RecordOrigin, because error: any Error) async -> RecordOutcome
}
