import CoreMetrics
import Synchronization

/// The read model of one config in this process: the state machine of its log, in memory.
///
/// It has the newest commits, and what is known of the items at their end: all of them if `ViewMemory` has loaded the config, otherwise
/// the few that writers have used. Writers evaluate on it and apply what they have appended; followers apply what other
/// processes have appended. Its answers never lack what this process has acknowledged, because a writer applies a commit before it
/// answers. What other processes have acknowledged is in the answer of `confirmed`.
final class ConfigView: Sendable {
    private struct State {
        var current: ViewState?
        /// The incarnation of the log; empty as long as it is not known.
        var log = ""
        /// The incarnation before: pages of its log that arrive late are ignored.
        var endedLog = ""
        /// The newest revision that is known to be there; `current` can be behind it.
        var announced: Revision = 0
        /// When the newest look at the end of the log began; `nil` if there was none.
        var checked: ContinuousClock.Instant?
        /// When all items were read.
        var loaded: ContinuousClock.Instant?
        /// When a look last began or failed, while the store is unavailable; `nil` if the newest look succeeded.
        var failed: ContinuousClock.Instant?
        var lastUsed: ContinuousClock.Instant
        /// What was forgotten: eventual reads of the store may not show its newest commits yet.
        var forgotten = CommitWindow()

        /// Begins again if the log is another one; false if it is one that has ended.
        mutating func follow(_ incarnation: String) -> Bool {
            if incarnation == endedLog { return false }
            if incarnation != log {
                self = State(log: incarnation, endedLog: log.isEmpty ? endedLog : log, lastUsed: lastUsed)
            }
            return true
        }

        /// Forgets everything but which commits an eventual read may lack.
        mutating func reset() {
            let window = current.map { CommitWindow(replacing: $0.window) } ?? forgotten
            self = State(endedLog: endedLog, lastUsed: lastUsed, forgotten: window)
        }

        func isUnsettled(_ range: KeyRange, at now: ContinuousClock.Instant) -> Bool {
            current?.window.isUnsettled(range, at: now) ?? false || forgotten.isUnsettled(range, at: now)
        }

        /// Keeps what is known of a config that is not loaded small.
        mutating func bound() {
            guard let current, !current.isComplete else { return }
            if current.knownCount > ConfigView.maximumKnown || current.itemWeight > ConfigView.maximumKnownBytes {
                self.current?.forgetItems()
            }
        }
    }

    /// The most keys and bytes that are known if the config is not loaded.
    private static let maximumKnown = 4096
    private static let maximumKnownBytes = 8 << 20
    /// The commits that are read at a time, and how often an eventual read does so.
    private static let pageLength = 1000
    private static let maximumPages = 4
    /// How often the store may show the end of a log and not the commits before it.
    private static let maximumWaits = 50
    /// How far the view may be behind and still be brought up to date by reading the log.
    private static let maximumLag: Revision = 10_000

    private let state: Mutex<State>
    private let strongCheck = SharedCall<ViewState>()
    private let fullCheck = SharedCall<ViewState>()
    private let eventualCheck = SharedCall<ViewState>()
    let config: ConfigName
    let engine: any StorageEngine
    private let time: TimeSource
    private let metrics: ViewMetrics
    /// Called with the bytes of commits that were applied.
    private let grew: @Sendable (Int) -> Void

    init(
        config: ConfigName, engine: any StorageEngine, time: TimeSource, metrics: ViewMetrics,
        grew: @escaping @Sendable (Int) -> Void = { _ in }
    ) {
        self.config = config
        self.engine = engine
        self.time = time
        self.metrics = metrics
        self.grew = grew
        state = Mutex(State(lastUsed: time.instant()))
    }

    /// What is known now; `nil` if nothing is.
    var current: ViewState? { state.withLock { $0.current } }

    /// The newest revision that is known to be there, and the incarnation of its log; 0 and an empty text if none is known.
    var announced: (revision: Revision, log: String) { state.withLock { ($0.announced, $0.log) } }

    /// Whether every item of the config is known.
    var isLoaded: Bool { state.withLock { $0.current?.isComplete ?? false } }

    /// The bytes that it takes in memory, about, and when it was last read.
    var usage: (weight: Int, isComplete: Bool, lastUsed: ContinuousClock.Instant) {
        state.withLock { ($0.current?.weight ?? 0, $0.current?.isComplete ?? false, $0.lastUsed) }
    }

    /// The commits after a revision; `nil` if not all of them are here, or the log is another.
    ///
    /// Readers that name the log also get what was trimmed, as from a store.
    func page(after revision: Revision, limit: Int, log: String? = nil) -> LogPage? {
        state.withLock { state in
            guard let current = state.current, log ?? state.log == state.log,
                log != nil || revision >= current.tail.trimmed
            else { return nil }
            let tail = current.tail.revision
            guard let commits = current.window.commits(after: revision, through: tail, limit: limit),
                !commits.isEmpty || state.announced <= tail
            else { return nil }
            return LogPage(commits: commits, tail: max(tail, state.announced), incarnation: state.log)
        }
    }

    /// Whether an eventual read of these keys may be older than a commit that this process knows.
    func isUnsettled(_ range: KeyRange) -> Bool {
        let now = time.instant()
        return state.withLock { $0.isUnsettled(range, at: now) }
    }

    /// Forgets everything because the config is gone, unless another log was found since `log` was the known one.
    ///
    /// Then it may be that log which is gone, or the answer is older than it: the next read asks the store.
    func reset(ifLogIs log: String?) {
        state.withLock { state in
            if state.log == log {
                state.reset()
            } else {
                state.checked = nil
            }
        }
    }

    /// Forgets everything if a revision of the log is too far away to be reached by reading the log.
    ///
    /// - Returns: Whether it is.
    func resetIfTooFarBehind(_ revision: Revision) -> Bool {
        state.withLock { state in
            guard let tail = state.current?.tail, revision - tail.revision > Self.maximumLag else { return false }
            state.reset()
            return true
        }
    }

    /// Forgets the items, to free memory; the newest commits stay.
    func forgetItems() { state.withLock { $0.current?.forgetItems() } }
}

extension ConfigView {
    /// Applies what was appended, or read from the log.
    func note(_ page: LogPage) {
        let instant = time.instant()
        state.withLock { state in
            guard state.follow(page.incarnation) else { return }
            state.announced = max(state.announced, page.tail)
            guard let first = page.commits.first else { return }
            // Of a config that is not loaded nothing is lost by beginning behind a gap.
            if state.current.map({ first.revision > $0.tail.revision + 1 && !$0.isComplete }) ?? true {
                state.current = ViewState(
                    tail: LogTail(
                        revision: first.revision - 1, time: first.time, trimmed: 0, incarnation: page.incarnation),
                    after: state.current)
            }
            state.current?.apply(page.commits, at: instant)
            state.bound()
        }
        grew(page.commits.reduce(0) { $0 + $1.weight })
    }

    /// Takes over what a writer has found out, as it stands after the commits that `note` has applied.
    ///
    /// - Parameters:
    ///   - items: Items; a `nil` is known to be absent.
    ///   - ranges: Ranges of which every item is in `items`.
    ///   - tail: The end of the log at which they stand.
    func learn(_ items: [Key: Item?], ranges: Set<KeyRange>, at tail: LogTail) {
        state.withLock { state in
            guard state.follow(tail.incarnation) else { return }
            if state.current.map({ $0.tail.revision < tail.revision }) ?? true {
                state.current = ViewState(tail: tail, after: state.current)
            }
            guard let current = state.current,
                let newer = current.window.commits(after: tail.revision, through: current.tail.revision)
            else { return }
            var items = items
            for change in newer.lazy.flatMap(\.changes)
            where items.keys.contains(change.key) || ranges.contains(where: { $0.contains(change.key) }) {
                items[change.key] = .some(change.item)
            }
            state.announced = max(state.announced, tail.revision)
            guard !current.isComplete else { return }
            state.current?.learn(items, ranges: ranges)
            state.bound()
        }
    }

    /// Takes over a state in which all items of the config are known.
    ///
    /// - Returns: Whether it was; if not, its log is to be read further first, or is another.
    func adopt(_ loaded: ViewState) -> Bool {
        let instant = time.instant()
        return state.withLock { state in
            guard state.follow(loaded.tail.incarnation) else { return false }
            state.loaded = instant
            guard var current = state.current else {
                state.current = loaded
                state.announced = max(state.announced, loaded.tail.revision)
                return true
            }
            var loaded = loaded
            if let newer = current.window.commits(after: loaded.tail.revision, through: current.tail.revision) {
                loaded.apply(newer, at: instant)
            } else if let newer = loaded.window.commits(after: current.tail.revision, through: loaded.tail.revision) {
                current.apply(newer, at: instant)
            } else {
                guard loaded.tail.revision > current.tail.revision else { return false }
                current = loaded
            }
            current.complete(with: loaded)
            state.current = current
            state.announced = max(state.announced, current.tail.revision)
            return true
        }
    }
}

extension ConfigView {
    /// The state at the end of the log: it has everything that any process acknowledged before the call began.
    ///
    /// All calls that wait share one look at the end of the log. With `withTrimmed`, the first revision that can be read is
    /// as fresh, too; without, it may be from the look before.
    func confirmed(withTrimmed: Bool = false) async throws -> ViewState {
        if isPlanted(.confirmsNothing), let current { return current }
        let check = withTrimmed ? fullCheck : strongCheck
        return try await check { try await self.look(.strong, withTrimmed: withTrimmed) }
    }

    /// The state as it was at most `age` ago, plus what an eventual read of the store may lack.
    func recent(within age: Duration) async throws -> ViewState {
        let now = time.instant()
        let known = state.withLock { state in
            state.lastUsed = now
            return state.checked.map { now - $0 <= age } ?? false ? state.current : nil
        }
        if let known { return known }
        return try await eventualCheck { try await self.look(.eventual) }
    }

    /// The state as it is, and its age, if all items are known and the newest look found the store unavailable.
    ///
    /// It does not wait: another look begins in the background if the one before is longer ago than `pause`.
    func outdated(lookingAgainAfter pause: Duration) -> (state: ViewState, age: Duration)? {
        let now = time.instant()
        let (outdated, looksAgain) = state.withLock { state -> ((ViewState, Duration)?, Bool) in
            guard let failed = state.failed, let current = state.current, current.isComplete,
                let known = state.checked ?? state.loaded
            else { return (nil, false) }
            state.lastUsed = now
            let looksAgain = now - failed > pause
            if looksAgain { state.failed = now }
            return ((current, now - known), looksAgain)
        }
        if looksAgain {
            Task.detached(executorPreference: time.executor) {
                _ = try? await self.eventualCheck { try await self.look(.eventual) }
            }
        }
        return outdated
    }

    /// Looks at the end of the log, and applies what is new.
    private func look(_ consistency: Consistency, withTrimmed: Bool = false) async throws -> ViewState {
        let began = time.instant()
        metrics.checks.increment()
        do {
            let state = try await catchUp(consistency, withTrimmed: withTrimmed)
            self.state.withLock { state in
                state.checked = began
                state.lastUsed = began
                state.failed = nil
            }
            return state
        } catch let error as DiscfgError where error.code == .storeUnavailable {
            let now = time.instant()
            state.withLock { state in
                // A look that began later has found the store again.
                if state.checked.map({ $0 < began }) ?? true { state.failed = now }
            }
            throw error
        }
    }

    private func catchUp(_ consistency: Consistency, withTrimmed: Bool) async throws -> ViewState {
        let before = current
        let isStrong = consistency == .strong || before == nil
        let tail = try await isStrong ? engine.tail(of: config, knowing: withTrimmed ? nil : before?.tail) : nil
        if let tail, before.map({ !canCatchUp($0.tail, to: tail) }) ?? true {
            return begin(at: tail, insteadOf: before)
        }
        var (waits, pages) = (0, 0)
        while true {
            guard let known = current else { return begin(at: try await engine.tail(of: config), insteadOf: nil) }
            if let tail, known.tail.revision >= tail.revision { return noteTrimmed(tail) ?? known }
            let page: LogPage
            do {
                page = try await engine.log(
                    of: config, after: known.tail.revision, limit: Self.pageLength, incarnation: known.tail.incarnation,
                    consistency: consistency)
            } catch let error as DiscfgError where [.compacted, .futureRevision].contains(error.code) {
                return begin(at: try await engine.tail(of: config), insteadOf: known)
            }
            note(page)
            pages += 1
            // An eventual read does not follow writers that never stop.
            let isLast = page.commits.count < Self.pageLength && page.tail <= page.commits.last?.revision ?? page.tail
            if tail == nil, isLast || pages == Self.maximumPages {
                return current ?? known
            }
            guard page.commits.isEmpty else { continue }
            // The store has shown the end of the log, and not yet all that is before it.
            waits += 1
            guard waits < Self.maximumWaits else {
                throw DiscfgError(
                    .storeUnavailable, "The log of config “\(config)” cannot be read up to its end.",
                    hint: "Try again in a moment.")
            }
            try await time.sleep(.milliseconds(20))
        }
    }

    private func canCatchUp(_ known: LogTail, to tail: LogTail) -> Bool {
        known.incarnation == tail.incarnation && (0...Self.maximumLag).contains(tail.revision - known.revision)
    }

    /// Begins again at the end of the log; nothing is known of the items then.
    ///
    /// If others have moved the view on meanwhile, it stays as it is.
    private func begin(at tail: LogTail, insteadOf known: ViewState?) -> ViewState {
        state.withLock { state in
            if let current = state.current, current.tail != known?.tail,
                current.tail.incarnation == tail.incarnation, current.tail.revision >= tail.revision
            {
                return current
            }
            // A strongly consistent tail decides which log it is, whatever was taken for ended before.
            if state.endedLog == tail.incarnation { state.endedLog = "" }
            let beginning = ViewState(tail: tail, after: state.current)
            _ = state.follow(tail.incarnation)
            (state.current, state.announced) = (beginning, tail.revision)
            return beginning
        }
    }

    /// Takes over how much of the log was trimmed.
    @discardableResult
    func noteTrimmed(_ tail: LogTail) -> ViewState? {
        state.withLock { state in
            if state.log == tail.incarnation { state.current?.noteTrimmed(tail.trimmed) }
            return state.current
        }
    }
}
