import AWSClient

extension RandomRequests {
    mutating func next() -> RandomRequest {
        begin()
        switch number(below: 20) {
        case 0...3: return put()
        case 4...8: return update()
        case 9: return delete()
        case 10: return .get(.init(tableName: table, key: key(), consistentRead: true))
        case 11...14: return query()
        case 15: return scan()
        case 16: return batch()
        default: return transaction()
        }
    }

    private mutating func put() -> RandomRequest {
        let condition = chance(50) ? condition() : nil
        return .put(
            .init(
                tableName: table, item: item(), conditionExpression: condition, expressionAttributeNames: namesOrNil,
                expressionAttributeValues: valuesOrNil, returnValues: pick([nil, .allOld]),
                returnValuesOnConditionCheckFailure: pick([nil, .allOld])))
    }

    private mutating func update() -> RandomRequest {
        let text = updateExpression()
        let condition = chance(40) ? condition() : nil
        return .update(
            .init(
                tableName: table, key: key(), updateExpression: text, conditionExpression: condition,
                expressionAttributeNames: namesOrNil, expressionAttributeValues: valuesOrNil,
                returnValues: pick([nil, .allOld, .allNew, .updatedOld, .updatedNew]),
                returnValuesOnConditionCheckFailure: pick([nil, .allOld])))
    }

    private mutating func delete() -> RandomRequest {
        let condition = chance(50) ? condition() : nil
        return .delete(
            .init(
                tableName: table, key: key(), conditionExpression: condition, expressionAttributeNames: namesOrNil,
                expressionAttributeValues: valuesOrNil, returnValues: pick([nil, .allOld]),
                returnValuesOnConditionCheckFailure: pick([nil, .allOld])))
    }

    private mutating func query() -> RandomRequest {
        let byIndex = chance(40)
        var key: String
        if byIndex {
            names["#g"] = "group"
            names["#r"] = "rank"
            key =
                "#g = \(placeholder(.string(pick(["g", "h"])))) AND #r \(pick(["<", ">=", "="])) \(placeholder(.integer(2)))"
        } else {
            key = "pk = \(placeholder(.string(pick(["a", "b", "ä"]))))"
            switch number(below: 5) {
            case 0: key += " AND sk BETWEEN \(placeholder(.integer(0))) AND \(placeholder(.number("2.5")))"
            case 1, 2: key += " AND sk \(pick(["<", "<=", ">", ">=", "="])) \(placeholder(.number("1.0")))"
            default: break
            }
        }
        let filter = chance(30) ? condition(1) : nil
        let projection = chance(25) ? pick(["n, l[0]", "m.x, s", "pk"]) : nil
        return .query(
            .init(
                tableName: table, indexName: byIndex ? "ranks" : nil, keyConditionExpression: key,
                filterExpression: filter, projectionExpression: byIndex ? nil : projection,
                expressionAttributeNames: namesOrNil, expressionAttributeValues: valuesOrNil,
                scanIndexForward: pick([nil, false]), limit: pick([nil, nil, 1, 2, 3])))
    }

    private mutating func scan() -> RandomRequest {
        let filter = chance(50) ? condition() : nil
        return .scan(
            .init(
                tableName: table, indexName: pick([nil, "ranks"]), filterExpression: filter,
                expressionAttributeNames: namesOrNil, expressionAttributeValues: valuesOrNil))
    }

    private mutating func batch() -> RandomRequest {
        if chance(50) {
            return .batchGet(.init(requestItems: [table: .init(keys: (0..<3).map { _ in key() })]))
        }
        let writes: [WriteRequest] = (0..<3).map { _ in chance(60) ? .put(item()) : .delete(key()) }
        return .batchWrite(.init(requestItems: [table: writes]))
    }

    private mutating func transaction() -> RandomRequest {
        var actions: [TransactWriteItem] = []
        for _ in 0..<(1 + number(below: 3)) {
            begin()
            let failure = pick([nil, ReturnValuesOnConditionCheckFailure.allOld])
            switch number(below: 4) {
            case 0:
                let condition = chance(50) ? condition(1) : nil
                actions.append(
                    .put(
                        .init(
                            tableName: table, item: item(), conditionExpression: condition,
                            expressionAttributeNames: namesOrNil, expressionAttributeValues: valuesOrNil,
                            returnValuesOnConditionCheckFailure: failure)))
            case 1:
                let text = updateExpression()
                let condition = chance(50) ? condition(1) : nil
                actions.append(
                    .update(
                        .init(
                            tableName: table, key: key(), updateExpression: text, conditionExpression: condition,
                            expressionAttributeNames: namesOrNil, expressionAttributeValues: valuesOrNil,
                            returnValuesOnConditionCheckFailure: failure)))
            case 2:
                let condition = chance(50) ? condition(1) : nil
                actions.append(
                    .delete(
                        .init(
                            tableName: table, key: key(), conditionExpression: condition,
                            expressionAttributeNames: namesOrNil, expressionAttributeValues: valuesOrNil,
                            returnValuesOnConditionCheckFailure: failure)))
            default:
                let condition = condition(1)
                actions.append(
                    .conditionCheck(
                        .init(
                            tableName: table, key: key(), conditionExpression: condition,
                            expressionAttributeNames: namesOrNil, expressionAttributeValues: valuesOrNil,
                            returnValuesOnConditionCheckFailure: failure)))
            }
        }
        return .transaction(.init(transactItems: actions))
    }
}
