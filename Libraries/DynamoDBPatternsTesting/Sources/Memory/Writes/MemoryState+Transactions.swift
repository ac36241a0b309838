import AWSClient

extension MemoryState {
    func transactWriteItems(_ request: TransactWriteItemsRequest) throws -> TransactWriteItemsResponse {
        usage.requests["TransactWriteItems", default: 0] += 1
        let actions = request.transactItems.map { ItemAction($0) }
        let writes = try prepareTransaction(actions)
        if let token = request.clientRequestToken, try isCarriedOut(token, actions) {
            return answer(asReadAgain(writes), request.returnConsumedCapacity)
        }
        var plans: [PlannedWrite] = []
        var reasons: [TransactionFailure.Reason] = []
        for write in writes {
            do {
                plans.append(try plan(write))
                reasons.append(.none)
            } catch let failure as ConditionFailure {
                reasons.append(
                    .init(code: "ConditionalCheckFailed", message: ConditionFailure.message, item: failure.item))
            } catch let error as AWSError {
                reasons.append(.init(code: "ValidationError", message: error.message))
            }
        }
        guard plans.count == writes.count else {
            for write in writes {
                usage.writeUnits += 2 * Units.written(write.table.rows[write.position]?.size ?? 0)
            }
            throw TransactionFailure(reasons: reasons).error
        }
        let counts = try plans.map { try commit($0, weight: 2).capacity }
        if let token = request.clientRequestToken {
            remember(actions, as: token)
        }
        return answer(counts, request.returnConsumedCapacity)
    }

    private func answer(_ counts: [CapacityCount], _ wanted: ReturnConsumedCapacity?) -> TransactWriteItemsResponse {
        var response = TransactWriteItemsResponse()
        let answers = CapacityCount.sums(counts).compactMap { $0.answer(wanted, inTransaction: true) }
        response.consumedCapacity = answers.isEmpty ? nil : answers
        return response
    }

    private func prepareTransaction(_ actions: [ItemAction]) throws(AWSError) -> [PreparedWrite] {
        guard (1...100).contains(actions.count) else {
            throw .validation("Member must have length between 1 and 100, at 'transactItems'")
        }
        var seen: Set<TransactionPlace> = []
        var size = 0
        return try actions.map { action throws(AWSError) in
            let write = try prepare(action)
            size += write.put?.size ?? write.key.size + write.expressions.context.values.size
            guard size <= 4 * 1_048_576 else {
                throw .validation("Transaction request size has exceeded the maximum of 4 MB")
            }
            guard seen.insert(TransactionPlace(table: write.table.name, position: write.position)).inserted else {
                throw .validation("Transaction request cannot include multiple operations on one item")
            }
            return write
        }
    }

    private struct TransactionPlace: Hashable {
        var table: String
        var position: ItemPosition
    }

    /// Whether a transaction with this token was carried out within the last ten minutes.
    private func isCarriedOut(_ token: String, _ actions: [ItemAction]) throws(AWSError) -> Bool {
        guard (1...36).contains(token.utf8.count) else {
            throw .validation("Member must have length between 1 and 36, at 'clientRequestToken'")
        }
        guard let earlier = transaction(token) else { return false }
        guard earlier == actions else {
            throw .refused(
                "IdempotentParameterMismatchException", "The requests have the same token, and different parameters.")
        }
        return true
    }

    /// What it costs to learn that a transaction was carried out before.
    private func asReadAgain(_ writes: [PreparedWrite]) -> [CapacityCount] {
        let counts = writes.map { write in
            var count = CapacityCount(table: write.table.name, isWrite: false)
            count.own = 2 * Units.read(write.table.rows[write.position]?.size ?? 0, consistent: true)
            return count
        }
        usage.readUnits += counts.reduce(0) { $0 + $1.total }
        return counts
    }

    func transactGetItems(_ request: TransactGetItemsRequest) throws -> TransactGetItemsResponse {
        usage.requests["TransactGetItems", default: 0] += 1
        guard (1...100).contains(request.transactItems.count) else {
            throw AWSError.validation("Member must have length between 1 and 100, at 'transactItems'")
        }
        var response = TransactGetItemsResponse()
        var counts: [CapacityCount] = []
        var seen: Set<TransactionPlace> = []
        response.responses = try request.transactItems.map { element in
            let get = element.get
            let expressions = try expressions(
                names: get.expressionAttributeNames, values: nil, projection: get.projectionExpression)
            let (table, position) = try place(get.tableName, key: get.key)
            guard seen.insert(TransactionPlace(table: table.name, position: position)).inserted else {
                throw AWSError.validation("Transaction request cannot include multiple operations on one item")
            }
            let row = table.rows[position]
            var count = CapacityCount(table: table.name, isWrite: false)
            count.own = 2 * Units.read(row?.size ?? 0, consistent: true)
            counts.append(count)
            var answer = ItemResponse()
            answer.item = row.map { expressions.projection?.part(of: $0.item) ?? $0.item }
            return answer
        }
        usage.readUnits += counts.reduce(0) { $0 + $1.total }
        let answers = CapacityCount.sums(counts).compactMap {
            $0.answer(request.returnConsumedCapacity, inTransaction: true)
        }
        response.consumedCapacity = answers.isEmpty ? nil : answers
        return response
    }
}
