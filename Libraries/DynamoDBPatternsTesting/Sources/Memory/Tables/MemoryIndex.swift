import AWSClient

/// A global secondary index: a part of each item that has the index's key attributes, under that key.
struct MemoryIndex {
    let name: String
    let schema: KeySchema
    private let tableSchema: KeySchema
    /// The attributes that it holds; `nil` for all.
    private let attributes: [String]?
    /// The items as far as the index has heard of them.
    private(set) var rows = RowStore()
    /// What it has not heard of yet, the oldest first.
    private var pending: [Change] = []

    /// One change of one item of the table.
    private struct Change {
        var number: Int
        var tablePosition: ItemPosition
        var before: Entry?
        var after: Entry?
    }

    /// What the index holds of an item.
    struct Entry {
        var position: ItemPosition
        var row: Row
    }

    init(
        _ index: GlobalSecondaryIndex, _ definitions: [AttributeDefinition], tableSchema: KeySchema
    ) throws(AWSError) {
        guard (3...255).contains(index.indexName.utf8.count) else {
            throw .validation("indexName must be at least 3 characters long and at most 255 characters long")
        }
        name = index.indexName
        schema = try KeySchema(index.keySchema, definitions)
        self.tableSchema = tableSchema
        switch index.projection.projectionType {
        case .all: attributes = nil
        case .keysOnly: attributes = schema.names + tableSchema.names
        case .include: attributes = schema.names + tableSchema.names + (index.projection.nonKeyAttributes ?? [])
        default: throw .validation("Unknown ProjectionType: \(index.projection.projectionType.rawValue)")
        }
    }

    /// Whether the index holds all attributes of its items.
    var isWhole: Bool { attributes == nil }

    /// Whether the index holds an attribute.
    func holds(_ attribute: String) -> Bool { attributes?.contains(attribute) ?? true }

    /// The attributes of a place in the index, from which a page goes on.
    func key(of item: Item) -> Item { schema.key(of: item).merging(tableSchema.key(of: item)) { first, _ in first } }

    /// - Throws: `AWSError` for a key that is not one of the index together with one of the table.
    func position(ofKey key: Item) throws(AWSError) -> ItemPosition {
        let names = Set(schema.names + tableSchema.names)
        guard key.count == names.count, names.allSatisfy({ key[$0] != nil }) else {
            throw .validation("The provided starting key is invalid")
        }
        return try position(of: key, tablePosition: tableSchema.position(of: key))
    }

    private func position(of item: Item, tablePosition: ItemPosition) throws(AWSError) -> ItemPosition {
        var position = try schema.position(of: item)
        position.order.tablePartition = tablePosition.partition
        position.order.tableSort = tablePosition.order.sort
        return position
    }

    /// What the index holds of an item; `nil` for one without all attributes of its key.
    ///
    /// - Throws: `AWSError` if one has a type that the key does not have.
    func entry(of item: Item?, at tablePosition: ItemPosition) throws(AWSError) -> Entry? {
        guard let item, schema.names.allSatisfy({ item[$0] != nil }) else { return nil }
        let position = try position(of: item, tablePosition: tablePosition)
        var held = item
        if let attributes {
            held = [:]
            for name in attributes { held[name] = item[name] }
        }
        return Entry(position: position, row: Row(order: position.order, item: held, size: held.size))
    }

    /// Hears of a change of the table, now or later.
    mutating func hear(number: Int, of tablePosition: ItemPosition, before: Entry?, after: Entry?) {
        guard before != nil || after != nil else { return }
        pending.append(Change(number: number, tablePosition: tablePosition, before: before, after: after))
    }

    /// Carries out the changes up to a number, and of those after it some, as chance has it, in order for each item.
    mutating func catchUp(through number: Int, isHeard: () -> Bool) {
        guard !pending.isEmpty else { return }
        var unheard: [Change] = []
        var late: Set<ItemPosition> = []
        for change in pending {
            if change.number <= number || (!late.contains(change.tablePosition) && isHeard()) {
                carryOut(change)
            } else {
                late.insert(change.tablePosition)
                unheard.append(change)
            }
        }
        pending = unheard
    }

    private mutating func carryOut(_ change: Change) {
        if let before = change.before, before.position != change.after?.position { rows.set(nil, at: before.position) }
        if let after = change.after { rows.set(after.row, at: after.position) }
    }

    /// What a change costs in write units: nothing when the index holds the same as before.
    static func units(before: Entry?, after: Entry?) -> Double {
        switch (before, after) {
        case (let before?, let after?) where before.position == after.position:
            before.row.item == after.row.item ? 0 : Units.written(max(before.row.size, after.row.size))
        default: (before.map { Units.written($0.row.size) } ?? 0) + (after.map { Units.written($0.row.size) } ?? 0)
        }
    }
}
