import AWSClient

extension MemoryState {
    /// The place of a request's key.
    func place(_ name: String, key: Item) throws(AWSError) -> (table: MemoryTable, position: ItemPosition) {
        let table = try table(name)
        try table.schema.checkExact(key)
        return (table, try table.schema.position(of: try key.canonical()))
    }

    func getItem(_ request: GetItemRequest) throws -> GetItemResponse {
        usage.requests["GetItem", default: 0] += 1
        let expressions = try expressions(
            names: request.expressionAttributeNames, values: nil, projection: request.projectionExpression)
        let (table, position) = try place(request.tableName, key: request.key)
        let row = table.rows[position]
        var count = CapacityCount(table: table.name, isWrite: false)
        count.own = Units.read(row?.size ?? 0, consistent: request.consistentRead == true)
        usage.readUnits += count.own
        var response = GetItemResponse()
        response.item = row.map { expressions.projection?.part(of: $0.item) ?? $0.item }
        response.consumedCapacity = count.answer(request.returnConsumedCapacity)
        return response
    }

    func batchGetItem(_ request: BatchGetItemRequest) throws -> BatchGetItemResponse {
        usage.requests["BatchGetItem", default: 0] += 1
        let keys = request.requestItems.values.reduce(0) { $0 + $1.keys.count }
        guard (1...100).contains(keys), request.requestItems.values.allSatisfy({ !$0.keys.isEmpty }) else {
            throw AWSError.validation("Too many items requested for the BatchGetItem call")
        }
        var response = BatchGetItemResponse()
        var responses: [String: [Item]] = [:]
        var counts: [CapacityCount] = []
        for (name, wanted) in request.requestItems.sorted(by: { $0.key < $1.key }) {
            let expressions = try expressions(
                names: wanted.expressionAttributeNames, values: nil, projection: wanted.projectionExpression)
            let places = try wanted.keys.map { try place(name, key: $0) }
            guard Set(places.map(\.position)).count == places.count else {
                throw AWSError.validation("Provided list of item keys contains duplicates")
            }
            var count = CapacityCount(table: try table(name).name, isWrite: false)
            responses[name] = places.compactMap { table, position in
                let row = table.rows[position]
                count.own += Units.read(row?.size ?? 0, consistent: wanted.consistentRead == true)
                return row.map { expressions.projection?.part(of: $0.item) ?? $0.item }
            }
            counts.append(count)
        }
        usage.readUnits += counts.reduce(0) { $0 + $1.total }
        response.responses = responses
        response.unprocessedKeys = [:]
        let answers = counts.compactMap { $0.answer(request.returnConsumedCapacity) }
        response.consumedCapacity = answers.isEmpty ? nil : answers
        return response
    }
}
