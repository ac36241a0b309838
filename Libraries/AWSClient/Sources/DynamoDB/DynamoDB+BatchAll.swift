extension DynamoDB {
    /// How often a batch is asked for again without getting any further.
    private static let maximumIdleRounds = 8

    /// Reads any number of items, 100 at a time, and asks again for those that DynamoDB left out.
    ///
    /// - Parameter request: Which items of which tables; no key twice.
    /// - Returns: The items of each table in no order, what it cost, and no unprocessed keys.
    /// - Throws: `AWSError`; with code `unprocessed` when DynamoDB keeps leaving items out.
    public func batchGetAll(_ request: BatchGetItemRequest) async throws -> BatchGetItemResponse {
        var result = BatchGetItemResponse()
        result.responses = [:]
        let keys = request.requestItems.flatMap { table, wanted in wanted.keys.map { (table: table, element: $0) } }
        try await rounds(of: keys, size: 100, operation: "BatchGetItem", isWrite: false) { batch in
            var part = request
            part.requestItems = Dictionary(grouping: batch, by: \.table).mapValues { $0.map(\.element) }
                .reduce(into: [:]) { items, entry in
                    items[entry.key] = request.requestItems[entry.key]
                    items[entry.key]?.keys = entry.value
                }
            let answer = try await batchGetItem(part)
            result.responses?.merge(answer.responses ?? [:]) { $0 + $1 }
            if let cost = answer.consumedCapacity { result.consumedCapacity = (result.consumedCapacity ?? []) + cost }
            return (answer.unprocessedKeys ?? [:]).flatMap { table, left in
                left.keys.map { (table: table, element: $0) }
            }
        }
        return result
    }

    /// Writes any number of items, 25 at a time, and asks again for those that DynamoDB left out.
    ///
    /// - Parameter request: What to write to which tables; no key twice.
    /// - Returns: What it cost, and no unprocessed items.
    /// - Throws: `AWSError`; with code `unprocessed` when DynamoDB keeps leaving items out. Some may have been written.
    public func batchWriteAll(_ request: BatchWriteItemRequest) async throws -> BatchWriteItemResponse {
        var result = BatchWriteItemResponse()
        let writes = request.requestItems.flatMap { table, writes in writes.map { (table: table, element: $0) } }
        try await rounds(of: writes, size: 25, operation: "BatchWriteItem", isWrite: true) { batch in
            var part = request
            part.requestItems = Dictionary(grouping: batch, by: \.table).mapValues { $0.map(\.element) }
            let answer = try await batchWriteItem(part)
            if let cost = answer.consumedCapacity { result.consumedCapacity = (result.consumedCapacity ?? []) + cost }
            return (answer.unprocessedItems ?? [:]).flatMap { table, left in left.map { (table: table, element: $0) } }
        }
        return result
    }

    /// Sends batches until nothing is left, with pauses after those that were not done whole.
    private func rounds<Element>(
        of elements: [(table: String, element: Element)], size: Int, operation: String, isWrite: Bool,
        send: ([(table: String, element: Element)]) async throws -> [(table: String, element: Element)]
    ) async throws {
        var pending = elements[...]
        var isPartlyDone = false
        var idleRounds = 0
        while !pending.isEmpty {
            let batch = Array(pending.prefix(size))
            let left: [(table: String, element: Element)]
            do {
                left = try await send(batch)
            } catch var error as AWSError {
                error.mayHaveTakenEffect = error.mayHaveTakenEffect || isWrite && isPartlyDone
                throw error
            }
            pending = pending.dropFirst(batch.count) + left
            isPartlyDone = isPartlyDone || left.count < batch.count
            guard !left.isEmpty else { continue }
            idleRounds = left.count < batch.count ? 0 : idleRounds + 1
            try await pauseBatch(
                idleRounds: idleRounds, operation: operation, mayHaveTakenEffect: isWrite && isPartlyDone)
        }
    }

    private func pauseBatch(idleRounds: Int, operation: String, mayHaveTakenEffect: Bool) async throws {
        let time = client.options.time
        let pause = client.options.retry.pause(
            afterAttempt: idleRounds, isThrottled: idleRounds > 0, retryAfter: nil, random: time.random())
        let isLate = AWSClient.deadline.map { time.instant() + pause >= $0 } ?? false
        guard idleRounds < Self.maximumIdleRounds, !isLate else {
            throw AWSError(
                .unprocessed, "\(operation) leaves out the rest of a batch again and again.",
                hint: "The table is throttled; raise its throughput, or write more slowly.",
                mayHaveTakenEffect: mayHaveTakenEffect)
        }
        try await time.sleep(pause)
    }
}
