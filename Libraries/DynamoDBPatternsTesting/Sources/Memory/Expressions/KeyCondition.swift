import AWSClient

/// Which items of a partition a query wants.
struct KeyCondition {
    /// A bound of the sort key, in its sortable text.
    struct Bound {
        var text: String
        var isIncluded: Bool
    }

    var partition: AttributeValue
    var low: Bound?
    var high: Bound?
    /// What the sort key begins with.
    var prefix: String?

    /// - Throws: `AWSError` for conditions that DynamoDB cannot look up.
    init(_ tree: ConditionTree, _ context: ExpressionContext, schema: KeySchema) throws(AWSError) {
        var partition: AttributeValue?
        partition = nil
        self.partition = .null
        for part in Self.parts(of: tree) {
            let (name, test) = try Self.test(part, context)
            if name == schema.partition.name, partition == nil {
                guard case .compare(.equal, let value) = test else {
                    throw .validation("Query key condition not supported")
                }
                try schema.partition.check(value)
                partition = value
            } else if let sort = schema.sort, name == sort.name, low == nil, high == nil, prefix == nil {
                try narrow(to: test, sort)
            } else {
                throw .validation("Query condition missed key schema element: \(schema.partition.name)")
            }
        }
        guard let partition else {
            throw .validation("Query condition missed key schema element: \(schema.partition.name)")
        }
        self.partition = partition
    }

    private enum Test {
        case compare(Comparator, AttributeValue)
        case between(AttributeValue, AttributeValue)
        case beginsWith(AttributeValue)
    }

    private static func parts(of tree: ConditionTree) -> [ConditionTree] {
        if case .and(let first, let second) = tree { parts(of: first) + parts(of: second) } else { [tree] }
    }

    private static func test(_ tree: ConditionTree, _ context: ExpressionContext) throws(AWSError) -> (String, Test) {
        let path: Operand
        let test: Test?
        switch tree {
        case .compare(let comparator, let operand, let value) where comparator != .different:
            path = operand
            test = context.value(of: value, in: [:]).map { .compare(comparator, $0) }
        case .between(let operand, let low, let high):
            path = operand
            let low = context.value(of: low, in: [:])
            let high = context.value(of: high, in: [:])
            if let low, let high { test = .between(low, high) } else { test = nil }
        case .beginsWith(let operand, let prefix):
            path = operand
            test = context.value(of: prefix, in: [:]).map { .beginsWith($0) }
        default: throw .invalidExpression("KeyConditionExpression", "Invalid operator used in KeyConditionExpression")
        }
        guard case .path(let path) = path, path.parts.count == 1, let test else {
            throw .validation("Query key condition not supported")
        }
        return (context.name(path.root), test)
    }

    private mutating func narrow(to test: Test, _ sort: KeyAttribute) throws(AWSError) {
        func text(_ value: AttributeValue) throws(AWSError) -> String {
            try sort.check(value)
            return value.sortableText ?? ""
        }
        switch test {
        case .compare(.equal, let value):
            low = Bound(text: try text(value), isIncluded: true)
            high = low
        case .compare(.less, let value): high = Bound(text: try text(value), isIncluded: false)
        case .compare(.atMost, let value): high = Bound(text: try text(value), isIncluded: true)
        case .compare(.greater, let value): low = Bound(text: try text(value), isIncluded: false)
        case .compare(_, let value): low = Bound(text: try text(value), isIncluded: true)
        case .between(let first, let last):
            low = Bound(text: try text(first), isIncluded: true)
            high = Bound(text: try text(last), isIncluded: true)
            if first.isLess(than: last) == false, !first.isSame(as: last) {
                throw .invalidExpression(
                    "KeyConditionExpression",
                    "The BETWEEN operator requires upper bound to be greater than or equal to lower bound;")
            }
        case .beginsWith(let value):
            if case .number = value { throw .validation("Query key condition not supported") }
            prefix = try text(value)
            low = Bound(text: prefix ?? "", isIncluded: true)
        }
    }
}

extension KeyCondition {
    /// Whether a sort key lies before all that are wanted.
    func isBelow(_ text: String) -> Bool {
        guard let low else { return false }
        return low.isIncluded ? text < low.text : text <= low.text
    }

    /// Whether a sort key lies after all that are wanted; asked only of those that are not below.
    func isAbove(_ text: String) -> Bool {
        if let prefix { return !text.utf8.starts(with: prefix.utf8) }
        guard let high else { return false }
        return high.isIncluded ? text > high.text : text >= high.text
    }
}
