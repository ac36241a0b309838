public import AWSClient
public import DynamoDBPatterns

extension MemoryDynamoDB: StreamsAPI {
    /// Describes the stream and one page of its shards.
    public func describeStream(_ request: DescribeStreamRequest) async throws -> DescribeStreamResponse {
        try locked { try $0.describeStream(request) }
    }

    /// Returns an iterator that begins at a position of a shard.
    public func getShardIterator(_ request: GetShardIteratorRequest) async throws -> GetShardIteratorResponse {
        try locked { try $0.getShardIterator(request) }
    }

    /// Reads the next records of a shard.
    public func getRecords(_ request: GetRecordsRequest) async throws -> GetRecordsResponse {
        try locked { try $0.getRecords(request) }
    }
}

extension MemoryDynamoDB {
    /// The stream of a table; `nil` if it has none.
    public func streamARN(of table: String) -> String? { locked { try? $0.table(table).stream?.arn } }

    /// Closes each shard of a table's stream, and opens two in its place, as DynamoDB does when a table grows.
    public func splitShards(of table: String) {
        locked { try? $0.table(table).stream?.split(milliseconds: $0.now) }
    }

    /// Forgets what is older than 24 hours in a table's stream, as DynamoDB does; closed shards without records go.
    public func trimStream(of table: String) {
        locked { state in
            guard let table = try? state.table(table), let stream = table.stream,
                let last = stream.last(before: state.now - 86_400_000)
            else { return }
            table.stream?.trim(through: last)
        }
    }

    /// Forgets the records of a table's stream through a sequence number, as if they were older than 24 hours.
    public func trimStream(of table: String, through sequenceNumber: String) {
        locked { state in
            guard let number = SequenceNumber.number(sequenceNumber) else { return }
            try? state.table(table).stream?.trim(through: number)
        }
    }

    /// Deletes the items whose time has come, as DynamoDB does within days; their stream records say that it was it.
    ///
    /// - Parameter table: The table's name or ARN.
    /// - Returns: How many there were; 0 for a table without expiry.
    @discardableResult
    public func expireItems(in table: String) -> Int { locked { (try? $0.expireItems(in: table)) ?? 0 } }

    /// Says by which attribute the items of a table expire.
    ///
    /// - Parameters:
    ///   - attribute: The attribute with the seconds since 1970; `nil` for none.
    ///   - table: The table's name or ARN.
    public func setTimeToLive(_ attribute: String?, of table: String) {
        locked { try? $0.table(table).timeToLive = attribute }
    }
}

extension MemoryState {
    func expireItems(in name: String) throws -> Int {
        let table = try table(name)
        guard let attribute = table.timeToLive else { return 0 }
        let seconds = Double(now) / 1000
        let rows = table.rows
        let expired = rows.partitions(from: nil).flatMap { rows.rows(in: $0.partition) }.filter { row in
            // What is more than five years past is taken for a mistake, and kept.
            row.item[attribute]?.double.map { $0 <= seconds && $0 > seconds - 157_680_000 } ?? false
        }
        for row in expired {
            let action = ItemAction(
                kind: .delete, table: name, key: table.schema.key(of: row.item), returnsItem: false)
            _ = try commit(try plan(try prepare(action)), weight: 1, isExpiry: true)
        }
        return expired.count
    }
}
