import DiscfgCore
import Synchronization

/// What this process has seen of the configs' logs, so that it need not look at their records each time.
///
/// A config that is removed ends its log with an entry that says so; whoever follows the log finds it. What was seen is
/// trusted for a while only, in case that entry is gone as well.
final class KnownLogs: Sendable {
    struct Log: Sendable {
        var incarnation: String
        /// A revision that is there.
        var seen: Revision
        /// When that was committed, or later.
        var seenAt: Timestamp
        /// The last revision that was trimmed: what is up to there must not be written, whatever is left of it.
        var trimmed: Revision = 0
        /// Whether this process has appended, and so need not tell others where the tail is.
        var isWriting = false
        /// The number of the last read of items, and of the last one that was followed by a read of the log's end with
        /// `TransactGetItems`.
        ///
        /// Of a log that becomes known, or known again, reads may have come before: all that there were count.
        fileprivate var lastItemRead: Int
        fileprivate var lastSettledItemRead = 0
        /// How often others were first since the last success.
        var defeats = 0
        /// When the index last showed that the config had never had a lease.
        fileprivate var leaselessAt: ContinuousClock.Instant?
        fileprivate var since: Moment
    }

    /// A moment by both clocks: a virtual machine that was paused sees the time pass only by the clock on the wall.
    fileprivate struct Moment {
        var instant: ContinuousClock.Instant
        var wall: Timestamp

        func isWithin(_ duration: Duration, of now: Moment) -> Bool {
            now.instant - instant < duration && now.wall < wall + duration && wall < now.wall + duration
        }
    }

    private static let trusted: Duration = .seconds(600)
    /// How long a read of items trusts that the config has not been removed: nothing but its record says so of items that
    /// the clean-up could not remove.
    private static let trustedByReads: Duration = .seconds(10)
    private static let maximumCount = 1000
    private let time: TimeSource
    private let logs = Mutex<[ConfigName: Log]>([:])
    /// How many reads of items there were, of all configs.
    private let itemReads = Atomic<Int>(0)
    private let collections = Mutex<[ConfigName: ContinuousClock.Instant]>([:])

    init(time: TimeSource) { self.time = time }

    private var now: Moment { Moment(instant: time.instant(), wall: time.now()) }

    subscript(config: ConfigName) -> Log? { log(of: config, within: Self.trusted) }

    /// What is known of a config for a read of its items.
    func logForReads(of config: ConfigName) -> Log? { log(of: config, within: Self.trustedByReads) }

    private func log(of config: ConfigName, within age: Duration) -> Log? {
        let now = now
        return logs.withLock { logs in
            guard let log = logs[config], log.since.isWithin(age, of: now) else { return nil }
            return log
        }
    }

    /// Notes what the config's record says.
    func note(_ record: StoredConfig) {
        let now = now
        logs.withLock { logs in
            if logs.count >= Self.maximumCount { logs = [:] }
            let known = logs[record.name].flatMap { $0.incarnation == record.incarnation ? $0 : nil }
            var log =
                known
                ?? Log(
                    incarnation: record.incarnation, seen: 0, seenAt: record.hintTime,
                    lastItemRead: itemReads.load(ordering: .relaxed), since: now)
            log.since = now
            log.see(record.hint, at: record.hintTime)
            log.trimmed = max(log.trimmed, record.trimmed)
            logs[record.name] = log
        }
    }

    /// Notes that an append has found the log to be that of the config.
    func confirm(_ config: ConfigName, _ incarnation: String) {
        let now = now
        update(config, incarnation) { $0.since = now }
    }

    /// Changes what is known of an incarnation, if it is the one that is known.
    func update(_ config: ConfigName, _ incarnation: String, _ change: (inout Log) -> Void) {
        logs.withLock { logs in
            guard logs[config]?.incarnation == incarnation, var log = logs[config] else { return }
            change(&log)
            logs[config] = log
        }
    }

    func see(_ revision: Revision, at time: Timestamp, of config: ConfigName, _ incarnation: String) {
        update(config, incarnation) { $0.see(revision, at: time) }
    }

    /// Notes that items were read with strong consistency.
    func noteItemRead(of config: ConfigName, _ incarnation: String) {
        let number = itemReads.add(1, ordering: .relaxed).newValue
        update(config, incarnation) { $0.lastItemRead = max($0.lastItemRead, number) }
    }

    /// The number of the last read of items.
    ///
    /// `nil` if there was none, or if the end of the log was read with `TransactGetItems` since.
    func unsettledItemRead(of config: ConfigName, _ incarnation: String) -> Int? {
        logs.withLock { logs in
            let log = logs[config].flatMap { $0.incarnation == incarnation ? $0 : nil }
            // A log that another call has just forgotten may have been read.
            let last = log?.lastItemRead ?? itemReads.load(ordering: .relaxed)
            return last > log?.lastSettledItemRead ?? 0 ? last : nil
        }
    }

    /// Notes that the end of the log was read with `TransactGetItems` after a read of items.
    func settleItemReads(through number: Int, of config: ConfigName, _ incarnation: String) {
        update(config, incarnation) { $0.lastSettledItemRead = max($0.lastSettledItemRead, number) }
    }

    /// Notes whether the config has ever had a lease, as the index has just shown, or as is known.
    func note(hasLeases: Bool, of config: ConfigName) {
        logs.withLock { $0[config]?.leaselessAt = hasLeases ? nil : time.instant() }
    }

    /// Whether the index has shown within the last second that the config had never had a lease.
    ///
    /// A lease lives for a second at least: none that was made since can be overdue.
    func isLeaseless(_ config: ConfigName) -> Bool {
        self[config]?.leaselessAt.map { time.instant() - $0 < .seconds(1) } ?? false
    }

    /// Whether values that nothing refers to were last looked for so long ago; if so, that is noted as now.
    ///
    /// It reads all items and the whole log, and so is not for every time.
    func isDueForCollection(_ config: ConfigName, every interval: Duration) -> Bool {
        collections.withLock { collections in
            let now = time.instant()
            if let last = collections[config], now - last < interval { return false }
            if collections.count >= Self.maximumCount { collections = [:] }
            collections[config] = now
            return true
        }
    }

    func forget(_ config: ConfigName) { logs.withLock { $0[config] = nil } }
}

extension KnownLogs.Log {
    fileprivate mutating func see(_ revision: Revision, at time: Timestamp) {
        guard revision > seen else { return }
        (seen, seenAt) = (revision, time)
    }
}
