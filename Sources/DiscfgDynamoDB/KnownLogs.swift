import DiscfgCore
import Synchronization

/// The state of the configs' logs that this process has seen, so that it need not read their records each time.
///
/// The log of a removed config ends with a special entry, which every reader that follows the log finds. The state is
/// trusted only for a limited time, in case that entry is gone as well.
final class KnownLogs: Sendable {
    struct Log: Sendable {
        var incarnation: String
        /// A revision that exists.
        var seen: Revision
        /// The time of that revision's commit, or a later time.
        var seenAt: Timestamp
        /// The last revision that was trimmed: revisions up to it must not be written again, even if no stub is left.
        var trimmed: Revision = 0
        /// Whether this process has appended, and so need not store a hint of the tail.
        var isWriting = false
        /// The number of the last read of items, and of the last one that was followed by a read of the log's end with
        /// `TransactGetItems`.
        ///
        /// Reads may have happened before a log became known, or known again: all earlier reads count.
        fileprivate var lastItemRead: Int
        fileprivate var lastSettledItemRead = 0
        /// The number of lost appends since the last success.
        var defeats = 0
        /// Maximum number of entries to read at once: fewer after a page that ended before the entries that were read.
        var entriesAtOnce = 1000
        /// The time at which the index last showed that the config had never had a lease.
        fileprivate var leaselessAt: ContinuousClock.Instant?
        fileprivate var since: Moment
    }

    /// A moment by both clocks: in a virtual machine that was paused, only the wall clock includes the pause.
    fileprivate struct Moment {
        var instant: ContinuousClock.Instant
        var wall: Timestamp

        func isWithin(_ duration: Duration, of now: Moment) -> Bool {
            now.instant - instant < duration && now.wall < wall + duration && wall < now.wall + duration
        }
    }

    private static let trusted: Duration = .seconds(600)
    /// The time for which a read of items trusts that the config has not been removed: for items that the clean-up
    /// could not remove, only the config's record shows it.
    private static let trustedByReads: Duration = .seconds(10)
    private static let maximumCount = 1000
    private let time: TimeSource
    private let logs = Mutex<[ConfigName: Log]>([:])
    /// The number of reads of items, of all configs.
    private let itemReads = Atomic<Int>(0)
    private let collections = Mutex<[ConfigName: ContinuousClock.Instant]>([:])

    init(time: TimeSource) { self.time = time }

    private var now: Moment { Moment(instant: time.instant(), wall: time.now()) }

    subscript(config: ConfigName) -> Log? { log(of: config, within: Self.trusted) }

    /// The known state of a config for a read of its items.
    func logForReads(of config: ConfigName) -> Log? { log(of: config, within: Self.trustedByReads) }

    private func log(of config: ConfigName, within age: Duration) -> Log? {
        let now = now
        return logs.withLock { logs in
            guard let log = logs[config], log.since.isWithin(age, of: now) else { return nil }
            return log
        }
    }

    /// Stores the state in the config's record.
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

    /// Records that an append has confirmed the log of the config.
    func confirm(_ config: ConfigName, _ incarnation: String) {
        let now = now
        update(config, incarnation) { $0.since = now }
    }

    /// Changes the state of an incarnation, if it is the known one.
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

    /// Records that items were read with strong consistency.
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
            // Another call may just have removed the state of a log that was read.
            let last = log?.lastItemRead ?? itemReads.load(ordering: .relaxed)
            return last > log?.lastSettledItemRead ?? 0 ? last : nil
        }
    }

    /// Records that the end of the log was read with `TransactGetItems` after a read of items.
    func settleItemReads(through number: Int, of config: ConfigName, _ incarnation: String) {
        update(config, incarnation) { $0.lastSettledItemRead = max($0.lastSettledItemRead, number) }
    }

    /// Records whether the config has ever had a lease, from the index or from what is known otherwise.
    func note(hasLeases: Bool, of config: ConfigName) {
        logs.withLock { $0[config]?.leaselessAt = hasLeases ? nil : time.instant() }
    }

    /// Whether the index has shown within the last second that the config had never had a lease.
    ///
    /// A lease lives for at least a second: a lease that was created since cannot be overdue.
    func isLeaseless(_ config: ConfigName) -> Bool {
        self[config]?.leaselessAt.map { time.instant() - $0 < .seconds(1) } ?? false
    }

    /// Whether the last collection of unused values was at least this long ago; if so, records a collection now.
    ///
    /// A collection reads all items and the whole log, so it is not run each time.
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
