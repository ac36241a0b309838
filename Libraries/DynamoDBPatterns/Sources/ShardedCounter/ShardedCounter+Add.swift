public import AWSClient

extension ShardedCounter {
    /// Adds to a counter, at least once.
    ///
    /// Costs one request and one write unit. If the answer is lost, the client makes the request again, and the amount may
    /// be counted twice; the same if the caller does.
    ///
    /// - Parameters:
    ///   - amount: How much; may be negative.
    ///   - counter: The counter's key, 1 to 512 bytes. A counter that does not exist is 0.
    /// - Throws: `AWSError`, whose `mayHaveTakenEffect` means that it may be counted; `PatternError` with code
    ///   `invalidArgument`.
    public func add(_ amount: Int64 = 1, to counter: String) async throws {
        _ = try await table.carryOut(try write(amount, to: counter))
    }

    /// Adds to a counter, once for each request.
    ///
    /// The request is noted in the same transaction. Costs one request and four write units; a repetition the same.
    ///
    /// - Parameters:
    ///   - amount: How much; may be negative.
    ///   - counter: The counter's key, 1 to 512 bytes.
    ///   - request: The identity of the increment, 1 to 256 bytes, the same when it is repeated.
    /// - Returns: Whether this call has counted it; `false` for a request that was counted before.
    /// - Throws: `AWSError`, whose `mayHaveTakenEffect` means that it may be counted: call again with the same request;
    ///   `PatternError` with code `invalidArgument`.
    @discardableResult
    public func add(_ amount: Int64 = 1, to counter: String, request: String) async throws -> Bool {
        let key = try requestKey(request, of: counter)
        let now = table.clock.milliseconds
        var item = key.attributes
        item[PatternTable.Attribute.timeToLive] = .integer((now + retention.milliseconds) / 1000 + 1)
        let isNew = Condition.any([
            .absent(PatternTable.Attribute.partition), .atMost(PatternTable.Attribute.timeToLive, .integer(now / 1000)),
        ])
        let note = table.put(item, if: isNew)
        guard case .refused = try await table.carryOut([note, try write(amount, to: counter)]) else { return true }
        return false
    }

    /// The write that adds to a counter, for a transaction of your own or of a step: counted if and only if that is
    /// carried out.
    ///
    /// - Parameters:
    ///   - amount: How much; may be negative.
    ///   - counter: The counter's key, 1 to 512 bytes.
    /// - Returns: The write; two write units.
    /// - Throws: `PatternError` with code `invalidArgument`.
    public func adding(_ amount: Int64 = 1, to counter: String) throws(PatternError) -> TransactWriteItem {
        try write(amount, to: counter).transactItem
    }

    /// Adds to a shard by chance.
    private func write(_ amount: Int64, to counter: String) throws(PatternError) -> ItemWrite {
        try check(counter)
        var update = ItemUpdate()
        update.increment(Attribute.count, by: amount)
        let shard = Int(table.clock.random() % UInt64(shards))
        return table.write(shardKey(shard, of: counter), update, if: nil)
    }
}
