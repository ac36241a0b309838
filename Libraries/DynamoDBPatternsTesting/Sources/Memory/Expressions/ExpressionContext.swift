import AWSClient

/// What the placeholders of one request stand for.
struct ExpressionContext: Sendable, Hashable {
    var names: [String: String]
    var values: [String: AttributeValue]

    /// - Throws: `AWSError` for values that DynamoDB refuses.
    init(names: [String: String]?, values: [String: AttributeValue]?) throws(AWSError) {
        if names?.isEmpty == true { throw .validation("ExpressionAttributeNames must not be empty") }
        if values?.isEmpty == true { throw .validation("ExpressionAttributeValues must not be empty") }
        self.names = names ?? [:]
        self.values = try (values ?? [:]).canonical()
    }

    /// Makes sure that each placeholder stands for something, and that none is left over.
    ///
    /// - Parameter expressions: All expressions of the request, each with its kind.
    /// - Throws: `AWSError` with code `validation`.
    func check(_ expressions: [(ExpressionParser.Kind, ParsedExpression)]) throws(AWSError) {
        var usedNames = 0
        var usedValues = 0
        var seen: Set<String> = []
        for (kind, expression) in expressions {
            for name in expression.names {
                guard names[name] != nil else {
                    throw .invalidExpression(
                        kind.rawValue,
                        "An expression attribute name used in the document path is not defined; attribute name: \(name)"
                    )
                }
                if expressions.count == 1 || seen.insert(name).inserted { usedNames += 1 }
            }
            for value in expression.values {
                guard values[value] != nil else {
                    throw .invalidExpression(
                        kind.rawValue,
                        "An expression attribute value used in expression is not defined; attribute value: \(value)")
                }
                if expressions.count == 1 || seen.insert(value).inserted { usedValues += 1 }
            }
        }
        guard !expressions.isEmpty || (names.isEmpty && values.isEmpty) else {
            throw .validation("ExpressionAttributeNames can only be specified when using expressions")
        }
        guard usedNames == names.count else {
            throw .validation("Value provided in ExpressionAttributeNames unused in expressions")
        }
        guard usedValues == values.count else {
            throw .validation("Value provided in ExpressionAttributeValues unused in expressions")
        }
    }

    /// An attribute's name, which may stand there as a placeholder.
    func name(_ text: String) -> String { names[text] ?? text }

    /// The path with the names that its placeholders stand for.
    func resolve(_ path: DocumentPath) -> DocumentPath {
        if names.isEmpty { return path }
        return DocumentPath(
            parts: path.parts.map { part in
                if case .name(let text) = part { .name(name(text)) } else { part }
            })
    }

    /// What is at a place of an item; `nil` for nothing.
    func value(at path: DocumentPath, of item: Item) -> AttributeValue? {
        guard case .name(let first) = path.parts[0], var value = item[name(first)] else { return nil }
        for part in path.parts.dropFirst() {
            switch (part, value) {
            case (.name(let text), .map(let members)):
                guard let member = members[name(text)] else { return nil }
                value = member
            case (.index(let index), .list(let elements)):
                guard elements.indices.contains(index) else { return nil }
                value = elements[index]
            default: return nil
            }
        }
        return value
    }

    /// What an operand comes to; `nil` if there is no such attribute.
    func value(of operand: Operand, in item: Item) -> AttributeValue? {
        switch operand {
        case .path(let path): return value(at: path, of: item)
        case .value(let placeholder): return values[placeholder]
        case .size(let operand):
            switch value(of: operand, in: item) {
            case nil: return nil
            case .string(let text): return .integer(text.utf8.count)
            case .binary(let bytes): return .integer(bytes.count)
            case .list(let elements): return .integer(elements.count)
            case .map(let members): return .integer(members.count)
            case .stringSet(let elements): return .integer(elements.count)
            case .numberSet(let elements): return .integer(elements.count)
            case .binarySet(let elements): return .integer(elements.count)
            case .number, .bool, .null: return nil
            }
        }
    }
}
