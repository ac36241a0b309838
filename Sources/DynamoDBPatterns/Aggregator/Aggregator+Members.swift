import AWSClient

extension Aggregator {
    /// A page of the items of members, in the order of their identities.
    func memberItems(
        of set: String, after id: String? = nil, limit: Int
    ) async throws -> (items: [(key: ItemKey, item: StoredItem)], isLast: Bool) {
        let partition = prefix.partition(set)
        let prefix = AggregateHead.memberPrefix
        let answer = try await table.api.query(
            QueryRequest(
                tableName: table.name, keyConditionExpression: "#p = :p AND begins_with(#s, :m)",
                expressionAttributeNames: ["#p": PatternTable.Attribute.partition, "#s": PatternTable.Attribute.sort],
                expressionAttributeValues: [":p": .string(partition), ":m": .string(prefix)], consistentRead: true,
                limit: max(limit, 1),
                exclusiveStartKey: id.map { ItemKey(partition: partition, sort: prefix + $0).attributes }))
        let items = (answer.items ?? []).compactMap { item in ItemKey(of: item).map { (key: $0, item: item) } }
        return (items, answer.lastEvaluatedKey == nil)
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
