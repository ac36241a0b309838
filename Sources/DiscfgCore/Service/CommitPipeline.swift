import CoreMetrics
import Synchronization

/// The way of every write of one config: one append is under way at a time, and what waits meanwhile goes into the next.
///
/// This is group commit: under load many transactions share one step of the store (one fsync, one request), each with a
/// revision of its own. It is bounded: beyond `maximumWaiting` a transaction is refused at once.
final class CommitPipeline: Sendable {
    /// A transaction whose caller waits for its result.
    private struct Waiter: Sendable {
        let transaction: Transaction
        let continuation: CheckedContinuation<TransactionResult, any Error>
    }

    private struct State {
        var waiting: [Waiter] = []
        var isDraining = false
    }

    static let maximumWaiting = 10_000
    static let maximumBatch = 256
    /// How often others may be first before a writer is told so: about a second.
    static let maximumAttempts = 80
    static let maximumRenewals = 10

    private let state = Mutex(State())
    private let config: ConfigName
    private let engine: any StorageEngine
    private let time: TimeSource
    private let metrics: ServiceMetrics
    /// Told of the revision after each append.
    private let committed: @Sendable (Revision) -> Void

    init(
        config: ConfigName, engine: any StorageEngine, time: TimeSource, metrics: ServiceMetrics,
        committed: @escaping @Sendable (Revision) -> Void
    ) {
        self.config = config
        self.engine = engine
        self.time = time
        self.metrics = metrics
        self.committed = committed
    }

    /// Carries out a transaction, together with others that wait.
    ///
    /// Once it is in line it is carried out, also when the caller's task is cancelled: nobody could tell otherwise whether it was.
    func submit(_ transaction: Transaction) async throws -> TransactionResult {
        try Task.checkCancellation()
        return try await withCheckedThrowingContinuation { continuation in
            let startsDraining: Bool? = state.withLock { state in
                guard state.waiting.count < Self.maximumWaiting else { return nil }
                state.waiting.append(Waiter(transaction: transaction, continuation: continuation))
                defer { state.isDraining = true }
                return !state.isDraining
            }
            switch startsDraining {
            case nil:
                continuation.resume(
                    throwing: DiscfgError(
                        .overloaded, "\(Self.maximumWaiting) writes to config “\(config)” are waiting already.",
                        hint: "Try again in a moment; nothing was written."))
            case true?: Task { await drain() }
            case false?: break
            }
        }
    }

    private func drain() async {
        while let batch = nextBatch() { await commit(batch) }
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

    private func putBack(_ waiters: ArraySlice<Waiter>) {
        guard !waiters.isEmpty else { return }
        state.withLock { $0.waiting.insert(contentsOf: waiters, at: 0) }
    }

    /// Commits as many of the batch as fit one append; the others go back in line.
    private func commit(_ batch: [Waiter], renewed: Int = 0) async {
        var taken = batch[...]
        do {
            var evaluator = try await load(batch.map(\.transaction))
            var attempt = 0
            while true {
                let results = evaluate(taken, with: &evaluator)
                putBack(taken.dropFirst(results.count))
                taken = taken.prefix(results.count)
                if let newer = try await append(evaluator.proposed) {
                    evaluator.advance(over: newer)
                    attempt += 1
                    metrics.conflicts.increment()
                    try await backOff(attempt)
                    continue
                }
                if !evaluator.proposed.isEmpty {
                    metrics.commits.increment(by: evaluator.proposed.count)
                    committed(evaluator.tail.revision)
                }
                for (waiter, result) in zip(taken, results) { waiter.continuation.resume(with: result) }
                return
            }
        } catch let error as DiscfgError where error.code == .tooLarge && taken.count > 1 {
            // One that is too large must not take the others with it.
            for waiter in taken { await commit([waiter]) }
        } catch let error as DiscfgError
            where [.compacted, .futureRevision].contains(error.code) && renewed < Self.maximumRenewals
        {
            // What was loaded is of a log that others trimmed, or made anew, meanwhile: nothing was written.
            await commit(Array(taken), renewed: renewed + 1)
        } catch {
            for waiter in taken { waiter.continuation.resume(throwing: error) }
        }
    }

    /// What came of each transaction, in order, until one did not fit.
    private func evaluate(_ waiters: ArraySlice<Waiter>, with evaluator: inout TransactionEvaluator)
        -> [Result<TransactionResult, any Error>]
    {
        let limits = engine.limits
        var results: [Result<TransactionResult, any Error>] = []
        evaluator.expireOverdue()
        for waiter in waiters {
            do throws(DiscfgError) {
                let (commits, changes) = (evaluator.proposed.count, evaluator.changeCount)
                let result = try evaluator.evaluate(waiter.transaction)
                let isOver = evaluator.changeCount > limits.changes || evaluator.byteCount > limits.bytes
                // What others are answered must not add up either, but never keeps one from being carried out alone.
                let isCrowded = evaluator.outcomeBytes > TransactionEvaluator.maximumOutcomeBytes && !results.isEmpty
                guard isOver || isCrowded else {
                    results.append(.success(result))
                    continue
                }
                let error = tooLarge(changes: evaluator.changeCount - changes)
                if evaluator.proposed.count > commits { evaluator.retractLast() }
                if !results.isEmpty { break }
                results.append(.failure(error))
            } catch {
                results.append(.failure(error))
            }
        }
        return results
    }

    private func tooLarge(changes: Int) -> DiscfgError {
        DiscfgError(
            .tooLarge,
            "The transaction has \(changes) changes; one commit takes at most \(engine.limits.changes) changes "
                + "and \(engine.limits.bytes) bytes of keys and values, before and after.",
            hint: "Split it into smaller ones.")
    }

    /// Reads what the transactions touch, as it stands at one revision.
    private func load(_ transactions: [Transaction]) async throws -> TransactionEvaluator {
        let now = time.now()
        var keys: Set<Key> = []
        var selections: Set<KeySelection> = []
        for transaction in transactions { transaction.collect(keys: &keys, selections: &selections) }
        var attempt = 0
        while true {
            let batch = try await engine.items(Array(keys), in: config, consistency: .strong)
            var items = batch.items
            var isConsistent = true
            for range in selections.flatMap(\.ranges) {
                isConsistent = try await load(range, into: &items, at: batch.tail.revision) && isConsistent
            }
            // An append at tail + 1 would notice; a transaction that only reads would not.
            if isConsistent { return TransactionEvaluator(items: items, tail: batch.tail, now: now) }
            attempt += 1
            try await backOff(attempt)
        }
    }

    /// - Returns: Whether the range stood still at the revision meanwhile.
    private func load(_ range: KeyRange, into items: inout [Key: Item], at revision: Revision) async throws -> Bool {
        var rest = range
        var weight = 0
        while true {
            let page = try await engine.items(rest, in: config, limit: 1000, values: true, consistency: .strong)
            guard page.tail.revision == revision else { return false }
            for item in page.items { items[item.key] = item }
            weight += page.items.reduce(0) { $0 + $1.value.bytes.count }
            guard items.count <= engine.limits.changes * 2, weight <= engine.limits.bytes else {
                throw tooLarge(changes: items.count)
            }
            guard page.hasMore, let last = page.items.last else { return true }
            rest = rest.after(last.key)
        }
    }

    /// Appends, and finds out what became of it when the reply was lost.
    ///
    /// - Returns: What others committed first, or `nil` when ours is in the log.
    private func append(_ commits: [Commit]) async throws -> [Commit]? {
        guard let first = commits.first else { return nil }
        var attempt = 0
        // Set once an append may have taken effect: from then on no other error may say that nothing was written.
        var doubt: DiscfgError?
        while true {
            do {
                switch try await metrics.measure({ try await engine.append(commits, to: config) }) {
                case .appended: return nil
                case .conflict(let newer): return newer.first?.id == first.id ? nil : newer
                }
            } catch let error as DiscfgError where error.code == .outcomeUnknown || doubt != nil {
                doubt = doubt ?? error
                guard attempt < 5 else { throw doubt ?? error }
                attempt += 1
                try await backOff(attempt)
                // Trying again is safe: the log takes these revisions only once, and tells us whose they are.
            }
        }
    }

    /// Waits a little, never in step with other writers; gives up on a config that is too busy.
    private func backOff(_ attempt: Int) async throws {
        if attempt == 1 { return }
        guard attempt <= Self.maximumAttempts else {
            throw DiscfgError(
                .storeUnavailable, "Other writers to config “\(config)” were first \(attempt - 1) times in a row.",
                hint: "Nothing was written; try again in a moment.")
        }
        try await time.sleep(.milliseconds(Int.random(in: 5...20)))
    }
}

extension Transaction {
    /// What must be known before the transaction can be carried out.
    fileprivate func collect(keys: inout Set<Key>, selections: inout Set<KeySelection>) {
        for precondition in preconditions { keys.insert(precondition.key) }
        for operation in success + failure {
            switch operation {
            case .set(let key, _, _), .patch(let key, _), .delete(let key), .get(let key): keys.insert(key)
            case .deleteAll(let selection): selections.insert(selection)
            }
        }
    }
}
