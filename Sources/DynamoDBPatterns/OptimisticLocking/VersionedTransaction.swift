import AWSClient

/// Writes of several items of one or more `VersionedTable`s, of which all are carried out or none.
///
///     try await dynamoDB.transact { transaction in
///         guard var stock = try await transaction.load("lamp", from: stocks) else { throw NoSuchThing() }
///         stock.item.count -= 1
///         try transaction.save(stock, in: stocks)
///         try transaction.insert(Order(id: "7", thing: "lamp"), into: orders)
///     }
///
/// What was loaded through the transaction, and is not written by it, has to be unchanged when it is committed; also
/// that an item was not there. So transactions have the same effect as if they ran one after the other.
///
/// Up to 100 items, 4 MB in all. Each costs twice what a write of its size costs, those that are only checked too.
public struct VersionedTransaction: Sendable {
    /// Names one item.
    private struct Place: Hashable {
        let table: String
        let key: PrimaryKey
    }

    private struct Action {
        let place: Place
        var write: ItemWrite
        var isCheck: Bool
        /// The version and stamp that were seen; `nil` for an item that is not there.
        let mark: StoredItem?
    }

    private let api: any DynamoDBAPI
    private let token: String
    private var actions: [Action] = []
    private var indices: [Place: Int] = [:]

    /// A transaction that does nothing yet; see also `transact`, which repeats it after conflicts.
    public init(in api: any DynamoDBAPI, clock: PatternClock = PatternClock()) {
        self.api = api
        token = clock.token() + clock.token()
    }

    /// Reads an item, which has to be unchanged, or still missing, at the commit.
    ///
    /// Two reads may see two moments, so that what is read does not fit together: then the commit is a conflict.
    ///
    /// - Parameters:
    ///   - key: Its key.
    ///   - table: Its table.
    /// - Returns: The item; `nil` where there is none.
    /// - Throws: `PatternError` with code `invalidArgument` where the item is written already; see also
    ///   `VersionedTable.load`.
    public mutating func load<Item>(
        _ key: PrimaryKey, from table: VersionedTable<Item>
    ) async throws -> Versioned<Item>? {
        let versioned = try await table.load(key)
        try add(
            key, of: table, action: .check(versioned.map(table.unchanged) ?? .absent(table.key.partition)),
            condition: nil, mark: versioned?.mark)
        return versioned
    }

    /// Has the commit check that an item is as it was loaded.
    public mutating func check<Item>(_ versioned: Versioned<Item>, in table: VersionedTable<Item>) throws {
        try add(
            versioned.key, of: table, action: .check(table.unchanged(versioned)), condition: nil, mark: versioned.mark)
    }

    /// Stores a changed item, if nobody else changed it since it was loaded.
    ///
    /// - Parameters:
    ///   - versioned: The item with its changes.
    ///   - table: Its table.
    /// - Returns: The item as it is once the transaction is committed.
    /// - Throws: `PatternError` with code `invalidArgument` where the item is written already.
    @discardableResult
    public mutating func save<Item>(
        _ versioned: Versioned<Item>, in table: VersionedTable<Item>
    ) throws -> Versioned<Item> {
        try add(try table.draft(saving: versioned), to: table)
    }

    /// Stores an item under a key that is free.
    ///
    /// - Parameters:
    ///   - item: The item.
    ///   - table: Its table.
    /// - Returns: The item as it is once the transaction is committed.
    /// - Throws: `PatternError` with code `invalidArgument` where the item is written already.
    @discardableResult
    public mutating func insert<Item>(_ item: Item, into table: VersionedTable<Item>) throws -> Versioned<Item> {
        try add(try table.draft(inserting: item), to: table)
    }

    /// Deletes an item, if nobody else changed it since it was loaded.
    public mutating func delete<Item>(_ versioned: Versioned<Item>, from table: VersionedTable<Item>) throws {
        try add(
            versioned.key, of: table, action: .delete, condition: table.unchanged(versioned), mark: versioned.mark)
    }

    /// Carries out all of it, or nothing.
    ///
    /// May be called again, within ten minutes, when the answer was lost: it is carried out once.
    ///
    /// - Throws: `TransactionConflict`, which says which items are not as they were, with the newer ones; `AWSError`,
    ///   whose `mayHaveTakenEffect` means that it is not known whether the transaction was carried out.
    public func commit() async throws {
        guard !actions.isEmpty else { return }
        guard case .refused(let results) = try await api.carryOut(actions.map(\.write), token: token) else { return }
        throw TransactionConflict(
            failures: zip(actions, results).compactMap { action, result in
                result.failed
                    ? .init(table: action.place.table, key: action.place.key, item: result.item) : nil
            })
    }

    mutating func add<Item>(
        _ draft: Draft<Item>, to table: VersionedTable<Item>
    ) throws -> Versioned<Item> {
        try add(
            draft.versioned.key, of: table, action: .put(draft.stored), condition: draft.condition,
            mark: draft.base?.mark)
        return draft.versioned
    }

    private mutating func add<Item>(
        _ key: PrimaryKey, of table: VersionedTable<Item>, action: ItemWrite.Action, condition: Condition?,
        mark: StoredItem?
    ) throws {
        let place = Place(table: table.name, key: key)
        let write = ItemWrite(
            table: table.name, key: try key.attributes(by: table.key), action: action, condition: condition)
        let isCheck = if case .check = action { true } else { false }
        let new = Action(place: place, write: write, isCheck: isCheck, mark: mark)
        guard let index = indices[place] else {
            guard actions.count < 100 else {
                throw PatternError(.invalidArgument, "A transaction has room for 100 items.")
            }
            indices[place] = actions.count
            actions.append(new)
            return
        }
        guard actions[index].isCheck else {
            throw PatternError(
                .invalidArgument, "An item of the table “\(table.name)” is written already by this transaction.")
        }
        guard actions[index].mark == mark else {
            throw TransactionConflict(failures: [.init(table: table.name, key: key, item: nil)])
        }
        if !isCheck { actions[index] = new }
    }
}
