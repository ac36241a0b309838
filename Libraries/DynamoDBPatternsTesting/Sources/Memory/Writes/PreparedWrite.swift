import AWSClient

/// A write whose request is found to be right in itself; the item is not looked at yet.
struct PreparedWrite {
    let action: ItemAction
    let table: MemoryTable
    let position: ItemPosition
    let key: Item
    let expressions: MemoryState.Expressions
    /// The item of a put, in the one way to write it.
    var put: Item?
    /// The paths that an update changes.
    var paths: [DocumentPath] = []
}

/// What a write makes of the item that is there.
struct PlannedWrite {
    let prepared: PreparedWrite
    let before: Row?
    let after: Row?

    /// What it costs the table, in write units.
    var units: Double { Units.written(max(before?.size ?? 0, after?.size ?? 0)) }

    /// Whether it stores or removes anything at all.
    var isCheck: Bool { prepared.action.kind == .check }
}

extension MemoryState {
    /// Checks a write without looking at the item.
    ///
    /// - Throws: `AWSError` with code `validation` or `resourceNotFound`.
    func prepare(_ action: ItemAction) throws(AWSError) -> PreparedWrite {
        let table = try table(action.table)
        var update: String?
        if case .update(let text) = action.kind { update = text }
        let expressions = try expressions(
            names: action.names, values: action.values, condition: action.condition, update: update)
        if case .put(let item) = action.kind {
            let item = try item.canonical()
            let position = try table.schema.position(of: item)
            try Self.checkSize(item.size)
            return PreparedWrite(
                action: action, table: table, position: position, key: table.schema.key(of: item),
                expressions: expressions, put: item)
        }
        try table.schema.checkExact(action.key)
        let key = try action.key.canonical()
        var write = PreparedWrite(
            action: action, table: table, position: try table.schema.position(of: key), key: key,
            expressions: expressions)
        if let update = expressions.update {
            write.paths =
                (update.sets.map(\.path) + update.removals + update.additions.map(\.path)
                + update.deletions.map(\.path)).map(expressions.context.resolve)
            try Self.checkDistinct(write.paths, .update)
            for path in write.paths where table.schema.names.contains(path.root) {
                throw .validation(
                    "One or more parameter values were invalid: Cannot update attribute \(path.root). This attribute "
                        + "is part of the key")
            }
            try expressions.context.checkTypes(of: update)
        }
        return write
    }

    private static func checkSize(_ size: Int) throws(AWSError) {
        if size > Item.maximumSize { throw .validation("Item size has exceeded the maximum allowed size") }
    }

    /// Finds out what a write makes of the item that is there, without doing it.
    ///
    /// - Throws: `ConditionFailure` if its condition does not hold; `AWSError` if it does not fit the item.
    func plan(_ write: PreparedWrite) throws -> PlannedWrite {
        let before = write.table.rows[write.position]
        if let item = write.put { try write.table.checkIndexKeys(of: item) }
        if let condition = write.expressions.condition {
            guard write.expressions.context.holds(condition, for: before?.item ?? [:]) else {
                throw ConditionFailure(item: write.action.returnsItem ? before?.item : nil)
            }
        }
        var after: Item?
        switch write.action.kind {
        case .put: after = write.put
        case .update:
            after = before?.item ?? write.key
            if let update = write.expressions.update {
                after = try write.expressions.context.apply(update, to: before?.item ?? write.key)
                for path in write.paths {
                    // Values that were nested by a path may have become nested too deep.
                    _ = try after?[path.root]?.canonical()
                }
                if let after { try write.table.checkIndexKeys(of: after) }
            }
        case .delete: after = nil
        case .check: after = before?.item
        }
        let row = after.map { Row(order: write.position.order, item: $0, size: $0.size) }
        if case .update = write.action.kind { try Self.checkSize(row?.size ?? 0) }
        return PlannedWrite(prepared: write, before: before, after: row)
    }
}
