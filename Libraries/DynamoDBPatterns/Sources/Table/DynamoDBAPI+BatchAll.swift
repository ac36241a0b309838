public import AWSClient

extension DynamoDBAPI {
    /// Reads any number of items, 100 at a time, and asks again for those that DynamoDB left out.
    ///
    /// - Parameters:
    ///   - request: Which items of which tables; no key twice.
    ///   - clock: The pauses before items that were left out are asked for again.
    /// - Returns: The items of each table in no order, what it cost, and no unprocessed keys.
    /// - Throws: `AWSError`; with code `unprocessed` when DynamoDB keeps leaving items out.
    public func batchGetAll(
        _ request: BatchGetItemRequest, clock: PatternClock = PatternClock()
    ) async throws -> BatchGetItemResponse {
        try await BatchRounds(clock).read(request, batchGetItem)
    }

    /// Writes any number of items, 25 at a time, and asks again for those that DynamoDB left out.
    ///
    /// Each item is written for itself and without a condition: for items that no other writer changes.
    ///
    /// - Parameters:
    ///   - request: What to write to which tables; no key twice.
    ///   - clock: The pauses before items that were left out are asked for again.
    /// - Returns: What it cost, and no unprocessed items.
    /// - Throws: `AWSError`; with code `unprocessed` when DynamoDB keeps leaving items out. Some may have been written.
    public func batchWriteAll(
        _ request: BatchWriteItemRequest, clock: PatternClock = PatternClock()
    ) async throws -> BatchWriteItemResponse {
        try await BatchRounds(clock).write(request, batchWriteItem)
    }
}

extension BatchRounds {
    fileprivate init(_ clock: PatternClock) {
        self.init { idleRounds in
            try await clock.sleep(.conflictBackoff(idleRounds + 1, clock))
            return true
        }
    }
}
