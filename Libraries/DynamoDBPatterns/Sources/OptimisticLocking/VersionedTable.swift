public import AWSClient

/// Any table, whose items are changed only by those who have seen their newest version.
///
///     let orders = VersionedTable<Order>("orders", in: dynamoDB, key: .init(partition: "id"))
///     var order = try await orders.insert(Order(id: "7", state: .open))
///     order.item.state = .paid
///     order = try await orders.save(order)            // throws Conflict<Order>, which has the newer item
///     try await orders.update("7") { $0.state = .sent } // loads, changes, saves; again after a conflict
///
/// Beside the members of the item's type each item has a version and a stamp; see `VersionAttributes`. Both must be as
/// they were loaded for a write to be carried out. An item that was deleted and inserted again has another stamp even
/// at the same version; a write whose answer was lost is recognised by its own.
///
/// - Every writer has to count the version up: what else writes to the table is overwritten without notice.
/// - Attributes that did not change keep the type that they are stored with; those that the item's type does not know
///   are kept, at the top level of the item and in its maps. The article on optimistic locking has a table of types.
/// - Of a global table, each region is a table of its own here: conditions see what is in the region, and of two
///   regions that write the same version, one loses silently. Write each item in one region.
public struct VersionedTable<Item: Codable & Sendable>: Sendable {
    /// The table's name or ARN.
    public let name: String
    /// The client of DynamoDB, with hints added to its errors.
    public let api: any DynamoDBAPI
    /// The members of the item's type that are the table's key.
    public let key: KeyAttributes
    /// The names of the attributes with the version, the stamp and the time.
    public let attributes: VersionAttributes
    /// The wall clock, the pauses between attempts, and random numbers.
    public let clock: PatternClock
    private(set) var encoder: AttributeEncoder
    let decoder: AttributeDecoder

    /// A table that exists; nothing is asked yet.
    ///
    /// - Parameters:
    ///   - name: The table's name or ARN.
    ///   - api: DynamoDB, or what stands in for it.
    ///   - key: Which members of the item's type are the table's key.
    ///   - attributes: Where the version and the stamp are kept; the item's type may have no members of these names.
    ///   - clock: The wall clock, pauses and chance.
    ///   - encoder: How items are written.
    ///   - decoder: How items are read.
    public init(
        _ name: String, in api: any DynamoDBAPI, key: KeyAttributes, attributes: VersionAttributes = .init(),
        clock: PatternClock = PatternClock(), encoder: AttributeEncoder = .init(), decoder: AttributeDecoder = .init()
    ) {
        self.name = name
        self.api = AdvisingDynamoDB(base: api, table: name, advice: Self.advice)
        self.key = key
        self.attributes = attributes
        self.clock = clock
        self.encoder = encoder
        self.encoder.writesSets = true
        self.decoder = decoder
    }

    /// Reads an item as it is now; costs a strongly consistent read.
    ///
    /// - Parameter key: Its key.
    /// - Returns: The item; `nil` if there is none.
    /// - Throws: `AWSError`; `PatternError` with code `corrupt` if what is stored is not of the item's type.
    public func load(_ key: PrimaryKey) async throws -> Versioned<Item>? {
        try await stored(key).map(versioned)
    }

    /// An item that was read in another way, such as by a query; a save of one that is outdated is a conflict.
    ///
    /// - Parameter stored: All attributes of the item.
    /// - Returns: The item, ready to be changed.
    /// - Throws: `PatternError` with code `corrupt` if what is stored is not of the item's type.
    public func versioned(_ stored: [String: AttributeValue]) throws -> Versioned<Item> {
        let item: Item
        do {
            item = try decoder.decode(from: stored)
        } catch {
            throw PatternError(
                .corrupt, "An item of the table “\(name)” cannot be read as \(Item.self).", cause: error)
        }
        var content = stored
        for name in reservedNames { content[name] = nil }
        let (known, unordered) = try encoded(item)
        return try versioned(
            stored, holding: item, content: StoredAttributes(content, known: known, unordered: unordered))
    }
}

extension VersionedTable {
    /// An item's attributes as they are now.
    func stored(_ key: PrimaryKey) async throws -> StoredItem? {
        let request = GetItemRequest(
            tableName: name, key: try key.attributes(by: self.key), consistentRead: true)
        return try await api.getItem(request).item
    }

    /// What is stored, whatever it says, with this content in its place.
    func versioned(
        _ stored: StoredItem, holding item: Item, content: StoredAttributes
    ) throws(PatternError) -> Versioned<Item> {
        let origin = try origin(of: stored)
        guard let key = PrimaryKey(of: stored, by: key) else {
            throw PatternError(.corrupt, "An item of the table “\(name)” lacks a part of its key.")
        }
        let mark = stored.filter { $0.key == attributes.version || $0.key == attributes.stamp }
        return Versioned(
            item: item, key: key, version: origin.version ?? 0, modified: origin.modified, mark: mark,
            stamp: origin.stamp, content: content)
    }
}
