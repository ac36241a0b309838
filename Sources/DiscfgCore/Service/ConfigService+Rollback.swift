/// What a rollback changes, and what it leaves as it is.
///
/// A key that has a lease, or had one at the earlier revision, is left out: a lock, an election or a registration belongs to a
/// process that is alive, not to the configuration. Brought back it would have no lease and would never end; removed it would
/// be taken from its holder. A key whose time to live has passed since is not brought back either.
public struct RollbackPlan: Sendable, Hashable {
    /// In the order of their keys; `previous` is the item now, `item` what it becomes.
    public var changes: [Change]
    /// How many keys differ and are left out because they have or had a lease.
    public var leftOut: Int

    /// What takes the difference back.
    ///
    /// - Parameters:
    ///   - difference: From the revision to go back to, to the current one.
    ///   - now: What has expired by then is absent.
    public init(undoing difference: Difference, at now: Timestamp) {
        let free = difference.changes.filter {
            isPlanted(.restoresLeases) || $0.item?.lease == nil && $0.previous?.lease == nil
        }
        leftOut = difference.changes.count - free.count
        changes = free.map { change in
            func present(_ item: Item?) -> Item? { item.flatMap { $0.isExpired(at: now) ? nil : $0 } }
            let (target, current) = (present(change.previous), present(change.item))
            return Change(kind: target == nil ? .delete : .set, key: change.key, item: target, previous: current)
        }
        .filter { $0.item != nil || $0.previous != nil }
    }
}

extension ConfigService {
    /// Rolls back in as few commits as possible; compares again if others change the selected keys.
    public func rollback(_ request: RollbackRequest, in config: ConfigName) async throws -> RollbackResult {
        try Transaction(then: [], author: request.author, message: request.message).validate()
        var rollback = RollbackUnderWay(request: request, batch: engine.limits.changes)
        for _ in 0..<CommitPipeline.maximumAttempts {
            if rollback.result.commits == 0 { try Task.checkCancellation() }
            do {
                if try await carryOut(&rollback, in: config) { return rollback.result }
            } catch var error as DiscfgError where rollback.result.commits > 0 {
                error.hint = [error.hint, rollback.remainder].compactMap { $0 }.joined(separator: " ")
                throw error
            }
        }
        let isPartial = rollback.result.commits > 0
        throw DiscfgError(
            .storeUnavailable, "The keys to roll back in config “\(config)” change faster than they can be compared.",
            hint: isPartial ? rollback.remainder : "Nothing was written; try again when there is less going on.")
    }

    /// Compares, and commits what differs, as long as nobody else changes a selected key.
    ///
    /// - Returns: Whether the selected keys are what they were, as of the result's revision.
    private func carryOut(_ rollback: inout RollbackUnderWay, in config: ConfigName) async throws -> Bool {
        let request = rollback.request
        let difference = try await diff(DiffQuery(from: request.to, selection: request.selection), in: config)
        let plan = RollbackPlan(undoing: difference, at: time.now())
        rollback.result.leftOut = plan.leftOut
        rollback.result.revision = difference.to
        var rest = plan.changes[...]
        while !rest.isEmpty {
            let batch = rest.prefix(rollback.batch)
            let answer: TransactionResult
            do {
                answer = try await commit(rollback.transaction(batch), to: config)
            } catch let error as DiscfgError where error.code == .tooLarge && batch.count > 1 {
                // How large what is replaced is, only the store knows.
                rollback.batch = batch.count / 2
                continue
            }
            if answer.failed != nil { return false }
            rollback.note(answer, of: batch)
            rest = rest.dropFirst(batch.count)
        }
        return true
    }
}

/// A rollback, and how far it has come.
private struct RollbackUnderWay {
    let request: RollbackRequest
    /// The most changes in one commit.
    var batch: Int
    var result = RollbackResult(revision: 0, changes: [])

    /// What to do about a rollback that ended early.
    var remainder: String {
        "\(result.changes.count) keys are rolled back already, as of revision \(result.revision); roll back again to go on from there."
    }

    /// The transaction for some of the changes: only if no selected key was changed since they were compared.
    func transaction(_ changes: ArraySlice<Change>) -> Transaction {
        Transaction(
            if: isPlanted(.rollsBackUnchecked) ? [] : [.unchanged(request.selection, since: result.revision)],
            then: changes.map { change in
                change.item.map { .set(change.key, $0.value, expiry: $0.expiry.map { .at($0) } ?? .never) }
                    ?? .delete(change.key)
            },
            author: request.author,
            message: request.message.isEmpty ? "rollback to revision \(request.to)" : request.message)
    }

    /// Takes over what a commit has changed; a key that was changed before keeps what it was before that.
    mutating func note(_ answer: TransactionResult, of batch: ArraySlice<Change>) {
        var made = Dictionary(uniqueKeysWithValues: result.changes.map { ($0.key, $0) })
        for (change, outcome) in zip(batch, answer.outcomes) {
            made[change.key] = Change(
                kind: outcome.item == nil ? .delete : .set, key: change.key, item: outcome.item,
                previous: made[change.key].map(\.previous) ?? change.previous)
        }
        result.changes = made.values.sorted { $0.key < $1.key }
        result.commits += 1
        result.revision = answer.revision
    }
}
