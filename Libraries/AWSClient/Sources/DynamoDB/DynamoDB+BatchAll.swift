extension DynamoDB {
    /// Reads any number of items, 100 at a time, and asks again for those that DynamoDB left out.
    ///
    /// - Parameter request: Which items of which tables; no key twice.
    /// - Returns: The items of each table in no order, what it cost, and no unprocessed keys.
    /// - Throws: `AWSError`; with code `unprocessed` when DynamoDB keeps leaving items out.
    public func batchGetAll(_ request: BatchGetItemRequest) async throws -> BatchGetItemResponse {
        try await rounds.read(request, batchGetItem)
    }

    /// Writes any number of items, 25 at a time, and asks again for those that DynamoDB left out.
    ///
    /// - Parameter request: What to write to which tables; no key twice.
    /// - Returns: What it cost, and no unprocessed items.
    /// - Throws: `AWSError`; with code `unprocessed` when DynamoDB keeps leaving items out. Some may have been written.
    public func batchWriteAll(_ request: BatchWriteItemRequest) async throws -> BatchWriteItemResponse {
        try await rounds.write(request, batchWriteItem)
    }

    /// Pauses as between the attempts of a request, and within the deadline of the caller.
    private var rounds: BatchRounds {
        let (retry, time) = (client.options.retry, client.options.time)
        return BatchRounds { idleRounds in
            let pause = retry.pause(
                afterAttempt: idleRounds, isThrottled: idleRounds > 0, retryAfter: nil, random: time.random())
            guard AWSClient.deadline.map({ time.instant() + pause < $0 }) ?? true else { return false }
            try await time.sleep(pause)
            return true
        }
    }
}
