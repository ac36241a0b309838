import AWSClient

/// What became of a conditional write.
enum WriteOutcome: Sendable {
    /// It was carried out; the item as it is now, where that was asked for.
    case done(StoredItem?)
    /// Its condition did not hold.
    ///
    /// - Parameters:
    ///   - item: The item that failed it; `nil` if there is none.
    ///   - inDoubt: Whether an earlier try, whose answer was lost, may have been carried out: then the item may fail
    ///     the condition because of this very write.
    case refused(item: StoredItem?, inDoubt: Bool)
}

/// What became of a transaction.
enum TransactionOutcome: Sendable {
    case done
    /// At least one condition did not hold: for each action, whether it was one of those, and its item.
    case refused([(failed: Bool, item: StoredItem?)])
}

extension PatternTable {
    /// Reads an item; strongly consistent.
    func item(_ key: ItemKey) async throws -> StoredItem? {
        try await api.getItem(GetItemRequest(tableName: name, key: key.attributes, consistentRead: true)).item
    }

    /// Reads an item of which another one says that it was written: `nil` only where it is gone again.
    ///
    /// DynamoDB commits the writes of a transaction one by one: where one is seen, `item` may not find the next one yet.
    /// So where it finds none, this reads again by a transaction, which waits for such a commit; two units more.
    func settledItem(_ key: ItemKey) async throws -> StoredItem? {
        if let item = try await item(key) { return item }
        let request = TransactGetItemsRequest(
            transactItems: [TransactGetItem(get: .init(tableName: name, key: key.attributes))])
        return try await api.transactGetItems(request, retryingContention: true).responses?.first?.item
    }

    func write(_ key: ItemKey, _ update: ItemUpdate, if condition: Condition?) -> ItemWrite {
        ItemWrite(table: name, key: key.attributes, action: .update(update), condition: condition)
    }

    func put(_ item: StoredItem, if condition: Condition?) -> ItemWrite {
        ItemWrite(table: name, key: [:], action: .put(item), condition: condition)
    }

    func delete(_ key: ItemKey, if condition: Condition?) -> ItemWrite {
        ItemWrite(table: name, key: key.attributes, action: .delete, condition: condition)
    }

    func check(_ key: ItemKey, _ condition: Condition) -> ItemWrite {
        ItemWrite(table: name, key: key.attributes, action: .check(condition), condition: nil)
    }

    /// Carries out one write; `returningNew` brings the item along as it is after an update.
    func carryOut(_ write: ItemWrite, returningNew: Bool = false) async throws -> WriteOutcome {
        try await api.carryOut(write, returningNew: returningNew, clock: clock)
    }

    /// Carries out up to 100 writes, all or none.
    ///
    /// Contention with others is waited out; what DynamoDB refuses for another reason is thrown, and
    /// `PatternError.invalidArgument` for more writes than it takes.
    func carryOut(_ writes: [ItemWrite], with others: [TransactWriteItem] = []) async throws -> TransactionOutcome {
        try await api.carryOut(writes, with: others)
    }
}

extension DynamoDBAPI {
    /// Carries out up to 100 writes, all or none, and once for each token; see `PatternTable.carryOut`.
    func carryOut(
        _ writes: [ItemWrite], with others: [TransactWriteItem] = [], token: String? = nil
    ) async throws -> TransactionOutcome {
        guard writes.count + others.count <= 100 else {
            throw PatternError(
                .invalidArgument, "A transaction of \(writes.count + others.count) writes is too large.",
                hint: "It takes 100, \(writes.count) of which are the pattern's own.")
        }
        let request = TransactWriteItemsRequest(
            transactItems: writes.map(\.transactItem) + others, clientRequestToken: token)
        do {
            _ = try await transactWriteItems(request, retryingContention: true)
            return .done
        } catch let error as AWSError where error.code == .transactionCanceled {
            let reasons = error.cancellationReasons
            guard reasons.contains(where: { $0.code == "ConditionalCheckFailed" }) else { throw error }
            return .refused(reasons.map { ($0.code == "ConditionalCheckFailed", $0.item) })
        }
    }

    /// Carries out one write; see `PatternTable.carryOut`.
    func carryOut(
        _ write: ItemWrite, returningNew: Bool = false, clock: PatternClock
    ) async throws -> WriteOutcome {
        var tries = 1
        var isInDoubt = false
        while true {
            do {
                return .done(try await send(write, returningNew: returningNew))
            } catch let error as AWSError where error.code == .conditionalCheckFailed {
                return .refused(item: error.conditionCheckFailedItem, inDoubt: isInDoubt || error.mayHaveTakenEffect)
            } catch let error as AWSError where error.code == .transactionConflict && tries < 10 {
                // Somebody's transaction with this item is under way; this try has written nothing.
                isInDoubt = isInDoubt || error.mayHaveTakenEffect
                try await clock.sleep(.conflictBackoff(tries, clock))
                tries += 1
            } catch var error as AWSError {
                // Of an earlier try whose answer was lost, this one's error says nothing.
                error.mayHaveTakenEffect = error.mayHaveTakenEffect || isInDoubt
                throw error
            }
        }
    }

    private func send(_ write: ItemWrite, returningNew: Bool) async throws -> StoredItem? {
        switch write.transactItem {
        case .put(let put):
            _ = try await putItem(
                PutItemRequest(
                    tableName: put.tableName, item: put.item, conditionExpression: put.conditionExpression,
                    expressionAttributeNames: put.expressionAttributeNames,
                    expressionAttributeValues: put.expressionAttributeValues,
                    returnValuesOnConditionCheckFailure: put.conditionExpression == nil ? nil : .allOld))
            return nil
        case .update(let update):
            return try await updateItem(
                UpdateItemRequest(
                    tableName: update.tableName, key: update.key, updateExpression: update.updateExpression,
                    conditionExpression: update.conditionExpression,
                    expressionAttributeNames: update.expressionAttributeNames,
                    expressionAttributeValues: update.expressionAttributeValues,
                    returnValues: returningNew ? .allNew : nil,
                    returnValuesOnConditionCheckFailure: update.conditionExpression == nil ? nil : .allOld)
            ).attributes
        case .delete(let delete):
            _ = try await deleteItem(
                DeleteItemRequest(
                    tableName: delete.tableName, key: delete.key, conditionExpression: delete.conditionExpression,
                    expressionAttributeNames: delete.expressionAttributeNames,
                    expressionAttributeValues: delete.expressionAttributeValues,
                    returnValuesOnConditionCheckFailure: delete.conditionExpression == nil ? nil : .allOld))
            return nil
        case .conditionCheck:
            throw PatternError(.invalidArgument, "A condition can be checked in a transaction only.")
        }
    }
}
