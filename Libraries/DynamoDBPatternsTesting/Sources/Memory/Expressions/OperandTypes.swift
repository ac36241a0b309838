import AWSClient

extension ExpressionContext {
    /// Makes sure that the values of a condition have types that its operators and functions take.
    ///
    /// - Parameters:
    ///   - tree: The condition.
    ///   - kind: What it is for.
    /// - Throws: `AWSError` with code `validation`.
    func checkTypes(of tree: ConditionTree, _ kind: ExpressionParser.Kind) throws(AWSError) {
        switch tree {
        case .and(let first, let second), .or(let first, let second):
            try checkTypes(of: first, kind)
            try checkTypes(of: second, kind)
        case .not(let inner): try checkTypes(of: inner, kind)
        case .compare(let comparator, let first, let second):
            guard comparator != .equal, comparator != .different else { return }
            for operand in [first, second] { try check(operand, ["S", "N", "B"], comparator.rawValue, kind) }
        case .between(let tested, let low, let high):
            for operand in [tested, low, high] { try check(operand, ["S", "N", "B"], "BETWEEN", kind) }
            guard let low = literal(low), let high = literal(high) else { return }
            guard low.isOrdered(with: high) else {
                throw .invalidExpression(
                    kind.rawValue, "The BETWEEN operator requires same data type for lower and upper bounds;")
            }
            guard !high.isLess(than: low) else {
                throw .invalidExpression(
                    kind.rawValue,
                    "The BETWEEN operator requires upper bound to be greater than or equal to lower bound;")
            }
        case .beginsWith(let first, let second):
            for operand in [first, second] { try check(operand, ["S", "B"], "begins_with", kind) }
        case .hasType(_, let type):
            try check(type, ["S"], "attribute_type", kind)
            guard let name = literal(type)?.string, Self.typeNames.contains(name) else {
                throw .invalidExpression(kind.rawValue, "Invalid attribute type name found;")
            }
        case .oneOf, .exists, .notExists, .contains: break
        }
    }

    private static let typeNames: Set = ["S", "N", "B", "BOOL", "NULL", "L", "M", "SS", "NS", "BS"]

    private func literal(_ operand: Operand) -> AttributeValue? {
        if case .value(let placeholder) = operand { values[placeholder] } else { nil }
    }

    private func check(
        _ operand: Operand, _ types: Set<String>, _ name: String, _ kind: ExpressionParser.Kind
    ) throws(AWSError) {
        guard let type = literal(operand)?.typeName, !types.contains(type) else { return }
        throw .invalidExpression(
            kind.rawValue,
            "Incorrect operand type for operator or function; operator or function: \(name), operand type: \(type)")
    }

    /// Makes sure that an update adds and deletes only what can be.
    func checkTypes(of update: UpdateTree) throws(AWSError) {
        for addition in update.additions { try check(addition.value, ["N", "SS", "NS", "BS"], "ADD", .update) }
        for deletion in update.deletions { try check(deletion.value, ["SS", "NS", "BS"], "DELETE", .update) }
    }
}
