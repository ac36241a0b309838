import AWSClient

extension ExpressionContext {
    /// The item after an update, all values of which are taken from the item as it was before.
    ///
    /// - Parameters:
    ///   - tree: The update.
    ///   - before: The item before; with its key alone where there was none.
    /// - Returns: The item after.
    /// - Throws: `AWSError` if a value is of the wrong type or a path leads nowhere.
    func apply(_ tree: UpdateTree, to before: Item) throws(AWSError) -> Item {
        var item = before
        var sets: [(DocumentPath, AttributeValue)] = []
        for (path, operand) in tree.sets {
            guard let value = try value(of: operand, in: before) else {
                throw .validation(
                    "The provided expression refers to an attribute that does not exist in the item")
            }
            sets.append((resolve(path), value))
        }
        // Elements beyond a list's end are appended in the order of their indexes.
        for (path, value) in sets.sorted(by: { $0.0.lastIndex < $1.0.lastIndex }) {
            try item.set(path, value)
        }
        for (path, operand) in tree.additions {
            let added = value(of: operand, in: before)
            let path = resolve(path)
            try item.set(path, try Self.sum(value(at: path, of: before), added))
        }
        for (path, operand) in tree.deletions {
            let path = resolve(path)
            let taken = value(of: operand, in: before)
            guard let old = value(at: path, of: before) else { continue }
            if let rest = try Self.difference(old, taken) { try item.set(path, rest) } else { try item.remove(path) }
        }
        // From the last element on, so that the indexes of the others stay what they are.
        for path in tree.removals.map(resolve).sorted(by: { $0.lastIndex > $1.lastIndex }) { try item.remove(path) }
        return item
    }

    private func value(of operand: UpdateOperand, in item: Item) throws(AWSError) -> AttributeValue? {
        switch operand {
        case .operand(let operand): return value(of: operand, in: item)
        case .ifNotExists(let path, let operand):
            if let value = value(at: path, of: item) { return value }
            return try value(of: operand, in: item)
        case .listAppend(let first, let second):
            guard let first = try value(of: first, in: item), let second = try value(of: second, in: item) else {
                return nil
            }
            guard let first = first.list, let second = second.list else { throw Self.wrongType }
            return .list(first + second)
        case .plus(let first, let second):
            guard let (first, second) = try numbers(first, second, item) else { return nil }
            return .number(try Numbers.sum(first, second))
        case .minus(let first, let second):
            guard let (first, second) = try numbers(first, second, item) else { return nil }
            return .number(try Numbers.difference(first, second))
        }
    }

    private func numbers(
        _ first: UpdateOperand, _ second: UpdateOperand, _ item: Item
    ) throws(AWSError) -> (String, String)? {
        guard let first = try value(of: first, in: item), let second = try value(of: second, in: item) else {
            return nil
        }
        guard let first = first.number, let second = second.number else { throw Self.wrongType }
        return (first, second)
    }

    private static let wrongType = AWSError.validation(
        "An operand in the update expression has an incorrect data type")

    private static func sum(_ old: AttributeValue?, _ added: AttributeValue?) throws(AWSError) -> AttributeValue {
        switch (old, added) {
        case (nil, .number?), (nil, .stringSet?), (nil, .numberSet?), (nil, .binarySet?): return added ?? .null
        case (.number(let old)?, .number(let added)?): return .number(try Numbers.sum(old, added))
        case (.stringSet(let old)?, .stringSet(let added)?):
            return try AttributeValue.stringSet(old + added.filter { !old.contains($0) }).canonical()
        case (.numberSet(let old)?, .numberSet(let added)?):
            return try AttributeValue.numberSet(old + added.filter { !old.contains($0) }).canonical()
        case (.binarySet(let old)?, .binarySet(let added)?):
            return try AttributeValue.binarySet(old + added.filter { !old.contains($0) }).canonical()
        default: throw wrongType
        }
    }

    /// What is left of a set; `nil` for nothing, since there are no empty sets.
    private static func difference(_ old: AttributeValue, _ taken: AttributeValue?) throws(AWSError) -> AttributeValue?
    {
        switch (old, taken) {
        case (.stringSet(let old), .stringSet(let taken)?):
            let rest = old.filter { !taken.contains($0) }
            return rest.isEmpty ? nil : .stringSet(rest)
        case (.numberSet(let old), .numberSet(let taken)?):
            let rest = old.filter { !taken.contains($0) }
            return rest.isEmpty ? nil : .numberSet(rest)
        case (.binarySet(let old), .binarySet(let taken)?):
            let rest = old.filter { !taken.contains($0) }
            return rest.isEmpty ? nil : .binarySet(rest)
        default: throw wrongType
        }
    }
}
