import AWSClient

extension ExpressionContext {
    /// Whether a condition holds for an item; of one that does not exist, no attribute does.
    func holds(_ tree: ConditionTree, for item: Item) -> Bool {
        switch tree {
        case .and(let first, let second): return holds(first, for: item) && holds(second, for: item)
        case .or(let first, let second): return holds(first, for: item) || holds(second, for: item)
        case .not(let inner): return !holds(inner, for: item)
        case .exists(let path): return value(at: path, of: item) != nil
        case .notExists(let path): return value(at: path, of: item) == nil
        case .hasType(let path, let type):
            return value(at: path, of: item)?.typeName == value(of: type, in: item)?.string
        case .compare(let comparator, let first, let second):
            return compare(comparator, value(of: first, in: item), value(of: second, in: item))
        case .between(let operand, let low, let high):
            let tested = value(of: operand, in: item)
            return compare(.atLeast, tested, value(of: low, in: item))
                && compare(.atMost, tested, value(of: high, in: item))
        case .oneOf(let operand, let choices):
            let tested = value(of: operand, in: item)
            for choice in choices where compare(.equal, tested, value(of: choice, in: item)) { return true }
            return false
        case .beginsWith(let operand, let prefix):
            return switch (value(of: operand, in: item), value(of: prefix, in: item)) {
            case (.string(let text), .string(let prefix)): text.utf8.starts(with: prefix.utf8)
            case (.binary(let bytes), .binary(let prefix)): bytes.starts(with: prefix)
            default: false
            }
        case .contains(let operand, let part):
            guard let whole = value(of: operand, in: item), let part = value(of: part, in: item) else {
                return false
            }
            return Self.contains(whole, part)
        }
    }

    private func compare(_ comparator: Comparator, _ first: AttributeValue?, _ second: AttributeValue?) -> Bool {
        guard let first, let second else { return comparator == .different && (first != nil || second != nil) }
        switch comparator {
        case .equal: return first.isSame(as: second)
        case .different: return !first.isSame(as: second)
        case .less: return first.isLess(than: second)
        case .greater: return second.isLess(than: first)
        case .atMost: return first.isOrdered(with: second) && !second.isLess(than: first)
        case .atLeast: return first.isOrdered(with: second) && !first.isLess(than: second)
        }
    }

    private static func contains(_ whole: AttributeValue, _ part: AttributeValue) -> Bool {
        switch (whole, part) {
        case (.string(let text), .string(let part)): Array(text.utf8).holds(Array(part.utf8))
        case (.binary(let bytes), .binary(let part)): bytes.holds(part)
        case (.list(let elements), _): elements.contains { $0.isSame(as: part) }
        case (.stringSet(let elements), .string(let part)): elements.contains { $0.isSame(as: part) }
        case (.numberSet(let elements), .number(let part)): elements.contains(part)
        case (.binarySet(let elements), .binary(let part)): elements.contains(part)
        default: false
        }
    }
}

extension AttributeValue {
    /// Whether two values in the one way to write them are equal; strings by their bytes.
    func isSame(as other: AttributeValue) -> Bool {
        if case .string(let text) = self, case .string(let other) = other { return text.isSame(as: other) }
        return self == other
    }

    /// Whether values of these types have an order, which only strings, numbers and bytes have.
    func isOrdered(with other: AttributeValue) -> Bool {
        switch (self, other) {
        case (.string, .string), (.number, .number), (.binary, .binary): true
        default: false
        }
    }

    /// Whether it comes before another one of its type.
    func isLess(than other: AttributeValue) -> Bool {
        if case .number(let digits) = self, case .number(let other) = other { return Numbers.isLess(digits, other) }
        guard isOrdered(with: other), let text = sortableText, let other = other.sortableText else { return false }
        return text < other
    }
}

extension String {
    /// Whether two strings have the same bytes: Unicode calls more than that equal, DynamoDB does not.
    fileprivate func isSame(as other: String) -> Bool {
        self == other && (utf8.count == utf16.count || utf8.elementsEqual(other.utf8))
    }
}

extension [UInt8] {
    fileprivate func holds(_ part: [UInt8]) -> Bool {
        guard part.count <= count else { return false }
        return (0...(count - part.count)).contains { self[$0...].starts(with: part) }
    }
}
