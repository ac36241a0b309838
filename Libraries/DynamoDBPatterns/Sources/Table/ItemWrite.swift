import AWSClient

/// One conditional write of one item, put together part by part; alone or as an action of a transaction.
///
/// A refused write brings the item along that stood in its way.
struct ItemWrite: Sendable {
    enum Action: Sendable {
        case put(StoredItem)
        case update(ItemUpdate)
        case delete
        /// Changes nothing; a transaction fails unless this holds.
        case check(Condition)
    }

    var table: String
    var key: StoredItem
    var action: Action
    var condition: Condition?

    /// As an action of a transaction.
    var transactItem: TransactWriteItem {
        var holders = Placeholders()
        switch action {
        case .put(let item):
            let condition = condition.map { holders.text(of: $0) }
            return .put(
                .init(
                    tableName: table, item: item, conditionExpression: condition,
                    expressionAttributeNames: holders.namesOrNil, expressionAttributeValues: holders.valuesOrNil,
                    returnValuesOnConditionCheckFailure: .allOld))
        case .update(let update):
            let text = update.text(&holders)
            let condition = condition.map { holders.text(of: $0) }
            return .update(
                .init(
                    tableName: table, key: key, updateExpression: text, conditionExpression: condition,
                    expressionAttributeNames: holders.namesOrNil, expressionAttributeValues: holders.valuesOrNil,
                    returnValuesOnConditionCheckFailure: .allOld))
        case .delete:
            let condition = condition.map { holders.text(of: $0) }
            return .delete(
                .init(
                    tableName: table, key: key, conditionExpression: condition,
                    expressionAttributeNames: holders.namesOrNil, expressionAttributeValues: holders.valuesOrNil,
                    returnValuesOnConditionCheckFailure: .allOld))
        case .check(let condition):
            let condition = holders.text(of: condition)
            return .conditionCheck(
                .init(
                    tableName: table, key: key, conditionExpression: condition,
                    expressionAttributeNames: holders.namesOrNil, expressionAttributeValues: holders.valuesOrNil,
                    returnValuesOnConditionCheckFailure: .allOld))
        }
    }
}

/// The changes of an update, in the order in which they were named.
struct ItemUpdate: Sendable {
    private enum Value: Sendable {
        case value(AttributeValue)
        case ifAbsent(AttributeValue)
        case attribute(String)
    }

    private var sets: [(name: String, value: Value)] = []
    private var removals: [String] = []
    private var increments: [(name: String, by: Int64)] = []

    init() {}

    /// Gives an attribute a value.
    mutating func set(_ name: String, _ value: AttributeValue) { sets.append((name, .value(value))) }

    /// Gives an attribute a value where it has none.
    mutating func setIfAbsent(_ name: String, _ value: AttributeValue) { sets.append((name, .ifAbsent(value))) }

    /// Gives an attribute the value that another one has.
    mutating func copy(_ other: String, to name: String) { sets.append((name, .attribute(other))) }

    mutating func remove(_ name: String) { removals.append(name) }

    /// Adds to a number; an attribute that is not there is 0.
    mutating func increment(_ name: String, by amount: Int64 = 1) { increments.append((name, amount)) }

    /// The update as DynamoDB reads it.
    func text(_ holders: inout Placeholders) -> String {
        var clauses: [String] = []
        var parts: [String] = []
        for (name, value) in sets {
            let name = holders.name(name)
            switch value {
            case .value(let value): parts.append("\(name) = \(holders.value(value))")
            case .attribute(let other): parts.append("\(name) = \(holders.name(other))")
            case .ifAbsent(let value): parts.append("\(name) = if_not_exists(\(name), \(holders.value(value)))")
            }
        }
        if !parts.isEmpty { clauses.append("SET " + parts.joined(separator: ", ")) }
        if !removals.isEmpty {
            clauses.append("REMOVE " + removals.map { holders.name($0) }.joined(separator: ", "))
        }
        if !increments.isEmpty {
            let texts = increments.map { "\(holders.name($0.name)) \(holders.value(.integer($0.by)))" }
            clauses.append("ADD " + texts.joined(separator: ", "))
        }
        return clauses.joined(separator: " ")
    }
}
