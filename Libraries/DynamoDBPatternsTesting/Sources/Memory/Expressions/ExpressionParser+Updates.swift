import AWSClient

extension ExpressionParser {
    /// The clauses of an update, each at most once, in any order.
    mutating func update() throws(AWSError) -> UpdateTree {
        var tree = UpdateTree()
        var seen: Set<String> = []
        while current != .end {
            guard let clause = ["SET", "REMOVE", "ADD", "DELETE"].first(where: { take(keyword: $0) }) else {
                throw syntaxError
            }
            guard seen.insert(clause).inserted else {
                throw .invalidExpression(
                    kind.rawValue, "The \"\(clause)\" section can only be used once in an update expression;")
            }
            switch clause {
            case "SET":
                tree.sets = try separated { parser throws(AWSError) in
                    let path = try parser.path()
                    try parser.expect("=")
                    return (path, try parser.sum())
                }
            case "REMOVE": tree.removals = try separated { parser throws(AWSError) in try parser.path() }
            case "ADD": tree.additions = try changes()
            default: tree.deletions = try changes()
            }
        }
        return tree
    }

    private mutating func changes() throws(AWSError) -> [(path: DocumentPath, value: Operand)] {
        try separated { parser throws(AWSError) in
            let path = try parser.path()
            guard case .value = parser.current else { throw parser.syntaxError }
            return (path, try parser.operand())
        }
    }

    private mutating func sum() throws(AWSError) -> UpdateOperand {
        let first = try updateOperand()
        if take("+") { return .plus(first, try updateOperand()) }
        if take("-") { return .minus(first, try updateOperand()) }
        return first
    }

    private mutating func updateOperand() throws(AWSError) -> UpdateOperand {
        if take("(") {
            let inner = try sum()
            try expect(")")
            return inner
        }
        guard let function = try function(["if_not_exists", "list_append"]) else { return .operand(try operand()) }
        let operand: UpdateOperand
        if function == "if_not_exists" {
            let path = try path()
            try expect(",")
            operand = .ifNotExists(path, try updateOperand())
        } else {
            let first = try updateOperand()
            try expect(",")
            operand = .listAppend(first, try updateOperand())
        }
        try expect(")")
        return operand
    }
}
