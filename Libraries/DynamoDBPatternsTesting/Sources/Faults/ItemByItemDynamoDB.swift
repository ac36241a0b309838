public import AWSClient
public import DynamoDBPatterns
import Synchronization

/// A DynamoDB in memory that commits the writes of a transaction one item after the other, as AWS's does.
///
/// To writes and to `TransactGetItems` a transaction is one step: while it is being committed they are refused with
/// `TransactionConflict` if they meet one of its items. `GetItem`, `Query`, `Scan` and `BatchGetItem` see each item as it
/// was until that item is committed, also if they are strongly consistent. The caller of the transaction is answered
/// after the last item. A `TransactGetItems` that is to be tried again waits for as long as it meets transactions. Its items become visible in an order that the seed determines, unless `onCommit` chooses it.
///
/// Source: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html, "Isolation levels".
public final class ItemByItemDynamoDB: Sendable {
    /// Every item as the last write that was decided left it.
    private let decided: MemoryDynamoDB
    /// Every item as reads see it.
    private let visible: MemoryDynamoDB
    private let pause: @Sendable () async -> Void
    private let onCommit: (@Sendable (Commit) async -> Void)?
    private let state: Mutex<State>

    private struct State {
        var generator: SeededGenerator
        /// The places of transactions that are being committed.
        var underWay: Set<Place> = []
        var conflicts = 0
    }

    /// The place of one item.
    public struct Place: Sendable, Hashable {
        /// The table's name.
        public var table: String
        /// The attributes of the key.
        public var key: [String: AttributeValue]
    }

    /// A transaction that is decided, and whose items become visible one by one.
    public struct Commit: Sendable {
        /// The places that it writes, in the order of its actions.
        public let places: [Place]
        let show: @Sendable (Place) -> Void

        /// Makes one item visible.
        public func show(_ place: Place) { show(place) }
    }

    /// The names of the attributes of every table's key.
    private let key: [String]

    /// A DynamoDB without tables.
    ///
    /// - Parameters:
    ///   - decided: Carries out the writes; must be empty.
    ///   - visible: Answers the reads; must be empty, and another one.
    ///   - seed: Determines the order in which items become visible.
    ///   - key: The attributes of the tables' keys.
    ///   - pause: Waits between two items of a transaction, and before `TransactGetItems` is tried again.
    ///   - onCommit: Called for each transaction, to make items visible in an order of the test's choice. What is still
    ///     invisible when it returns becomes visible then.
    public init(
        decided: MemoryDynamoDB = MemoryDynamoDB(), visible: MemoryDynamoDB = MemoryDynamoDB(), seed: UInt64 = 0,
        key: [String] = ["pk", "sk"], pause: @escaping @Sendable () async -> Void = { await Task.yield() },
        onCommit: (@Sendable (Commit) async -> Void)? = nil
    ) {
        (self.decided, self.visible, self.key, self.pause, self.onCommit) = (decided, visible, key, pause, onCommit)
        state = Mutex(State(generator: SeededGenerator(seed: seed)))
    }

    /// Makes a table, which can be used at once.
    public func createTable(_ request: CreateTableRequest, timeToLive: String? = nil) throws {
        try decided.createTable(request, timeToLive: timeToLive)
        try visible.createTable(request, timeToLive: timeToLive)
    }

    /// Deletes a table with its items.
    public func deleteTable(_ name: String) throws {
        try decided.deleteTable(name)
        try visible.deleteTable(name)
    }

    /// How many calls have been refused because they met a transaction.
    public var conflicts: Int { state.withLock { $0.conflicts } }
}

extension ItemByItemDynamoDB: DynamoDBAPI {
    /// Reads what is visible of the item, which may be older than a transaction that was answered.
    public func getItem(_ request: GetItemRequest) async throws -> GetItemResponse {
        try await visible.getItem(request)
    }

    /// Reads what is visible of the items, each as of a moment of its own.
    public func query(_ request: QueryRequest) async throws -> QueryResponse { try await visible.query(request) }

    /// Reads what is visible of the items, each as of a moment of its own.
    public func scan(_ request: ScanRequest) async throws -> ScanResponse { try await visible.scan(request) }

    /// Reads what is visible of the items, each as of a moment of its own.
    public func batchGetItem(_ request: BatchGetItemRequest) async throws -> BatchGetItemResponse {
        try await visible.batchGetItem(request)
    }

    /// Writes the item, unless a transaction that includes it is in progress: that is a conflict.
    public func putItem(_ request: PutItemRequest) async throws -> PutItemResponse {
        try write(to: place(of: request.item, in: request.tableName)) { try $0.putItem(request) }
    }

    /// Changes the item, unless a transaction that includes it is in progress: that is a conflict.
    public func updateItem(_ request: UpdateItemRequest) async throws -> UpdateItemResponse {
        try write(to: place(of: request.key, in: request.tableName)) { try $0.updateItem(request) }
    }

    /// Deletes the item, unless a transaction that includes it is in progress: that is a conflict.
    public func deleteItem(_ request: DeleteItemRequest) async throws -> DeleteItemResponse {
        try write(to: place(of: request.key, in: request.tableName)) { try $0.deleteItem(request) }
    }

    /// Writes the items, which are visible at once.
    public func batchWriteItem(_ request: BatchWriteItemRequest) async throws -> BatchWriteItemResponse {
        let places = request.requestItems.flatMap { table, writes in
            writes.map { write in
                switch write {
                case .put(let item): place(of: item, in: table)
                case .delete(let key): place(of: key, in: table)
                }
            }
        }
        return try state.withLock { _ in
            let answer = try decided.locked { try $0.batchWriteItem(request) }
            for place in places { try show(place) }
            return answer
        }
    }

    /// Reads the items as of one moment, when no transaction that includes one of them is in progress.
    public func transactGetItems(
        _ request: TransactGetItemsRequest, retryingContention: Bool
    ) async throws -> TransactGetItemsResponse {
        let places = request.transactItems.map { place(of: $0.get.key, in: $0.get.tableName) }
        // Without a limit of tries: how often other tasks run between two of them depends on the machine.
        while true {
            let answer: TransactGetItemsResponse? = try state.withLock { state in
                guard state.underWay.isDisjoint(with: places) else {
                    state.conflicts += 1
                    if retryingContention { return nil }
                    throw Self.conflict(of: places, with: state.underWay)
                }
                return try decided.locked { try $0.transactGetItems(request) }
            }
            if let answer { return answer }
            try Task.checkCancellation()
            await pause()
        }
    }

    /// Decides at once, and makes the items visible one after another.
    public func transactWriteItems(
        _ request: TransactWriteItemsRequest, retryingContention: Bool
    ) async throws -> TransactWriteItemsResponse {
        let places = request.transactItems.map(place(of:))
        let written = zip(request.transactItems, places).filter { !$0.0.isCheck }.map(\.1)
        let (answer, order) = try state.withLock { state in
            guard state.underWay.isDisjoint(with: places) else {
                state.conflicts += 1
                throw Self.conflict(of: places, with: state.underWay)
            }
            let answer = try decided.locked { try $0.transactWriteItems(request) }
            state.underWay.formUnion(written)
            return (answer, written.shuffled(using: &state.generator))
        }
        if let onCommit {
            await onCommit(Commit(places: written) { try? self.reveal($0) })
        } else {
            for place in order {
                await pause()
                try reveal(place)
            }
        }
        for place in written { try reveal(place) }
        return answer
    }

    /// Makes an item visible, and lets others write it.
    private func reveal(_ place: Place) throws {
        try state.withLock { state in
            guard state.underWay.remove(place) != nil else { return }
            try show(place)
        }
    }

    /// Copies an item from what is decided to what reads see.
    private func show(_ place: Place) throws {
        let item = try decided.locked {
            try $0.getItem(.init(tableName: place.table, key: place.key, consistentRead: true)).item
        }
        try visible.locked { state in
            if let item {
                _ = try state.putItem(.init(tableName: place.table, item: item))
            } else {
                _ = try state.deleteItem(.init(tableName: place.table, key: place.key))
            }
        }
    }

    private func write<Answer: Sendable>(
        to place: Place, _ body: @Sendable (MemoryState) throws -> Answer
    ) throws -> Answer {
        try state.withLock { state in
            guard !state.underWay.contains(place) else {
                state.conflicts += 1
                throw AWSError.refused(.transactionConflict, "Transaction is ongoing for the item")
            }
            let answer = try decided.locked(body)
            try show(place)
            return answer
        }
    }

    private static func conflict(of places: [Place], with underWay: Set<Place>) -> AWSError {
        TransactionFailure(
            reasons: places.map {
                underWay.contains($0)
                    ? .init(code: "TransactionConflict", message: "Transaction is ongoing for the item") : .none
            }
        ).error
    }

    private func place(of item: [String: AttributeValue], in table: String) -> Place {
        Place(table: table, key: item.filter { key.contains($0.key) })
    }

    private func place(of action: TransactWriteItem) -> Place {
        switch action {
        case .put(let put): place(of: put.item, in: put.tableName)
        case .update(let update): place(of: update.key, in: update.tableName)
        case .delete(let delete): place(of: delete.key, in: delete.tableName)
        case .conditionCheck(let check): place(of: check.key, in: check.tableName)
        }
    }
}

extension TransactWriteItem {
    fileprivate var isCheck: Bool {
        if case .conditionCheck = self { true } else { false }
    }
}
