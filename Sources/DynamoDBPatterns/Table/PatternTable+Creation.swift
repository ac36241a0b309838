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

    /// Makes a table of this layout where there is none, and waits until it can be used.
    ///
    /// What is deployed is better made by `samResource` or `terraformResource`; this is for tests and development.
    ///
    /// - Parameters:
    ///   - name: The table's name. One that exists is left as it is.
    ///   - dynamoDB: Where.
    ///   - stream: What the records of its stream hold; `nil` for no stream.
    ///   - clock: What pauses are made with.
    /// - Throws: `AWSError`; `PatternError` as `awaitActive`.
    public static func create(
        _ name: String, in dynamoDB: DynamoDB, stream: StreamViewType? = .newAndOldImages,
        clock: PatternClock = PatternClock()
    ) async throws {
        do {
            _ = try await dynamoDB.createTable(creation(of: name, stream: stream))
        } catch let error as AWSError where error.code == .resourceInUse {
            // It is there, or being made.
        }
        try await awaitActive(name, in: dynamoDB, clock: clock)
        if try await expires(name, in: dynamoDB) { return }
        do {
            _ = try await dynamoDB.updateTimeToLive(
                .init(
                    tableName: name,
                    timeToLiveSpecification: .init(attributeName: Attribute.timeToLive, enabled: true)))
        } catch {
            // Whoever makes it at the same time may have been first.
            guard try await expires(name, in: dynamoDB) else { throw error }
        }
    }

    /// Waits until a table can be used, of this layout or any other, for ten minutes at most.
    ///
    /// - Parameters:
    ///   - name: The table's name; it is waited for as well where it is not known yet.
    ///   - dynamoDB: Where.
    ///   - clock: What pauses are made with.
    /// - Throws: `AWSError`; `PatternError` with the code `timedOut`.
    public static func awaitActive(
        _ name: String, in dynamoDB: DynamoDB, clock: PatternClock = PatternClock()
    ) async throws {
        for _ in 0..<1200 {
            do {
                let table = try await dynamoDB.describeTable(.init(tableName: name)).table
                if table?.tableStatus == .active { return }
            } catch let error as AWSError where error.code == .resourceNotFound {
                // Just after it was made, not everybody knows of it.
            }
            try await clock.sleep(.milliseconds(500))
        }
        throw PatternError(.timedOut, "The table “\(name)” is not active after ten minutes.")
    }

    /// Whether the items of a table expire by `ttl`, or soon will.
    private static func expires(_ name: String, in dynamoDB: DynamoDB) async throws -> Bool {
        let expiry = try await dynamoDB.describeTimeToLive(.init(tableName: name)).timeToLiveDescription
        return expiry?.attributeName == Attribute.timeToLive
            && [.enabled, .enabling].contains(expiry?.timeToLiveStatus)
    }
}
