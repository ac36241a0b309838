public import AWSClient

extension PatternTable {
    /// What makes a table of this layout, paid for by request.
    ///
    /// - Parameters:
    ///   - name: The table's name.
    ///   - stream: What the records of its stream hold; `nil` for no stream. The filters of the patterns look at new
    ///     images.
    /// - Returns: The request. Set the expiry by `ttl` as well, as `create` does.
    public static func creation(
        of name: String, stream: StreamViewType? = .newAndOldImages
    ) -> CreateTableRequest {
        func key(_ partition: String, _ sort: String) -> [KeySchemaElement] {
            [.init(attributeName: partition, keyType: .hash), .init(attributeName: sort, keyType: .range)]
        }
        return CreateTableRequest(
            tableName: name,
            attributeDefinitions: [
                .init(attributeName: Attribute.partition, attributeType: .string),
                .init(attributeName: Attribute.sort, attributeType: .string),
                .init(attributeName: Attribute.duePartition, attributeType: .string),
                .init(attributeName: Attribute.due, attributeType: .number),
            ],
            keySchema: key(Attribute.partition, Attribute.sort),
            globalSecondaryIndexes: [
                .init(
                    indexName: dueIndex, keySchema: key(Attribute.duePartition, Attribute.due),
                    projection: Projection(projectionType: .keysOnly))
            ],
            streamSpecification: stream.map { StreamSpecification(streamEnabled: true, streamViewType: $0) })
    }

    private static func layout(_ name: String, stream: StreamViewType? = nil) -> TableLayout {
        TableLayout(
            request: creation(of: name, stream: stream), user: "a PatternTable", timeToLive: Attribute.timeToLive)
    }

    /// Creates a table of this layout if there is none, and waits until it can be used.
    ///
    /// What is deployed is better created by `samResource` or `terraformResource`; this is for tests and development.
    /// A table of another layout is refused before anything of it is changed.
    ///
    /// - Parameters:
    ///   - name: The table's name. One that exists gets its expiry turned on, and is left as it is otherwise, its
    ///     stream included.
    ///   - dynamoDB: Where.
    ///   - stream: What the records of its stream hold; `nil` for no stream.
    ///   - clock: What pauses are made with.
    /// - Throws: `AWSError`; `PatternError` with code `wrongLayout`, which names what differs, or `timedOut` after ten
    ///   minutes.
    public static func create(
        _ name: String, in dynamoDB: DynamoDB, stream: StreamViewType? = .newAndOldImages,
        clock: PatternClock = PatternClock()
    ) async throws {
        try await layout(name, stream: stream).create(in: dynamoDB, clock: clock)
    }

    /// Makes sure that a table has the key and the index of this layout, and no other expiry; changes nothing.
    ///
    /// For a start of a program, where a wrong name is better noticed than later. Needs `dynamodb:DescribeTable` and
    /// `dynamodb:DescribeTimeToLive`.
    ///
    /// - Parameters:
    ///   - name: The table's name.
    ///   - dynamoDB: Where.
    /// - Throws: `PatternError` with code `wrongLayout`, which names what differs; `AWSError`, with code
    ///   `resourceNotFound` if there is no such table.
    public static func check(_ name: String, in dynamoDB: DynamoDB) async throws {
        try await layout(name).check(in: dynamoDB)
    }

    /// Waits until a table can be used, of this layout or any other, for ten minutes at most.
    ///
    /// - Parameters:
    ///   - name: The table's name; it is waited for as well if it is not known yet.
    ///   - dynamoDB: Where.
    ///   - clock: What pauses are made with.
    /// - Throws: `AWSError`; `PatternError` with the code `timedOut`.
    public static func awaitActive(
        _ name: String, in dynamoDB: DynamoDB, clock: PatternClock = PatternClock()
    ) async throws {
        _ = try await TableLayout.active(name, in: dynamoDB, clock: clock)
    }
}
