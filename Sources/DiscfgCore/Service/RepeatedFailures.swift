import Synchronization

/// Which failures of something that is tried again and again are worth a line of the log.
///
/// A failure is logged when it is new, and at most once a minute while it goes on.
package final class RepeatedFailures: Sendable {
    private struct Failure: Hashable {
        let subject: String
        let error: String
    }

    private struct Record {
        var logged: ContinuousClock.Instant
        var repeated = 0
    }

    /// The time between two lines about the same failure.
    package static let interval: Duration = .seconds(60)
    /// Maximum number of failures that are remembered; beyond it, the one that was logged first is forgotten.
    package static let capacity = 1000

    private let records = Mutex<[Failure: Record]>([:])

    package init() {}

    /// Notes a failure of a subject.
    ///
    /// - Returns: How often the failure was repeated since it was last logged, or `nil` if it is not to be logged now.
    package func note(_ error: String, of subject: String, at now: ContinuousClock.Instant) -> Int? {
        let failure = Failure(subject: subject, error: error)
        return records.withLock { records in
            if let record = records[failure], now - record.logged < Self.interval {
                records[failure] = Record(logged: record.logged, repeated: record.repeated + 1)
                return nil
            }
            let repeated = records[failure]?.repeated ?? 0
            if records[failure] == nil, records.count >= Self.capacity,
                let oldest = records.min(by: { $0.value.logged < $1.value.logged })?.key
            {
                records[oldest] = nil
            }
            records[failure] = Record(logged: now)
            return repeated
        }
    }
}
