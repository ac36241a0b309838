import AWSClient

extension MemoryState {
    func batchWriteItem(_ request: BatchWriteItemRequest) throws -> BatchWriteItemResponse {
        usage.requests["BatchWriteItem", default: 0] += 1
        let actions = request.requestItems.sorted { $0.key < $1.key }.flatMap { table, writes in
            writes.map { ItemAction($0, table: table) }
        }
        guard (1...25).contains(actions.count), request.requestItems.values.allSatisfy({ !$0.isEmpty }) else {
            throw AWSError.validation("Too many items requested for the BatchWriteItem call")
        }
        var seen: [String: Set<ItemPosition>] = [:]
        let writes = try actions.map { action in
            let write = try prepare(action)
            guard seen[write.table.name, default: []].insert(write.position).inserted else {
                throw AWSError.validation("Provided list of item keys contains duplicates")
            }
            return write
        }
        // All are found to be right before the first is carried out.
        let plans = try writes.map { try plan($0) }
        let counts = try plans.map { try commit($0, weight: 1).capacity }
        var response = BatchWriteItemResponse()
        response.unprocessedItems = [:]
        let answers = CapacityCount.sums(counts).compactMap { $0.answer(request.returnConsumedCapacity) }
        response.consumedCapacity = answers.isEmpty ? nil : answers
        return response
    }
}
