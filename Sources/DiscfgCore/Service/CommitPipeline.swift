import Synchronization

/// The way of every write of one config: one append is under way at a time, and what waits meanwhile goes into the next.
///
/// This is group commit: under load many transactions share one step of the store (one fsync, one request), each with a
/// revision of its own. It is bounded: beyond `maximumWaiting` a transaction is refused at once.
final class CommitPipeline: Sendable {
    /// A proposal whose caller waits for its outcome.
    struct Waiter: Sendable {
        /// Tells it from the others of this pipeline.
        var id: UInt64 = 0
        let touch: @Sendable (inout Touched) -> Void
        /// Carries the proposal out, and gives what tells its caller once that is true.
        let evaluate: @Sendable (inout Evaluator) throws(DiscfgError) -> @Sendable () -> Void
        let fail: @Sendable (any Error) -> Void
        /// By when the store must have answered; `nil` for no limit.
        let deadline: ContinuousClock.Instant?
        /// Whether the caller was answered: when its time was over, if it still is in line or in a batch.
        let isAnswered: @Sendable () -> Bool
        /// Keeps what waits for the deadline, to cancel it with the answer.
        fileprivate let keep: @Sendable (Task<Void, Never>) -> Void

        init<P: Proposal>(
            _ proposal: P, by deadline: ContinuousClock.Instant?,
            _ continuation: CheckedContinuation<P.Outcome, any Error>
        ) {
            let answer = Answer(continuation)
            self.deadline = deadline
            isAnswered = { answer.isGiven }
            keep = { answer.keep($0) }
            touch = { proposal.touch(&$0) }
            evaluate = { evaluator throws(DiscfgError) in
                let outcome = try evaluator.evaluate(proposal)
                return { answer.give(.success(outcome)) }
            }
            fail = { answer.give(.failure($0)) }
        }
    }

    private struct State {
        var waiting: [Waiter] = []
        var lastID: UInt64 = 0
        var isDraining = false
        var hasCommittedHundredth = false
    }

    static let maximumWaiting = 10_000
    static let maximumBatch = 256
    /// How often others may be first before a writer is told so: some seconds.
    static let maximumAttempts = 40
    /// How often the wait between two attempts doubles: up to half a second, on average.
    private static let maximumDoublings = 5

    private let state = Mutex(State())
    let config: ConfigName
    let engine: any StorageEngine
    let time: TimeSource
    let metrics: ServiceMetrics
    /// What batches are evaluated on, and what takes over the commits that they append.
    let view: ConfigView
    let deadline: WriteDeadline
    /// Called with what was appended, before the writers are answered.
    let committed: @Sendable ([Commit]) -> Void
    /// Called after the writers of a batch were answered.
    let published: @Sendable () -> Void
    /// Told when a revision that is a multiple of a hundred was appended.
    let hundredth: @Sendable () -> Void

    init(
        view: ConfigView, time: TimeSource, metrics: ServiceMetrics, deadline: WriteDeadline,
        committed: @escaping @Sendable ([Commit]) -> Void, published: @escaping @Sendable () -> Void,
        hundredth: @escaping @Sendable () -> Void
    ) {
        self.config = view.config
        self.engine = view.engine
        self.view = view
        self.time = time
        self.metrics = metrics
        self.deadline = deadline
        self.committed = committed
        self.published = published
        self.hundredth = hundredth
    }

    /// Carries out a proposal, together with others that wait.
    ///
    /// Once it is in line it is carried out, also when the caller's task is cancelled: nobody could tell otherwise whether it was.
    /// A caller whose time is over is not kept waiting: `storeUnavailable` if the proposal is still in line, which it leaves,
    /// `outcomeUnknown` if it is in the batch under way, which goes on.
    func submit<P: Proposal>(_ proposal: P) async throws -> P.Outcome {
        try Task.checkCancellation()
        return try await withCheckedThrowingContinuation { continuation in
            var waiter = Waiter(proposal, by: deadline.current(), continuation)
            let startsDraining: Bool? = state.withLock { state in
                guard state.waiting.count < Self.maximumWaiting else { return nil }
                state.lastID += 1
                waiter.id = state.lastID
                state.waiting.append(waiter)
                defer { state.isDraining = true }
                return !state.isDraining
            }
            if startsDraining != nil { watch(waiter) }
            switch startsDraining {
            case nil:
                waiter.fail(
                    DiscfgError(
                        .overloaded, "\(Self.maximumWaiting) writes to config “\(config)” are waiting already.",
                        hint: "Try again in a moment; nothing was written."))
            // Neither cancelled with the caller, whose writes others may have joined, nor held to what is set for the caller's task.
            case true?: Task.detached(executorPreference: time.executor) { await self.drain() }
            case false?: break
            }
        }
    }

    /// How many proposals wait for the next batch.
    var waitingCount: Int { state.withLock { $0.waiting.count } }

    private func drain() async {
        while let all = nextBatch() {
            // A waiter that a batch has put back may have been answered in that batch.
            let batch = all.filter { !$0.isAnswered() }
            if batch.isEmpty { continue }
            let deadlines = batch.compactMap(\.deadline)
            // One that has no limit has the latest.
            await deadline.apply(deadlines.count == batch.count ? deadlines.max() : nil) { await self.commit(batch) }
        }
    }

    /// Answers a waiter when its time is over.
    private func watch(_ waiter: Waiter) {
        guard let deadline = waiter.deadline else { return }
        let (time, config) = (time, config)
        waiter.keep(
            Task.detached(executorPreference: time.executor) {
                do { try await time.sleep(deadline - time.instant()) } catch { return }
                let wasInLine = self.state.withLock { state in
                    let count = state.waiting.count
                    state.waiting.removeAll { $0.id == waiter.id }
                    return state.waiting.count < count
                }
                waiter.fail(
                    wasInLine
                        ? DiscfgError(
                            .storeUnavailable,
                            "A write to config “\(config)” still waited for others when its time was over.",
                            hint: "Nothing was written; try again in a moment.")
                        : DiscfgError(
                            .outcomeUnknown, "A write to config “\(config)” was under way when its time was over.",
                            hint: "See with “discfg history” whether it took effect before you try again."
                        ).overHTTP("See in GET /v1/\(config)/history whether it took effect before you try again."))
            })
    }

    private func nextBatch() -> [Waiter]? {
        state.withLock { state in
            guard !state.waiting.isEmpty else {
                state.isDraining = false
                return nil
            }
            let batch = Array(state.waiting.prefix(Self.maximumBatch))
            state.waiting.removeFirst(batch.count)
            return batch
        }
    }

    func putBack(_ waiters: ArraySlice<Waiter>) {
        guard !waiters.isEmpty else { return }
        state.withLock { $0.waiting.insert(contentsOf: waiters, at: 0) }
    }

    /// Whether this process has committed a revision that is a multiple of a hundred.
    var hasCommittedHundredth: Bool { state.withLock { $0.hasCommittedHundredth } }

    func noteCommits(through revision: Revision, count: Int) {
        guard revision / 100 > (revision - Int64(count)) / 100 else { return }
        state.withLock { $0.hasCommittedHundredth = true }
        hundredth()
    }

    /// Waits a little, never in step with other writers and the longer the more often they were first; gives up on a config that
    /// is too busy.
    func backOff(_ attempt: Int) async throws {
        if attempt == 1 { return }
        guard attempt <= Self.maximumAttempts else {
            throw DiscfgError(
                .storeUnavailable, "Other writers to config “\(config)” were first \(attempt - 1) times in a row.",
                hint: "Nothing was written; try again in a moment.")
        }
        try await time.sleep(.milliseconds(time.random(in: 5...20) << min(attempt - 2, Self.maximumDoublings)))
    }
}

/// The answer to a caller, which is given once: what came of its proposal, or that its time is over.
private final class Answer<Outcome: Sendable>: Sendable {
    private struct State {
        var continuation: CheckedContinuation<Outcome, any Error>?
        var timer: Task<Void, Never>?
    }

    private let state: Mutex<State>

    init(_ continuation: CheckedContinuation<Outcome, any Error>) {
        state = Mutex(State(continuation: continuation))
    }

    var isGiven: Bool { state.withLock { $0.continuation == nil } }

    func give(_ result: Result<Outcome, any Error>) {
        let last = state.withLock { state in
            defer { state = State() }
            return state
        }
        last.timer?.cancel()
        last.continuation?.resume(with: result)
    }

    /// Keeps a task until the answer is given, and cancels it then.
    func keep(_ timer: Task<Void, Never>) {
        let isLate = state.withLock { state in
            if state.continuation != nil { state.timer = timer }
            return state.continuation == nil
        }
        if isLate { timer.cancel() }
    }
}
