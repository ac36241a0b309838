import AWSClient

/// How far the work on a record has come that one worker at a time may do.
enum WorkState: String {
    /// Nobody has begun.
    case open = "OPEN"
    /// A worker has claimed it.
    case running = "RUNNING"
    /// It is done, and never due again.
    case done = "DONE"
}

extension Condition {
    /// That a worker may still write: its work is under way, and no other worker has claimed it since.
    ///
    /// - Parameters:
    ///   - state: The attribute with the `WorkState`.
    ///   - claim: The attribute that each claim changes.
    ///   - value: What the worker's own claim has written there.
    /// - Returns: The condition.
    static func isRunning(_ state: String, by claim: String, _ value: AttributeValue) -> Condition {
        .all([.equals(state, .string(WorkState.running.rawValue)), .equals(claim, value)])
    }
}

/// What became of a write that gives its item a token.
enum MarkedWrite: Sendable {
    /// The item as it is after the write.
    case done(StoredItem)
    /// The item that stood in the way; `nil` if there is none.
    case refused(StoredItem?)

    /// The item as it is after the write; `nil` if the condition did not hold.
    var item: StoredItem? { if case .done(let item) = self { item } else { nil } }
}

extension PatternTable {
    /// Carries out a write that gives its item a token of its own, by which it is recognised if its answer was lost.
    ///
    /// - Parameters:
    ///   - key: The item.
    ///   - update: Its other changes.
    ///   - token: A token that no other write has.
    ///   - name: The attribute of the token.
    ///   - condition: What has to hold; it may fail because of an earlier try of this very write.
    /// - Returns: The item.
    /// - Throws: `AWSError`.
    func writeMarked(
        _ key: ItemKey, _ update: ItemUpdate, token: String, in name: String, if condition: Condition
    ) async throws -> MarkedWrite {
        var update = update
        update.set(name, .string(token))
        switch try await carryOut(write(key, update, if: condition), returningNew: true) {
        case .done(let item): return item.map(MarkedWrite.done) ?? .refused(nil)
        case .refused(let item?, _) where item[name]?.string == token: return .done(item)
        case .refused(let item, _): return .refused(item)
        }
    }
}
