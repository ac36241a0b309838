/// What a batch is worked out on.
struct Ground {
    var evaluator: TransactionEvaluator
    /// Whether its items and its tail are of one moment since the batch was submitted.
    var isExact: Bool
}

/// What must be known before some transactions can be carried out.
struct Touched {
    private(set) var keys: Set<Key> = []
    private(set) var ranges: [KeyRange] = []

    init(_ transactions: [Transaction]) {
        var selections: Set<KeySelection> = []
        for transaction in transactions {
            for precondition in transaction.preconditions { keys.insert(precondition.key) }
            for operation in transaction.success + transaction.failure {
                switch operation {
                case .set(let key, _, _), .patch(let key, _), .delete(let key), .get(let key): keys.insert(key)
                case .deleteAll(let selection): selections.insert(selection)
                }
            }
        }
        ranges = selections.flatMap(\.ranges)
    }

    /// The keys, with those that there are in the ranges.
    func all(in evaluator: TransactionEvaluator) -> Set<Key> {
        if ranges.isEmpty { return keys }
        return keys.union(evaluator.items.keys.filter { key in ranges.contains { $0.contains(key) } })
    }
}

extension CommitPipeline {
    /// Reads what the transactions touch, as far as it is not remembered.
    func load(_ touched: Touched, from memory: WriterMemory?) async throws -> Ground {
        let now = time.now()
        var memory = memory
        var attempt = 0
        while true {
            if let ground = try await read(touched, from: memory, now: now) { return ground }
            memory = nil
            attempt += 1
            try await backOff(attempt)
        }
    }

    /// - Returns: `nil` where the store showed that what is remembered, or was read first, is out of date.
    private func read(_ touched: Touched, from memory: WriterMemory?, now: Timestamp) async throws -> Ground? {
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
        for range in touched.ranges {
            guard try await load(range, into: &items, at: tail) else { return nil }
        }
        return Ground(evaluator: TransactionEvaluator(items: items, tail: tail, now: now), isExact: isExact)
    }

    /// - Returns: Whether the config stood still at the revision meanwhile, as far as the store can tell.
    private func load(_ range: KeyRange, into items: inout [Key: Item?], at tail: LogTail) async throws -> Bool {
        var rest = range
        var (count, weight) = (0, 0)
        while true {
            let page = try await engine.items(rest, in: config, limit: 1000, values: true, consistency: .strong)
            guard page.tail?.isSamePlace(as: tail) ?? true else { return false }
            for item in page.items { items[item.key] = item }
            count += page.items.count
            weight += page.items.reduce(0) { $0 + $1.value.bytes.count }
            guard count <= engine.limits.changes * 2, weight <= engine.limits.bytes else {
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
