import AWSClient

/// One attribute of a key.
struct KeyAttribute: Hashable {
    var name: String
    var type: String
    /// The most bytes that it can have.
    var limit: Int

    /// - Throws: `AWSError` if a value cannot be that part of a key.
    func check(_ value: AttributeValue) throws(AWSError) {
        guard value.typeName == type else {
            throw .validation(
                "One or more parameter values were invalid: Type mismatch for key \(name) expected: \(type) "
                    + "actual: \(value.typeName)")
        }
        switch value {
        case .string(let text) where text.isEmpty: throw empty
        case .binary(let bytes) where bytes.isEmpty: throw empty
        default: break
        }
        guard value.size <= limit else {
            throw .validation(
                "One or more parameter values were invalid: Size of key \(name) has exceeded the maximum size limit "
                    + "of \(limit) bytes")
        }
    }

    private var empty: AWSError {
        .validation(
            "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an "
                + "empty string value. Key: \(name)")
    }
}

/// The place of an item in a table or index.
struct ItemPosition: Hashable {
    /// The partition key's sortable text.
    var partition: String
    var order: RowOrder
}

/// The place of an item in its partition.
struct RowOrder: Hashable, Comparable {
    /// The sort key's sortable text; empty if there is none.
    var sort: String
    /// In an index, the place in the table, by which those with the same key are ordered; empty in a table.
    var tablePartition = ""
    var tableSort = ""

    static func < (first: RowOrder, second: RowOrder) -> Bool {
        if first.sort != second.sort { return first.sort < second.sort }
        if first.tablePartition != second.tablePartition { return first.tablePartition < second.tablePartition }
        return first.tableSort < second.tableSort
    }
}

/// The attributes that are the key of a table or index.
struct KeySchema {
    var partition: KeyAttribute
    var sort: KeyAttribute?

    var names: [String] { [partition.name] + (sort.map { [$0.name] } ?? []) }

    /// - Throws: `AWSError` if the schema does not fit the definitions.
    init(_ elements: [KeySchemaElement], _ definitions: [AttributeDefinition]) throws(AWSError) {
        func attribute(_ element: KeySchemaElement, limit: Int) throws(AWSError) -> KeyAttribute {
            guard let definition = definitions.first(where: { $0.attributeName == element.attributeName }) else {
                throw .validation(
                    "One or more parameter values were invalid: Some index key attributes are not defined in "
                        + "AttributeDefinitions. Keys: [\(element.attributeName)]")
            }
            return KeyAttribute(name: element.attributeName, type: definition.attributeType.rawValue, limit: limit)
        }
        guard let first = elements.first, first.keyType == .hash, elements.count <= 2,
            elements.dropFirst().allSatisfy({ $0.keyType == .range && $0.attributeName != first.attributeName })
        else { throw .validation("Invalid KeySchema: a HASH key, and at most one RANGE key, are needed") }
        partition = try attribute(first, limit: 2048)
        sort = try elements.dropFirst().first.map { element throws(AWSError) in try attribute(element, limit: 1024) }
    }

    /// The place of an item that has all attributes of the key.
    ///
    /// - Throws: `AWSError` if one is missing or cannot be in a key.
    func position(of item: Item) throws(AWSError) -> ItemPosition {
        ItemPosition(
            partition: try text(partition, of: item),
            order: RowOrder(sort: try sort.map { sort throws(AWSError) in try text(sort, of: item) } ?? ""))
    }

    private func text(_ attribute: KeyAttribute, of item: Item) throws(AWSError) -> String {
        guard let value = item[attribute.name] else {
            throw .validation(
                "One or more parameter values were invalid: Missing the key \(attribute.name) in the item")
        }
        try attribute.check(value)
        return value.sortableText ?? ""
    }

    /// The attributes of the key alone.
    func key(of item: Item) -> Item {
        var key: Item = [:]
        for name in names { key[name] = item[name] }
        return key
    }

    /// Makes sure that a request's key is the key and nothing else.
    func checkExact(_ key: Item) throws(AWSError) {
        guard key.count == names.count, names.allSatisfy({ key[$0] != nil }) else {
            throw .validation("The provided key element does not match the schema")
        }
    }
}
