/// Sends any number of items in batches, and what a batch left out again, after a pause.
package struct BatchRounds: Sendable {
    /// How often a batch is asked for again without getting any further.
    private static let maximumIdleRounds = 8

    /// Pauses before what was left out is asked for again.
    ///
    /// Called with how many rounds in a row got no further; returns `false` if there is no time for another round.
    private let pause: @Sendable (Int) async throws -> Bool

    package init(pause: @escaping @Sendable (Int) async throws -> Bool) { self.pause = pause }

    /// Reads items, 100 at a time.
    ///
    /// - Parameters:
    ///   - request: Which items of which tables; no key twice.
    ///   - send: Reads one batch.
    /// - Returns: The items of each table in no order, what it cost, and no unprocessed keys.
    /// - Throws: `AWSError`; with code `unprocessed` when DynamoDB keeps leaving items out.
    package func read(
        _ request: BatchGetItemRequest, _ send: (BatchGetItemRequest) async throws -> BatchGetItemResponse
    ) async throws -> BatchGetItemResponse {
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
            let answer = try await send(part)
            result.responses?.merge(answer.responses ?? [:]) { $0 + $1 }
            if let cost = answer.consumedCapacity { result.consumedCapacity = (result.consumedCapacity ?? []) + cost }
            return (answer.unprocessedKeys ?? [:]).flatMap { table, left in
                left.keys.map { (table: table, element: $0) }
            }
        }
        return result
    }

    /// Writes items, 25 at a time.
    ///
    /// - Parameters:
    ///   - request: What to write to which tables; no key twice.
    ///   - send: Writes one batch.
    /// - Returns: What it cost, and no unprocessed items.
    /// - Throws: `AWSError`; with code `unprocessed` when DynamoDB keeps leaving items out. Some may have been written.
    package func write(
        _ request: BatchWriteItemRequest, _ send: (BatchWriteItemRequest) async throws -> BatchWriteItemResponse
    ) async throws -> BatchWriteItemResponse {
        var result = BatchWriteItemResponse()
        let writes = request.requestItems.flatMap { table, writes in writes.map { (table: table, element: $0) } }
        try await rounds(of: writes, size: 25, operation: "BatchWriteItem", isWrite: true) { batch in
            var part = request
            part.requestItems = Dictionary(grouping: batch, by: \.table).mapValues { $0.map(\.element) }
            let answer = try await send(part)
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
            guard idleRounds < Self.maximumIdleRounds, try await pause(idleRounds) else {
                throw AWSError(
                    .unprocessed, "\(operation) leaves out the rest of a batch again and again.",
                    hint: "The table is throttled; raise its throughput, or write more slowly.",
                    mayHaveTakenEffect: isWrite && isPartlyDone)
            }
        }
    }
}
