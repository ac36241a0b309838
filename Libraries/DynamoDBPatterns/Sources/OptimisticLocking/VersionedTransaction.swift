public import AWSClient

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
        /// What the commit throws if the item in the way refuses this write for good; `nil` for a conflict, after which
        /// the transaction may succeed.
        var refusal: (@Sendable (StoredItem?) -> any Error)?
    }

    private let api: any DynamoDBAPI
    private let token: String
    private var actions: [Action] = []
    private var indices: [Place: Int] = [:]
    private var others: [TransactWriteItem] = []

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
    /// - Returns: The item; `nil` if there is none.
    /// - Throws: `PatternError` with code `invalidArgument` if the item is written already; see also
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
    /// - Throws: `PatternError` with code `invalidArgument` if the item is written already.
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
    /// - Throws: `PatternError` with code `invalidArgument` if the item is written already.
    @discardableResult
    public mutating func insert<Item>(_ item: Item, into table: VersionedTable<Item>) throws -> Versioned<Item> {
        try add(try table.draft(inserting: item), to: table)
    }

    /// Deletes an item, if nobody else changed it since it was loaded.
    public mutating func delete<Item>(_ versioned: Versioned<Item>, from table: VersionedTable<Item>) throws {
        try add(
            versioned.key, of: table, action: .delete, condition: table.unchanged(versioned), mark: versioned.mark)
    }

    /// Adds a write that another pattern hands out, such as `Processor.starting`, or one of your own.
    ///
    /// - Parameter write: A write of an item that the transaction does not touch otherwise. If its condition does not hold,
    ///   the commit throws a `PatternError` with code `conflict`, and `transact` does not try again.
    /// - Throws: `PatternError` with code `invalidArgument` if the transaction has 100 items already.
    public mutating func add(_ write: TransactWriteItem) throws {
        try checkCount()
        others.append(write)
    }

    /// Carries out all of it, or nothing.
    ///
    /// May be called again, within ten minutes, when the answer was lost: it is carried out once.
    ///
    /// - Throws: `TransactionConflict`, which says which items are not as they were, with the newer ones; `AWSError`,
    ///   whose `mayHaveTakenEffect` means that it is not known whether the transaction was carried out; `PatternError`
    ///   if a guard or a write of `add` was refused, and nothing else.
    public func commit() async throws {
        guard !actions.isEmpty || !others.isEmpty else { return }
        let outcome = try await api.carryOut(actions.map(\.write), with: others, token: token)
        guard case .refused(let results) = outcome else { return }
        let refused = zip(actions, results).filter { $0.1.failed }
        // What the body decided on is outdated: the refusal of a guard may be gone with it.
        let failures = refused.compactMap { action, result in
            action.refusal == nil
                ? TransactionConflict.Failure(table: action.place.table, key: action.place.key, item: result.item) : nil
        }
        guard failures.isEmpty else { throw TransactionConflict(failures: failures) }
        for (action, result) in refused { if let refusal = action.refusal { throw refusal(result.item) } }
        throw PatternError(
            .conflict, "A write that was added to the transaction was refused: its condition does not hold.")
    }

    /// Adds a write of an item that a pattern keeps in its own table.
    ///
    /// - Parameters:
    ///   - write: The write.
    ///   - key: The item's key.
    ///   - refusal: What the commit throws if this write is refused; `nil` for a conflict.
    /// - Throws: `PatternError` with code `invalidArgument` if the item is written already, or there is no room.
    mutating func add(
        _ write: ItemWrite, of key: ItemKey, refusal: (@Sendable (StoredItem?) -> any Error)? = nil
    ) throws {
        let place = Place(table: write.table, key: PrimaryKey(key.partition, key.sort))
        guard indices[place] == nil else { throw isWritten(write.table) }
        try checkCount()
        indices[place] = actions.count
        actions.append(Action(place: place, write: write, isCheck: false, mark: nil, refusal: refusal))
    }

    private func checkCount() throws(PatternError) {
        guard actions.count + others.count < 100 else {
            throw PatternError(.invalidArgument, "A transaction can have at most 100 items.")
        }
    }

    private func isWritten(_ table: String) -> PatternError {
        PatternError(.invalidArgument, "An item of the table “\(table)” is written already by this transaction.")
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
            try checkCount()
            indices[place] = actions.count
            actions.append(new)
            return
        }
        guard actions[index].isCheck else { throw isWritten(table.name) }
        guard actions[index].mark == mark else {
            throw TransactionConflict(failures: [.init(table: table.name, key: key, item: nil)])
        }
        if !isCheck { actions[index] = new }
    }
}
