/// A part of an import, which is carried out as one commit: compared and written at the same revision.
struct ImportStep: Proposal {
    struct Outcome: Sendable {
        /// What was compared, and changed.
        var plan = ImportPlan()
        /// The first key that no longer fits; `nil` if the part is done.
        var next: Key?
        var revision: Revision
        var hasChanged = false
        /// Whether others have changed what earlier steps imported; then nothing is done.
        var isInterrupted = false
    }

    let values: ImportedValues
    /// The imported keys of this part, in their order.
    let keys: ArraySlice<Key>
    /// The ranges of which every item is compared too.
    let ranges: [KeyRange]
    /// The maximum size of the commit.
    let limits: StorageLimits
    var author: String { values.request.author }
    var message: String { values.request.message.isEmpty ? "import" : values.request.message }
    /// The revision that the config must be at; `nil` if that does not matter.
    let ifRevision: Revision?
    /// What earlier steps imported: the keys before `end`, as of a revision.
    let earlier: (end: [UInt8], revision: Revision)?

    func touch(_ touched: inout Touched) {
        touched.keys.formUnion(keys)
        touched.ranges.formUnion(ranges)
        if let earlier { touched.demandChanges(since: earlier.revision) }
    }

    func carryOut(on evaluator: inout Evaluator) throws(DiscfgError) -> Outcome {
        var outcome = Outcome(revision: evaluator.tail.revision)
        if let ifRevision, ifRevision != evaluator.tail.revision {
            throw .moved(evaluator.config, to: evaluator.tail.revision, from: ifRevision)
        }
        if let earlier {
            outcome.isInterrupted = !evaluator.isUnchanged(since: earlier.revision) { [values] key in
                key.bytes.lexicographicallyPrecedes(earlier.end) && values.concerns(key)
            }
            if outcome.isInterrupted { return outcome }
        }
        var (count, weight) = (0, 0)
        for key in candidates(on: &evaluator) {
            let item = evaluator.item(key)
            let verdict = values.verdict(on: key, item)
            let change: Change
            switch (verdict, item, values.values[key]) {
            case (.add, _, let value?), (.change, _, let value?):
                let end: (expiry: Timestamp?, lease: Int64?) = (nil, nil)
                change = .set(evaluator.successor(of: item, key: key, value: value, end), previous: item)
            case (.remove, let item?, _): change = .removed(item)
            default:
                outcome.plan.note(verdict, on: key)
                continue
            }
            weight += (change.item?.weight ?? key.bytes.count) + (change.previous?.value.bytes.count ?? 0)
            if count > 0, count == limits.changes || weight > limits.bytes {
                outcome.next = key
                break
            }
            count += 1
            evaluator.record(change)
            outcome.plan.note(verdict, on: key)
        }
        (outcome.revision, outcome.hasChanged) = (evaluator.revision, evaluator.hasChanges)
        return outcome
    }

    /// The keys to compare, in their order.
    private func candidates(on evaluator: inout Evaluator) -> [Key] {
        if ranges.isEmpty { return Array(keys) }
        var all = Set(keys)
        for range in ranges { all.formUnion(evaluator.items(in: range).map(\.key)) }
        return all.sorted()
    }
}

extension DiscfgError {
    /// The refusal of an import for a revision that the config has left.
    package static func moved(_ config: ConfigName, to revision: Revision, from wanted: Revision) -> DiscfgError {
        DiscfgError(
            .conditionFailed, "The config “\(config)” is at revision \(revision), not at \(wanted).",
            hint: "Look at what changed with “discfg diff \(wanted)”, and decide on what you see."
        ).overHTTP("Look at what changed with GET /v1/\(config)/diff?from=\(wanted), and decide on what you see.")
    }
}
