public import AWSClient

extension StreamConsumer {
    /// A worker for the stream of a table, which is asked for now.
    ///
    ///     let consumer = try await StreamConsumer(recorder, ofTable: "prices", in: dynamoDB, leases: table)
    ///
    /// - Parameters:
    ///   - processor: What handles the changes; its name is the leases', too: workers with one name share the shards.
    ///   - name: The table whose stream is read.
    ///   - dynamoDB: Where it is; needs `dynamodb:DescribeTable`.
    ///   - table: Where the leases are; it may be the one whose stream is read.
    ///   - options: How to read.
    /// - Throws: `PatternError` with code `notFound` if the table has no stream; `AWSError`, with code
    ///   `resourceNotFound` if there is no such table.
    public init<Item>(
        _ processor: StreamProcessor<Item>, ofTable name: String, in dynamoDB: DynamoDB, leases table: PatternTable,
        options: Options = Options()
    ) async throws {
        self.init(
            processor, of: try await dynamoDB.streamARN(ofTable: name), in: dynamoDB.streams, leases: table,
            options: options)
    }
}

extension DynamoDB {
    /// The ARN of a table's stream.
    ///
    /// - Parameter name: The table's name or ARN.
    /// - Returns: The ARN of the newest stream; one that was turned off is none.
    /// - Throws: `PatternError` with code `notFound` if the table has no stream; `AWSError`, with code
    ///   `resourceNotFound` if there is no such table.
    public func streamARN(ofTable name: String) async throws -> String {
        let table = try await describeTable(.init(tableName: name)).table
        guard table?.streamSpecification?.streamEnabled == true, let stream = table?.latestStreamArn else {
            throw PatternError(
                .notFound, "The table “\(name)” has no stream.",
                hint: "Turn it on with updateTable and the view NEW_AND_OLD_IMAGES, or in your deployment.")
        }
        return stream
    }
}
