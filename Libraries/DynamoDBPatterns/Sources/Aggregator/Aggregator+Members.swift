import AWSClient

extension Aggregator {
    /// A page of the items of members, in the order of their identities.
    func memberItems(
        of set: String, after id: String? = nil, limit: Int
    ) async throws -> (items: [(key: ItemKey, item: StoredItem)], isLast: Bool) {
        var query = membersQuery(of: set)
        query.limit = max(limit, 1)
        query.exclusiveStartKey = id.map {
            ItemKey(partition: prefix.partition(set), sort: AggregateHead.memberPrefix + $0).attributes
        }
        let answer = try await table.api.query(query)
        let items = (answer.items ?? []).compactMap { item in ItemKey(of: item).map { (key: $0, item: item) } }
        return (items, answer.lastEvaluatedKey == nil)
    }

    /// Waits until all members of a set that have items of their own can be seen.
    func awaitMembers(of claim: AggregateClaim) async throws {
        guard storage == .asItems else { return }
        try await table.awaitItems(
            claim.head.count, of: membersQuery(of: claim.set),
            tried: claim.head.item[AggregateHead.Attribute.attempt]?.int64 ?? 1)
    }

    private func membersQuery(of set: String) -> QueryRequest {
        QueryRequest(
            tableName: table.name, keyConditionExpression: "#p = :p AND begins_with(#s, :m)",
            expressionAttributeNames: ["#p": PatternTable.Attribute.partition, "#s": PatternTable.Attribute.sort],
            expressionAttributeValues: [
                ":p": .string(prefix.partition(set)), ":m": .string(AggregateHead.memberPrefix),
            ], consistentRead: true)
    }

    /// Deletes the items of a set that was kept long enough, its head last.
    ///
    /// Each transaction checks the head: whoever comes late with it deletes nothing of a set that has begun anew.
    ///
    /// - Returns: Whether all of them are deleted; a sweep does as much as it may take, and the next one goes on.
    func forget(_ set: String, _ head: AggregateHead) async throws -> Bool {
        guard let due = head.due, due <= table.clock.milliseconds else { return false }
        let isSame = Condition.all([
            .equals(AggregateHead.Attribute.generation, .string(head.generation)),
            .equals(AggregateHead.Attribute.state, .string(AggregateState.done.rawValue)),
        ])
        for _ in 0..<20 {
            let items = try await memberItems(of: set, limit: 99).items
            guard !items.isEmpty else {
                _ = try await table.carryOut(table.delete(headKey(of: set), if: isSame))
                return true
            }
            let deletions = items.map { table.delete($0.key, if: nil) }
            guard case .done = try await table.carryOut([table.check(headKey(of: set), isSame)] + deletions) else {
                return false
            }
        }
        return false
    }
}
