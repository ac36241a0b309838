import AWSClient

extension Aggregator {
    /// Adds a member to a set, once, and completes the set if that is what was missing.
    ///
    /// May be called again after any error: a member that was added all the same is a `duplicate` then, and the one
    /// that completed its set has `completed` it.
    ///
    /// By `.count` and `.all(of:)` it is one request, and two for the member that completes the set. By `.merging` it
    /// is a read and a write, and a write more for each time that others came first.
    ///
    /// - Parameters:
    ///   - member: What to add.
    ///   - id: What the member counts once by, such as its event's identity; from 1 to 512 bytes, which are what
    ///     tells identities apart.
    ///   - set: The key of the set, from 1 to 512 bytes.
    /// - Returns: What became of the member.
    /// - Throws: `PatternError` with the code `tooLarge` if the set has no room for it, `contention` if others
    ///   came first each time, `invalidArgument`; `AWSError`.
    public func add(_ member: Member, id: String, to set: String) async throws -> AggregateAddition {
        try check(set: set)
        let entry = try entry(member, id: id, set: set)
        var known = rule.isBlind ? KnownHead.unknown : .known(try await head(of: set))
        for tries in 0..<30 {
            if tries > 1 {
                try await table.clock.sleep(.conflictBackoff(tries, table.clock))
                // What the refusal brought along is old by now.
                if !rule.isBlind { known = .known(try await head(of: set)) }
            }
            if case .known(let head?) = known, let answer = try await answer(to: entry, by: head) { return answer }
            let step = try step(adding: entry, to: known)
            switch try await carryOut(step, adding: entry) {
            case .done: return step.completes ? .completed : .added
            case .memberExists: return try await head(of: set)?.completedBy == entry.name ? .completed : .duplicate
            case .refused(let head): known = .known(head)
            }
        }
        throw PatternError(
            .contention, "Others were first each time a member was to be added to a set of “\(name)”.",
            hint: "Add it again. Many writers of one set at a time are better served by the rule .count.")
    }

    /// What a head says of a member that cannot be added to it; `nil` if it can.
    private func answer(to entry: AggregateEntry<Member>, by head: AggregateHead) async throws -> AggregateAddition? {
        if head.completedBy == entry.name { return .completed }
        if head.item[entry.name] != nil { return .duplicate }
        guard head.state != .open else { return nil }
        guard storage == .asItems else { return .late }
        return try await table.settledItem(entry.key) == nil ? .late : .duplicate
    }

    private enum StepOutcome {
        case done
        /// The member has an item already.
        case memberExists
        case refused(AggregateHead?)
    }

    private func carryOut(_ step: AggregateStep, adding entry: AggregateEntry<Member>) async throws -> StepOutcome {
        let head = table.write(headKey(of: entry.set), step.update, if: step.condition)
        guard storage == .asItems else {
            switch try await table.carryOut(head) {
            case .done: return .done
            case .refused(let item, _): return .refused(try item.map(AggregateHead.init))
            }
        }
        var item = entry.key.attributes
        item[AggregateHead.Attribute.value] = entry.attribute
        switch try await table.carryOut([head, table.put(item, if: .absent(PatternTable.Attribute.partition))]) {
        case .done: return .done
        case .refused(let reasons):
            if reasons.last?.failed == true { return .memberExists }
            return .refused(try reasons.first?.item.map(AggregateHead.init))
        }
    }
}
