/// What a batch is worked out on.
struct Ground {
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

    /// The keys, with those that there are in the ranges.
    func all(in evaluator: Evaluator) -> Set<Key> {
        let ranges = ranges.union(probes)
        if ranges.isEmpty { return keys }
        return keys.union(evaluator.items.keys.filter { key in ranges.contains { $0.contains(key) } })
    }
}

extension CommitPipeline {
    /// The most items of a range that a transaction reads.
    private static let maximumRead = 100_000

    /// Reads what proposals touch, as far as it is not remembered.
    func load(_ touched: Touched, from memory: WriterMemory?) async throws -> Ground {
        var memory = memory
        var attempt = 0
        while true {
            if let ground = try await read(touched, from: memory) { return ground }
            memory = nil
            attempt += 1
            try await backOff(attempt)
        }
    }

    /// Reads what is missing of what proposals touch; what was proposed is void.
    func load(_ touched: Touched, on ground: Ground) async throws -> Ground {
        var evaluator = ground.evaluator
        evaluator.advance(over: [])
        var loaded = try await load(touched, from: WriterMemory(evaluator))
        loaded.evaluator.endedLeases = evaluator.endedLeases
        return loaded
    }

    /// - Returns: `nil` where the store showed that what is remembered, or was read first, is out of date.
    private func read(_ touched: Touched, from memory: WriterMemory?) async throws -> Ground? {
        var items: [Key: Item?] = memory?.items ?? [:]
        let missing = touched.keys.filter { !items.keys.contains($0) }
        let tail: LogTail
        var isExact = false
        if let memory {
            tail = memory.tail
            if !missing.isEmpty {
                let batch = try await engine.items(Array(missing), in: config, consistency: .strong)
                guard batch.tail?.isSamePlace(as: tail) ?? true else { return nil }
                for key in missing { items[key] = .some(batch.items[key]) }
            }
        } else {
            let basis = try await engine.basis(for: Array(missing), in: config)
            (tail, isExact) = (basis.tail, basis.isExact)
            for key in missing { items[key] = .some(basis.items[key]) }
        }
        var known = touched.ranges
        for range in touched.ranges {
            let most = touched.changedRanges.contains(range) ? engine.limits.changes * 2 : Self.maximumRead
            guard try await load(range, into: &items, at: tail, atMost: most) else { return nil }
        }
        for range in touched.probes where !known.contains(where: { $0.covers(range) }) {
            // Two: of the first that is found nothing may be left when it is overdue.
            let page = try await engine.items(range, in: config, limit: 2, values: true, consistency: .strong)
            guard page.tail?.isSamePlace(as: tail) ?? true else { return nil }
            for item in page.items { items[item.key] = item }
            if !page.hasMore { known.insert(range) }
        }
        var recent: RecentChanges?
        if let since = touched.since {
            guard let changes = try await recentChanges(since: since, upTo: tail) else { return nil }
            recent = changes
        }
        // The time as it is after the reads: their answers may have corrected the clock.
        let evaluator = Evaluator(
            config: config, items: items, ranges: known, recent: recent, tail: tail, now: time.now())
        return Ground(evaluator: evaluator, isExact: isExact)
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

extension LogTail {
    /// Whether nothing was appended between the two.
    func isSamePlace(as other: LogTail) -> Bool { revision == other.revision && incarnation == other.incarnation }
}
