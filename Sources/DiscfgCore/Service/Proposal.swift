/// Something that is carried out on the state of a config at the tail of its log, as one commit or as none.
///
/// What several proposals do to one config is worked out one after the other, and appended in one step. A proposal may be
/// carried out more than once before it counts: others may have been first, or something was not known yet.
package protocol Proposal: Sendable {
    associatedtype Outcome: Sendable

    /// Who makes the commit; empty where that is not known.
    var author: String { get }
    /// Why.
    var message: String { get }

    /// Names what it is sure to look at, so that all of it can be read at once.
    func touch(_ touched: inout Touched)

    /// Looks at items and records changes.
    ///
    /// - Throws: `DiscfgError` when it cannot be carried out; nothing of it is proposed then.
    func carryOut(on evaluator: inout Evaluator) throws(DiscfgError) -> Outcome
}

/// What must be known before some proposals can be carried out.
package struct Touched {
    package var keys: Set<Key> = []
    /// Ranges of which every item is needed.
    package var ranges: Set<KeyRange> = []
    /// Ranges of which it matters only whether there is any item.
    package var probes: Set<KeyRange> = []
    /// Ranges whose items are to be changed, so that there cannot be more than one commit takes.
    package var changedRanges: Set<KeyRange> = []
    /// The revision since which the changed keys are needed; `nil` if nothing asks for them.
    var since: Revision?

    var isEmpty: Bool { keys.isEmpty && ranges.isEmpty && probes.isEmpty && since == nil }

    /// Asks for the keys that were changed since a revision.
    mutating func demandChanges(since revision: Revision) { since = min(since ?? revision, revision) }

    /// Takes over what was found missing.
    mutating func demand(_ missing: Touched) {
        keys.formUnion(missing.keys)
        ranges.formUnion(missing.ranges)
        if let revision = missing.since { demandChanges(since: revision) }
        // Where one look did not tell, because what it found was overdue, all of it must be seen.
        for range in missing.probes where !probes.insert(range).inserted { ranges.insert(range) }
    }
}

extension Transaction: Proposal {
    package typealias Outcome = TransactionResult

    package func touch(_ touched: inout Touched) {
        for precondition in preconditions {
            if case .unchanged(let selection, let revision) = precondition.test {
                if selection != .all { touched.demandChanges(since: revision) }
            } else if let range = precondition.range {
                touched.ranges.insert(range)
            } else {
                touched.keys.insert(precondition.key)
            }
        }
        for operation in success + failure { operation.touch(&touched) }
    }

    package func carryOut(on evaluator: inout Evaluator) throws(DiscfgError) -> TransactionResult {
        let decision = decide(on: &evaluator)
        let result = try carryOut(decision, on: &evaluator)
        // Last, as etcd looks at what is written before it looks at what is read.
        if let failure = decision.failure {
            throw DiscfgError(failure, "The branch that its conditions choose cannot be carried out.")
        }
        return result
    }

    /// What its conditions come to, and those of the transactions that are part of the chosen branch.
    ///
    /// All are tested before anything is changed, as etcd does.
    fileprivate func decide(on evaluator: inout Evaluator) -> Decision {
        var decision = Decision(failed: preconditions.first { !$0.holds(on: &evaluator) })
        for operation in decision.failed == nil ? success : failure {
            switch operation {
            case .transaction(let transaction): decision.append(transaction.decide(on: &evaluator))
            case .fail(let code): decision.failure = decision.failure ?? code
            default: break
            }
        }
        return decision
    }

    fileprivate func carryOut(_ decision: Decision, on evaluator: inout Evaluator) throws(DiscfgError)
        -> TransactionResult
    {
        let current = decision.failed.flatMap { evaluator.committedItem($0.key) }.flatMap { $0.isDirectory ? nil : $0 }
        var nested = decision.nested.makeIterator()
        var outcomes: [TransactionResult.Outcome] = []
        for operation in decision.failed == nil ? success : failure {
            let outcome: TransactionResult.Outcome
            if case .transaction(let transaction) = operation, let decision = nested.next() {
                outcome = .init(nested: try transaction.carryOut(decision, on: &evaluator))
            } else {
                outcome = try operation.carryOut(on: &evaluator)
            }
            try evaluator.noteOutcome(bytes: outcome.weight)
            outcomes.append(outcome)
        }
        return TransactionResult(
            failed: decision.failed, current: current, outcomes: outcomes, revision: evaluator.revision,
            changed: evaluator.hasChanges)
    }
}

/// Which branch of a transaction is carried out, and which of those in it.
private struct Decision {
    /// The first condition that failed; `nil` chooses the branch for success.
    var failed: Precondition?
    var nested: [Decision] = []
    /// Why none of it can be carried out, as the first operation says that makes it fail.
    var failure: DiscfgError.Code?

    mutating func append(_ decision: Decision) {
        nested.append(decision)
        failure = failure ?? decision.failure
    }
}

extension Precondition {
    fileprivate func holds(on evaluator: inout Evaluator) -> Bool {
        if case .unchanged(let selection, let revision) = test {
            return evaluator.isUnchanged(selection, since: revision)
        }
        // As reads of a range show them: without what stands for a directory of etcd's v2 API.
        guard let range else { return holds(for: evaluator.item(key).flatMap { $0.isDirectory ? nil : $0 }) }
        let items = evaluator.items(in: range).filter { !$0.isDirectory }
        return items.isEmpty ? holds(for: nil) : items.allSatisfy { holds(for: $0) }
    }
}

extension Operation {
    fileprivate func touch(_ touched: inout Touched) {
        switch self {
        case .set(let key, _, _), .touch(let key, _), .patch(let key, _), .delete(let key), .get(let key):
            touched.keys.insert(key)
        case .deleteAll(let selection):
            touched.ranges.formUnion(selection.ranges)
            touched.changedRanges.formUnion(selection.ranges)
        case .getAll(let range): touched.ranges.insert(range)
        case .transaction(let transaction): transaction.touch(&touched)
        case .fail: break
        }
    }

    fileprivate func carryOut(on evaluator: inout Evaluator) throws(DiscfgError) -> TransactionResult.Outcome {
        switch self {
        case .get(let key): return .init(item: evaluator.item(key))
        case .getAll(let range): return .init(found: evaluator.items(in: range))
        case .set(let key, let value, let expiry): return try evaluator.set(key, to: value, expiry)
        case .touch(let key, let expiry):
            guard let item = evaluator.item(key) else { throw evaluator.absent(key) }
            return try evaluator.set(key, to: item.value, expiry)
        case .patch(let key, let patch):
            let previous = evaluator.item(key)
            let document = try previous?.value.parsedJSON() ?? .object(JSONObject())
            let type = previous?.value.contentType ?? Value.json
            let value = Value(bytes: document.merging(patch).bytes, contentType: type)
            try value.validate()
            return try evaluator.set(key, to: value, .unchanged)
        case .delete(let key): return evaluator.remove([evaluator.item(key)].compactMap { $0 })
        case .deleteAll(let selection):
            let items = selection.ranges.flatMap { evaluator.items(in: $0) }
            return evaluator.remove(selection.includesDirectories ? items : items.filter { !$0.isDirectory })
        // The transaction around them carries them out, by what was decided before anything was changed.
        case .transaction, .fail: return .init()
        }
    }
}

extension Evaluator {
    fileprivate mutating func set(_ key: Key, to value: Value, _ expiry: Operation.Expiry)
        throws(DiscfgError) -> TransactionResult.Outcome
    {
        let previous = item(key)
        if expiry == .kept, previous == nil { throw absent(key) }
        let item = successor(of: previous, key: key, value: value, try deadline(expiry, of: previous))
        record(.set(item, previous: previous))
        return .init(item: item, previous: previous.map { [$0] } ?? [])
    }

    fileprivate mutating func remove(_ victims: [Item]) -> TransactionResult.Outcome {
        for victim in victims { record(.removed(victim)) }
        return .init(previous: victims)
    }

    fileprivate func absent(_ key: Key) -> DiscfgError {
        DiscfgError(
            .keyNotFound, "There is no key “\(key)” whose value or end could be kept.",
            hint: "Set it with a value first.")
    }
}

extension TransactionResult.Outcome {
    /// The bytes of its values.
    fileprivate var weight: Int {
        var weight = item?.value.bytes.count ?? 0
        for item in previous { weight += item.value.bytes.count }
        for item in found { weight += item.value.bytes.count }
        return weight
    }
}
