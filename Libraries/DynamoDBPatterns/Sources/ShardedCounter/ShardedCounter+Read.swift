import AWSClient

extension ShardedCounter {
    /// The sum of a counter's shards.
    ///
    /// Each shard is read strongly consistent, and not all at the same moment: the sum has every increment that was
    /// answered before the call, and of those that are made meanwhile any. Costs one request, and one read unit for each
    /// shard.
    ///
    /// - Parameter counter: The counter's key.
    /// - Returns: The sum; 0 for a counter that does not exist.
    /// - Throws: `AWSError`, with code `unprocessed` if DynamoDB leaves out shards again and again; `PatternError` with the
    ///   codes `invalidArgument`, `corrupt`, and `tooLarge` for a sum that is no `Int64`.
    public func value(of counter: String) async throws -> Int64 {
        try check(counter)
        let keys = (0..<shards).map { shardKey($0, of: counter).attributes }
        let request = BatchGetItemRequest(
            requestItems: [table.name: KeysAndAttributes(keys: keys, consistentRead: true)])
        let answer = try await table.api.batchGetAll(request, clock: table.clock)
        return try sum(answer.responses?.values.flatMap(\.self) ?? [])
    }

    /// The sum of a counter's shards as they are at one moment.
    ///
    /// Also a counter that goes up and down has had this value. Costs one request, and two read units for each shard; it
    /// is tried again if a shard is written meanwhile, so that it may not succeed for a counter that is written all the
    /// time.
    ///
    /// - Parameter counter: The counter's key.
    /// - Returns: The sum; 0 for a counter that does not exist.
    /// - Throws: As `value(of:)`; an `AWSError` of a transaction that was cancelled.
    public func snapshot(of counter: String) async throws -> Int64 {
        try check(counter)
        let request = TransactGetItemsRequest(
            transactItems: (0..<shards).map { shard in
                TransactGetItem(get: .init(tableName: table.name, key: shardKey(shard, of: counter).attributes))
            })
        let answer = try await table.api.transactGetItems(request, retryingContention: true)
        return try sum((answer.responses ?? []).compactMap(\.item))
    }

    private func sum(_ items: [StoredItem]) throws(PatternError) -> Int64 {
        var sum: Int128 = 0
        for item in items {
            // A shard may be beyond 64 bits while the sum is not: DynamoDB counts to 38 digits.
            guard let count = item[Attribute.count]?.number.flatMap({ Int128($0) }) else {
                throw PatternError(.corrupt, "A shard of a counter of “\(name)” has no count.")
            }
            let (new, isTooLarge) = sum.addingReportingOverflow(count)
            guard !isTooLarge else { throw tooLarge() }
            sum = new
        }
        guard let sum = Int64(exactly: sum) else { throw tooLarge() }
        return sum
    }

    private func tooLarge() -> PatternError {
        PatternError(.tooLarge, "A counter of “\(name)” is beyond 64 bits.")
    }
}
