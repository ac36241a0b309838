import AWSClient

extension ExpressionParser {
    /// Conditions with `OR` between them, which binds least.
    mutating func disjunction() throws(AWSError) -> ConditionTree {
        var tree = try conjunction()
        while take(keyword: "OR") { tree = .or(tree, try conjunction()) }
        return tree
    }

    private mutating func conjunction() throws(AWSError) -> ConditionTree {
        var tree = try negation()
        while take(keyword: "AND") { tree = .and(tree, try negation()) }
        return tree
    }

    private mutating func negation() throws(AWSError) -> ConditionTree {
        if take(keyword: "NOT") { return .not(try negation()) }
        if take("(") {
            let tree = try disjunction()
            try expect(")")
            return tree
        }
        return try test()
    }

    private static let functions: Set = [
        "attribute_exists", "attribute_not_exists", "attribute_type", "begins_with", "contains", "size",
    ]

    private mutating func test() throws(AWSError) -> ConditionTree {
        let start = self
        guard let name = try function(Self.functions), name != "size" else {
            self = start
            return try comparison()
        }
        let tree: ConditionTree
        switch name {
        case "attribute_exists": tree = .exists(try path())
        case "attribute_not_exists": tree = .notExists(try path())
        case "attribute_type":
            let path = try path()
            try expect(",")
            tree = .hasType(path, try operand())
        default:
            let first = try operand()
            try expect(",")
            let second = try operand()
            tree = name == "contains" ? .contains(first, second) : .beginsWith(first, second)
        }
        try expect(")")
        return tree
    }

    private mutating func comparison() throws(AWSError) -> ConditionTree {
        let first = try operand()
        if take(keyword: "BETWEEN") {
            let low = try operand()
            guard take(keyword: "AND") else { throw syntaxError }
            return .between(first, low, try operand())
        }
        if take(keyword: "IN") {
            try expect("(")
            let choices = try separated { parser throws(AWSError) in try parser.operand() }
            try expect(")")
            guard choices.count <= 100 else {
                throw .invalidExpression(kind.rawValue, "The IN operator is provided with too many operands;")
            }
            return .oneOf(first, choices)
        }
        guard case .sign(let sign) = current, let comparator = Comparator(rawValue: sign) else { throw syntaxError }
        advance()
        return .compare(comparator, first, try operand())
    }
}
