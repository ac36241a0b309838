/// What a batch is evaluated on.
struct LoadedState {
    var evaluator: Evaluator
    /// Whether its items and its tail are of one moment since the batch was submitted.
    var isExact: Bool

    /// Whether an item is newer than the tail: the store shows it before the commit that set it, and perhaps not yet
    /// what else that commit did.
    var isAhead: Bool {
        evaluator.items.values.contains { item in item.map { $0.modified > evaluator.tail.revision } ?? false }
    }
}

extension Touched {
    init(_ waiters: some Sequence<CommitPipeline.Waiter>) {
        for waiter in waiters { waiter.touch(&self) }
    }
}

extension CommitPipeline {
    /// The most items of a range that a transaction reads.
    private static let maximumRead = 100_000

    /// Reads what proposals touch, as far as the state does not have it; without one, from the end of the log.
    func load(_ touched: Touched, on state: ViewState?) async throws -> LoadedState {
        try await load(touched, with: state.map { Evaluator(config: config, state: $0, now: time.now()) })
    }

    /// Reads what is missing of what proposals touch; what was proposed is void.
    func load(_ touched: Touched, on loaded: LoadedState) async throws -> LoadedState {
        var evaluator = loaded.evaluator
        evaluator.advance(over: [])
        var loaded = try await load(touched, with: evaluator)
        loaded.evaluator.endedLeases = evaluator.endedLeases
        return loaded
    }

    private func load(_ touched: Touched, with evaluator: Evaluator?) async throws -> LoadedState {
        var evaluator = evaluator
        var attempt = 0
        while true {
            if let loaded = try await read(touched, with: evaluator) { return loaded }
            evaluator = nil
            attempt += 1
            try await backOff(attempt)
        }
    }

    /// - Returns: `nil` if the store showed that what is known, or was read first, is out of date.
    private func read(_ touched: Touched, with known: Evaluator?) async throws -> LoadedState? {
        var items: [Key: Item?] = [:]
        var loaded: LoadedState
        if let known {
            loaded = LoadedState(evaluator: known, isExact: false)
            let missing = touched.keys.filter { known.known($0) == nil }
            if !missing.isEmpty {
                let batch = try await engine.items(Array(missing), in: config, consistency: .strong)
                guard batch.tail?.isSamePlace(as: known.tail) ?? true else { return nil }
                for key in missing { items[key] = .some(batch.items[key]) }
            }
        } else {
            let basis = try await engine.basis(for: Array(touched.keys), in: config)
            let state = ViewState(tail: basis.tail)
            loaded = LoadedState(
                evaluator: Evaluator(config: config, state: state, now: time.now()), isExact: basis.isExact)
            for key in touched.keys { items[key] = .some(basis.items[key]) }
        }
        let tail = loaded.evaluator.tail
        var ranges: Set<KeyRange> = []
        for range in touched.ranges {
            let most = touched.changedRanges.contains(range) ? engine.limits.changes * 2 : Self.maximumRead
            if loaded.evaluator.isKnown(range) {
                let count = loaded.evaluator.baseCount(in: range)
                guard count <= most else { throw tooLarge(changes: count) }
            } else {
                guard try await load(range, into: &items, at: tail, atMost: most) else { return nil }
                ranges.insert(range)
            }
        }
        for range in touched.probes
        where !loaded.evaluator.isKnown(range) && !ranges.contains(where: { $0.covers(range) }) {
            // Two: of the first that is found nothing may be left when it is overdue.
            let page = try await engine.items(range, in: config, limit: 2, values: true, consistency: .strong)
            guard page.tail?.isSamePlace(as: tail) ?? true else { return nil }
            for item in page.items { items[item.key] = item }
            if !page.hasMore { ranges.insert(range) }
        }
        var recent: RecentChanges?
        if let since = touched.since {
            guard let changes = try await recentChanges(since: since, in: loaded.evaluator) else { return nil }
            recent = changes
        }
        loaded.evaluator.learn(items, ranges: ranges, recent: recent, now: time.now())
        return loaded
    }

    /// - Returns: Whether the config stood still at the revision meanwhile, as far as the store can tell.
    private func load(
        _ range: KeyRange, into items: inout [Key: Item?], at tail: LogTail, atMost most: Int
    ) async throws -> Bool {
        var rest = range
        var (count, weight) = (0, 0)
        while true {
            let page = try await engine.items(rest, in: config, limit: 1000, values: true, consistency: .strong)
            guard page.tail?.isSamePlace(as: tail) ?? true else { return false }
            for item in page.items { items[item.key] = item }
            count += page.items.count
            weight += page.items.reduce(0) { $0 + $1.value.bytes.count }
            guard count <= most, weight <= max(engine.limits.bytes, Evaluator.maximumOutcomeBytes) else {
                throw tooLarge(changes: count)
            }
            guard page.hasMore, let last = page.items.last else { return true }
            rest = rest.after(last.key)
        }
    }
}
