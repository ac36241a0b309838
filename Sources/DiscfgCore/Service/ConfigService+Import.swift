extension ConfigService {
    /// How often an import of several commits begins again because others changed what it had imported.
    private static let maximumPasses = 10

    /// Imports in as few commits as possible; begins again, ten times at most, if others change what it imports.
    public func importValues(
        _ values: ImportedValues, in config: ConfigName, progress: (_ done: Int, _ total: Int) async -> Void
    ) async throws -> ImportOutcome {
        try Transaction(then: [], author: values.request.author, message: values.request.message).validate()
        var run = ImportRun(values: values, limits: engine.limits)
        do {
            while true {
                try Task.checkCancellation()
                do {
                    // Of all that is left, not of what the step before was limited to.
                    run.limit = nil
                    run.limit = try await limit(of: run, in: config)
                    let step = run.step
                    let outcome = try await submit(step, to: config)
                    if outcome.isInterrupted {
                        guard run.passes < Self.maximumPasses else { throw Self.overtaken(config) }
                        run.beginAgain()
                    } else {
                        run.note(outcome, of: step)
                        if outcome.hasChanged { await progress(run.done, values.keys.count) }
                        if run.isDone { return run.outcome }
                    }
                } catch let error as DiscfgError where error.code == .tooLarge {
                    // There are more items than a proposal reads.
                    guard run.shrink() else { throw error }
                }
            }
        } catch let error as DiscfgError where run.commits > 0 {
            throw run.noting(error)
        }
    }

    /// Where the next step must end, so that it does not compare more than `width` items.
    private func limit(of run: ImportRun, in config: ConfigName) async throws -> [UInt8]? {
        guard var left = run.width else { return nil }
        for range in run.step.ranges {
            var rest = range
            while true {
                let page = try await engine.items(
                    rest, in: config, limit: min(left + 1, 1000), values: false, consistency: .strong)
                if page.items.count > left { return page.items[left].key.bytes }
                left -= page.items.count
                guard page.hasMore, let last = page.items.last else { break }
                rest = rest.after(last.key)
            }
        }
        return nil
    }

    private static func overtaken(_ config: ConfigName) -> DiscfgError {
        DiscfgError(
            .storeUnavailable, "Others change the keys to import into config “\(config)” all the time.",
            hint: "Try again when there is less going on.")
    }
}

/// An import, and how far it has come.
private struct ImportRun {
    /// The maximum number of changes in one commit.
    static let maximumChanges = 20_000
    /// The maximum number of keys that one step compares at first.
    private static let maximumKeys = 100_000

    let values: ImportedValues
    let limits: StorageLimits
    private(set) var commits = 0
    private(set) var passes = 1
    private(set) var isDone = false
    /// What this pass has done, and those before it.
    private var pass = ImportPlan()
    private var earlier: [ImportPlan] = []
    /// Where the next step begins, and the number of imported keys that it compares.
    private var position: [UInt8] = []
    private var length = maximumKeys
    /// The maximum number of items that a step compares, if all were too many; and where the next step ends then.
    private(set) var width: Int?
    var limit: [UInt8]?
    /// The revision of the last step.
    private var revision: Revision?

    init(values: ImportedValues, limits: StorageLimits) {
        self.values = values
        self.limits = StorageLimits(changes: min(limits.changes, Self.maximumChanges), bytes: limits.bytes)
    }

    /// The number of imported keys before the next step.
    var done: Int {
        isDone ? values.keys.count : values.keys.partitioningIndex { !$0.bytes.lexicographicallyPrecedes(position) }
    }

    /// The keys of the next step, and where it ends; `nil` if it is the last.
    private var part: (keys: ArraySlice<Key>, end: [UInt8]?) {
        let rest = values.keys[done...]
        let next = rest.count > length ? rest[rest.startIndex + length].bytes : nil
        let end = [next, limit].compactMap(\.self).min { $0.lexicographicallyPrecedes($1) }
        return (rest.prefix(length).prefix { key in end.map { key.bytes.lexicographicallyPrecedes($0) } ?? true }, end)
    }

    var step: ImportStep {
        let (keys, end) = part
        let ranges = values.removable.compactMap { $0.part(from: position, to: end) }
        // A part of an import may be at a later revision than the first: that of the part before it.
        return ImportStep(
            values: values, keys: keys, ranges: ranges, limits: limits,
            ifRevision: values.request.ifRevision.map { revision ?? $0 },
            earlier: revision.map { (end: position, revision: $0) })
    }

    mutating func note(_ outcome: ImportStep.Outcome, of step: ImportStep) {
        let end = part.end
        pass.append(outcome.plan)
        revision = outcome.revision
        if outcome.hasChanged { commits += 1 }
        if let next = outcome.next {
            // About as many again, or what one commit takes, instead of all that is left.
            length = max(step.keys.prefix { $0 < next }.count, limits.changes)
            position = next.bytes
        } else if let end {
            length = min(length * 2, Self.maximumKeys)
            position = end
        } else {
            isDone = true
        }
    }

    /// Begins at the first key again.
    mutating func beginAgain() {
        earlier.append(pass)
        (pass, position, revision) = (ImportPlan(), [], nil)
        passes += 1
    }

    /// Makes the next step smaller.
    ///
    /// - Returns: Whether that is possible.
    mutating func shrink() -> Bool {
        let count = part.keys.count
        if count > 1 {
            length = count / 2
        } else if values.removable.isEmpty || width == 1 {
            return false
        } else {
            width = width.map { $0 / 2 } ?? Self.maximumKeys / 2
        }
        return true
    }

    var outcome: ImportOutcome {
        var plan = pass
        for done in earlier { plan.include(done) }
        return ImportOutcome(counts: plan.counts, revision: revision ?? 0, commits: commits)
    }

    /// The error, with a hint about what was committed before it.
    func noting(_ error: DiscfgError) -> DiscfgError {
        var error = error
        error.addHint("\(done) of \(values.keys.count) keys are imported; import again to continue.")
        return error
    }
}

extension KeyRange {
    /// The part of the range from some bytes up to others, `nil` if it is empty.
    fileprivate func part(from start: [UInt8], to end: [UInt8]?) -> KeyRange? {
        let lower = lower.lexicographicallyPrecedes(start) ? start : lower
        let upper = [upper, end].compactMap(\.self).min { $0.lexicographicallyPrecedes($1) }
        return upper.map { lower.lexicographicallyPrecedes($0) } ?? true ? KeyRange(from: lower, to: upper) : nil
    }
}
