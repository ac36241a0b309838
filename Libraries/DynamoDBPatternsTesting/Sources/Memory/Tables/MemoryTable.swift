import AWSClient

/// A table with its indexes and its stream.
///
/// A class, so that a change of one item copies no others; only the state behind the lock refers to it.
final class MemoryTable {
    let name: String
    let schema: KeySchema
    let description: CreateTableRequest
    var rows = RowStore()
    var indexes: [MemoryIndex]
    var stream: MemoryStream?
    /// The attribute that says when an item expires.
    var timeToLive: String?
    /// How many changes there were.
    private var changes = 0

    init(_ request: CreateTableRequest, timeToLive: String?) throws(AWSError) {
        guard (3...255).contains(request.tableName.utf8.count) else {
            throw .validation("TableName must be at least 3 characters long and at most 255 characters long")
        }
        let schema = try KeySchema(request.keySchema, request.attributeDefinitions)
        name = request.tableName
        self.schema = schema
        description = request
        self.timeToLive = timeToLive
        indexes = try (request.globalSecondaryIndexes ?? []).map { index throws(AWSError) in
            try MemoryIndex(index, request.attributeDefinitions, tableSchema: schema)
        }
        let used = Set(schema.names + indexes.flatMap(\.schema.names))
        guard used == Set(request.attributeDefinitions.map(\.attributeName)) else {
            throw .validation(
                "One or more parameter values were invalid: Number of attributes in KeySchema does not exactly match "
                    + "number of attributes defined in AttributeDefinitions")
        }
    }

    /// - Throws: `AWSError` for an item that no index could hold.
    func checkIndexKeys(of item: Item) throws(AWSError) {
        for index in indexes {
            for attribute in [index.schema.partition] + (index.schema.sort.map { [$0] } ?? []) {
                if let value = item[attribute.name] { try attribute.check(value) }
            }
        }
    }

    func index(_ name: String) throws(AWSError) -> Int {
        guard let index = indexes.firstIndex(where: { $0.name == name }) else {
            throw .validation("The table does not have the specified index: \(name)")
        }
        return index
    }

    /// Stores an item, or removes the one that is there; the indexes hear of it.
    ///
    /// - Parameters:
    ///   - position: The item's place.
    ///   - before: The row that is there.
    ///   - after: The row that will be there.
    ///   - lag: How many changes an index may be behind.
    /// - Returns: What the indexes cost, by name, in write units.
    /// - Throws: Nothing, after `checkIndexKeys` has let the item through.
    func set(_ position: ItemPosition, before: Row?, after: Row?, lag: Int) throws(AWSError) -> [String: Double] {
        var units: [String: Double] = [:]
        changes += 1
        for index in indexes.indices {
            let old = try indexes[index].entry(of: before?.item, at: position)
            let new = try indexes[index].entry(of: after?.item, at: position)
            let cost = MemoryIndex.units(before: old, after: new)
            if cost > 0 { units[indexes[index].name] = cost }
            indexes[index].hear(number: changes, of: position, before: old, after: new)
            indexes[index].catchUp(through: changes - lag) { false }
        }
        rows.set(after, at: position)
        return units
    }

    /// An index as a reader finds it.
    func indexRows(_ index: Int, lag: Int, isHeard: () -> Bool) -> RowStore {
        indexes[index].catchUp(through: changes - lag, isHeard: isHeard)
        return indexes[index].rows
    }
}
