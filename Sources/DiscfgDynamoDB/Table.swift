import AWSClient
import DiscfgCore

/// One DynamoDB table: fills its name into requests, and translates errors.
struct Table: Sendable {
    let name: String
    let region: String
    let dynamoDB: any TableCalls
    /// Gets the units that each request consumed.
    let meter: @Sendable (ConsumedCapacity) -> Void
    let time: TimeSource

    func get(_ key: [String: AttributeValue], consistency: Consistency) async throws -> [String: AttributeValue]? {
        try await call {
            let answer = try await dynamoDB.getItem(
                GetItemRequest(
                    tableName: name, key: key, consistentRead: consistency == .strong, returnConsumedCapacity: .total))
            count(answer.consumedCapacity)
            return answer.item
        }
    }

    /// Several items, each in its current state; strongly consistent, in no particular order.
    func get(_ keys: [[String: AttributeValue]], consistency: Consistency) async throws -> [[String: AttributeValue]] {
        guard !keys.isEmpty else { return [] }
        return try await call {
            let wanted = KeysAndAttributes(keys: keys, consistentRead: consistency == .strong)
            let answer = try await dynamoDB.batchGetAll(
                BatchGetItemRequest(requestItems: [name: wanted], returnConsumedCapacity: .total))
            for capacity in answer.consumedCapacity ?? [] { meter(capacity) }
            return answer.responses?[name] ?? []
        }
    }

    /// Up to 100 items as of one moment, in the order of the keys.
    func snapshot(of keys: [[String: AttributeValue]]) async throws -> [[String: AttributeValue]?] {
        try await call {
            let gets = keys.map { TransactGetItem(get: .init(tableName: name, key: $0)) }
            let answer = try await dynamoDB.transactGetItems(
                TransactGetItemsRequest(transactItems: gets, returnConsumedCapacity: .total), retryingContention: true)
            for capacity in answer.consumedCapacity ?? [] { meter(capacity) }
            return (answer.responses ?? []).map { $0.item?.isEmpty == true ? nil : $0.item }
        }
    }

    /// One page of a partition or of the index.
    func query(_ query: PartitionQuery) async throws -> QueryResponse {
        try await call {
            let answer = try await dynamoDB.query(query.request(table: name))
            count(answer.consumedCapacity)
            return answer
        }
    }

    func put(_ item: [String: AttributeValue]) async throws {
        try await finishing {
            try await call {
                try await patiently {
                    let answer = try await dynamoDB.putItem(
                        PutItemRequest(tableName: name, item: item, returnConsumedCapacity: .total))
                    count(answer.consumedCapacity)
                }
            }
        }
    }

    /// Changes a record; returns its new attributes, or `nil` if the condition did not hold.
    func update(_ update: RecordUpdate) async throws -> [String: AttributeValue]? {
        try await tryUpdate(update).result
    }

    /// Changes a record; returns its new attributes, or `nil` if the condition did not hold.
    ///
    /// `isInDoubt` is whether the condition may have failed because of this very write, whose answer was lost.
    func tryUpdate(
        _ update: RecordUpdate
    ) async throws -> (result: [String: AttributeValue]?, isInDoubt: Bool) {
        try await conditionally {
            let answer = try await dynamoDB.updateItem(update.request(table: name))
            count(answer.consumedCapacity)
            return answer.attributes ?? [:]
        }
    }

    /// Deletes a record; `false` if the condition did not hold.
    @discardableResult
    func delete(
        _ key: [String: AttributeValue], if condition: String? = nil, names: [String: String]? = nil,
        values: [String: AttributeValue]? = nil
    ) async throws -> Bool {
        try await conditionally {
            let answer = try await dynamoDB.deleteItem(
                DeleteItemRequest(
                    tableName: name, key: key, conditionExpression: condition, expressionAttributeNames: names,
                    expressionAttributeValues: values, returnConsumedCapacity: .total))
            count(answer.consumedCapacity)
            return true
        }.result ?? false
    }

    /// The maximum number of attempts of a write that is refused only because of contention: about a second.
    private static let maximumTries = 20

    /// Writes all or nothing; tries again while only requests of others conflict.
    ///
    /// The caller gets all other answers of DynamoDB, as `AWSError`.
    /// - Parameters:
    ///   - items: The actions.
    ///   - isPassing: Whether another attempt may help although DynamoDB names other reasons too.
    /// - Throws: `AWSError`, or `CancellationError` before anything is sent.
    func transact(
        _ items: [TransactWriteItem], again isPassing: @escaping @Sendable (AWSError) -> Bool = { _ in false }
    ) async throws {
        try await finishing {
            try await patiently(again: isPassing) {
                let answer = try await dynamoDB.transactWriteItems(
                    TransactWriteItemsRequest(transactItems: items, returnConsumedCapacity: .total),
                    retryingContention: false)
                for capacity in answer.consumedCapacity ?? [] { meter(capacity) }
            }
        }
    }

    /// Carries out a write to its end in a separate task.
    ///
    /// If it were cancelled with the caller's task, its outcome would be unknown.
    func finishing<Result: Sendable>(
        _ write: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        try Task.checkCancellation()
        return try await Task(executorPreference: time.executor) { try await write() }.value
    }

    private func count(_ capacity: ConsumedCapacity?) {
        if let capacity { meter(capacity) }
    }

    private func conditionally<Result: Sendable>(
        _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> (result: Result?, isInDoubt: Bool) {
        try await finishing {
            try await call {
                do {
                    return (try await patiently(body), false)
                } catch let error as AWSError where error.code == .conditionalCheckFailed {
                    return (nil, error.mayHaveTakenEffect)
                }
            }
        }
    }

    /// Writes; tries again while only requests of others conflict: first at once, then after a pause.
    private func patiently<Result>(
        again isPassing: (AWSError) -> Bool = { _ in false }, _ body: () async throws -> Result
    ) async throws -> Result {
        var isInDoubt = false
        var attempt = 1
        while true {
            do {
                return try await body()
            } catch var error as AWSError {
                // A later answer does not resolve the doubt of an earlier attempt.
                isInDoubt = isInDoubt || error.mayHaveTakenEffect
                error.mayHaveTakenEffect = isInDoubt
                let isInTheWay = error.isContention || error.code == .transactionConflict || isPassing(error)
                guard isInTheWay, attempt < Self.maximumTries else { throw error }
                if attempt > 1 {
                    // Longer each time: a conflicting transaction may itself have to wait for others.
                    try await time.sleep(.milliseconds(time.random(in: 5...20) * min(attempt - 1, 5)))
                }
                attempt += 1
            }
        }
    }

    /// Carries out a call; throws a `DiscfgError`, or `CancellationError`.
    func call<Result>(_ body: () async throws -> Result) async throws -> Result {
        do {
            return try await body()
        } catch let error as AWSError {
            throw translate(error)
        } catch let error as DamagedRecord {
            throw damage(error)
        }
    }

    func damage(_ error: DamagedRecord) -> DiscfgError {
        DiscfgError(
            .storeUnusable, "The DynamoDB table “\(name)” holds something that discfg did not write: \(error).",
            hint: "Restore the table to a point in time before that.", cause: error)
    }
}

/// A query of a partition, in the order of its sort keys.
struct PartitionQuery: Sendable {
    var partition: String
    /// A condition on the sort key `#s`, such as `#s > :a`, and its values.
    var condition: String?
    var values: [String: AttributeValue] = [:]
    var isBackward = false
    var limit: Int?
    var consistency = Consistency.strong
    var start: [String: AttributeValue]?
    /// The attributes to return; all if it is empty.
    var attributes: [String] = []
    /// The index, and the names of its partition and sort keys.
    var index: (name: String, partition: String, sort: String)?

    func request(table: String) -> QueryRequest {
        var names = ["#p": index?.partition ?? Name.partition]
        if condition != nil { names["#s"] = index?.sort ?? Name.sort }
        for (number, attribute) in attributes.enumerated() { names["#a\(number)"] = attribute }
        let projection = attributes.indices.map { "#a\($0)" }.joined(separator: ", ")
        return QueryRequest(
            tableName: table, indexName: index?.name,
            keyConditionExpression: "#p = :p" + (condition.map { " AND \($0)" } ?? ""),
            projectionExpression: attributes.isEmpty ? nil : projection, expressionAttributeNames: names,
            expressionAttributeValues: values.merging([":p": .string(partition)]) { $1 },
            consistentRead: index == nil ? consistency == .strong : nil, scanIndexForward: isBackward ? false : nil,
            limit: limit, exclusiveStartKey: start, returnConsumedCapacity: .total)
    }
}

/// A change to one record; names are written `#name` in its expressions.
struct RecordUpdate: Sendable {
    var key: [String: AttributeValue]
    var expression: String
    var condition: String?
    var names: [String]
    var values: [String: AttributeValue] = [:]

    private var attributeNames: [String: String] {
        Dictionary(names.map { ("#" + $0, $0) }) { first, _ in first }
    }

    func request(table: String) -> UpdateItemRequest {
        UpdateItemRequest(
            tableName: table, key: key, updateExpression: expression, conditionExpression: condition,
            expressionAttributeNames: attributeNames, expressionAttributeValues: values.isEmpty ? nil : values,
            returnValues: .allNew, returnConsumedCapacity: .total)
    }

    /// The same as part of a transaction.
    func action(table: String) -> TransactWriteItem {
        .update(
            .init(
                tableName: table, key: key, updateExpression: expression, conditionExpression: condition,
                expressionAttributeNames: attributeNames, expressionAttributeValues: values.isEmpty ? nil : values,
                returnValuesOnConditionCheckFailure: .allOld))
    }
}
