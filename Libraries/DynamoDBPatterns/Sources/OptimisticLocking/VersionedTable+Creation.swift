public import AWSClient

extension VersionedTable {
    /// What creates the table, paid for by request: its key is that of `key`, and it has no index.
    ///
    /// - Parameter stream: What the records of its stream hold; `nil` for no stream.
    /// - Returns: The request, to which indexes and tags can be added.
    public func creation(stream: StreamViewType? = .newAndOldImages) -> CreateTableRequest {
        let parts =
            [(key.partition, KeyType.hash, key.partitionType)] + (key.sort.map { [($0, .range, key.sortType)] } ?? [])
        return CreateTableRequest(
            tableName: name,
            attributeDefinitions: parts.map { .init(attributeName: $0.0, attributeType: $0.2) },
            keySchema: parts.map { .init(attributeName: $0.0, keyType: $0.1) },
            streamSpecification: stream.map { StreamSpecification(streamEnabled: true, streamViewType: $0) })
    }

    /// Creates the table if there is none, and waits until it can be used; for tests and development.
    ///
    /// A table whose key is another one is refused before anything of it is changed.
    ///
    /// - Parameters:
    ///   - dynamoDB: Where.
    ///   - stream: What the records of its stream hold, by default what Historic and filters need; `nil` for no stream.
    ///     A table that exists keeps what it has.
    ///   - timeToLive: The attribute with the seconds since 1970 after which an item expires; `nil` for none.
    /// - Throws: `AWSError`; `PatternError` with code `wrongLayout`, which names what differs, or `timedOut` after ten
    ///   minutes.
    public func create(
        in dynamoDB: DynamoDB, stream: StreamViewType? = .newAndOldImages, timeToLive: String? = nil
    ) async throws {
        try await layout(stream: stream, timeToLive: timeToLive).create(in: dynamoDB, clock: clock)
    }

    /// Makes sure that the table has this key; changes nothing.
    ///
    /// Needs `dynamodb:DescribeTable`.
    ///
    /// - Parameter dynamoDB: Where.
    /// - Throws: `PatternError` with code `wrongLayout`, which names what differs; `AWSError`, with code
    ///   `resourceNotFound` if there is no such table.
    public func check(in dynamoDB: DynamoDB) async throws { try await layout().check(in: dynamoDB) }

    func layout(stream: StreamViewType? = nil, timeToLive: String? = nil) -> TableLayout {
        TableLayout(
            request: creation(stream: stream), user: "the VersionedTable of \(Item.self)", timeToLive: timeToLive)
    }
}
