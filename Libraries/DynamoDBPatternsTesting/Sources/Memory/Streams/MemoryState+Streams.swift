import AWSClient

extension MemoryState {
    private func table(ofStream arn: String) throws(AWSError) -> MemoryTable {
        guard let table = tables.values.first(where: { $0.stream?.arn == arn }) else {
            throw .refused(.resourceNotFound, "Requested resource not found: Stream: \(arn) not found")
        }
        return table
    }

    private func stream(_ arn: String) throws(AWSError) -> MemoryStream {
        guard let stream = try table(ofStream: arn).stream else {
            throw .refused(.resourceNotFound, "Requested resource not found: Stream: \(arn) not found")
        }
        return stream
    }

    private func shard(_ id: String, of stream: MemoryStream) throws(AWSError) -> MemoryShard {
        guard let shard = stream.shards.first(where: { $0.id == id }) else {
            throw .refused(.resourceNotFound, "Requested resource not found: Shard does not exist")
        }
        return shard
    }

    func describeStream(_ request: DescribeStreamRequest) throws(AWSError) -> DescribeStreamResponse {
        usage.requests["DescribeStream", default: 0] += 1
        let table = try table(ofStream: request.streamArn)
        let stream = try stream(request.streamArn)
        let limit = request.limit ?? 100
        guard (1...100).contains(limit) else { throw .validation("Limit must be between 1 and 100") }
        var shards = stream.shards[...]
        if let start = request.exclusiveStartShardId { shards = shards.filter { $0.id > start }[...] }
        var description = StreamDescription()
        description.streamArn = stream.arn
        description.streamLabel = stream.label
        description.streamStatus = .enabled
        description.streamViewType = stream.viewType
        description.creationRequestDateTime = stream.created
        description.tableName = table.name
        description.keySchema = table.description.keySchema
        description.shards = shards.prefix(limit).map(\.description)
        if shards.count > limit { description.lastEvaluatedShardId = description.shards?.last?.shardId }
        var response = DescribeStreamResponse()
        response.streamDescription = description
        return response
    }

    func getShardIterator(_ request: GetShardIteratorRequest) throws(AWSError) -> GetShardIteratorResponse {
        usage.requests["GetShardIterator", default: 0] += 1
        let stream = try stream(request.streamArn)
        let shard = try shard(request.shardId, of: stream)
        var iterator = ShardIterator(stream: stream.arn, shard: shard.id, position: shard.firstReadable, issued: now)
        switch request.shardIteratorType {
        case .trimHorizon: break
        case .latest: iterator.position = max(shard.end.map { $0 + 1 } ?? stream.latest, shard.firstReadable)
        case .atSequenceNumber, .afterSequenceNumber:
            guard let number = request.sequenceNumber.flatMap(SequenceNumber.number), number < stream.latest else {
                throw .validation("Invalid SequenceNumber")
            }
            guard number >= shard.firstReadable else { throw .trimmed }
            iterator.position = request.shardIteratorType == .atSequenceNumber ? number : number + 1
        default: throw .validation("Unknown ShardIteratorType: \(request.shardIteratorType.rawValue)")
        }
        var response = GetShardIteratorResponse()
        response.shardIterator = iterator.text
        return response
    }

    func getRecords(_ request: GetRecordsRequest) throws(AWSError) -> GetRecordsResponse {
        usage.requests["GetRecords", default: 0] += 1
        guard var iterator = ShardIterator(request.shardIterator) else { throw .validation("Invalid ShardIterator") }
        guard (1...1000).contains(request.limit ?? 1000) else { throw .validation("Limit must be between 1 and 1000") }
        let issued = now
        guard issued - iterator.issued < 900_000 else {
            throw .refused("ExpiredIteratorException", "The iterator is more than 15 minutes old")
        }
        let shard = try shard(iterator.shard, of: try stream(iterator.stream))
        guard iterator.position >= shard.firstReadable else { throw .trimmed }
        var records: [StreamRecord] = []
        var size = 0
        let first = shard.records.boundary { $0.number >= iterator.position }
        iterator.position = max(iterator.position, shard.end.map { $0 + 1 } ?? iterator.position)
        for entry in shard.records[first...] {
            size += entry.record.change?.sizeBytes ?? 0
            if records.count == request.limit ?? 1000 || (size > Page.maximumSize && !records.isEmpty) {
                iterator.position = entry.number
                break
            }
            records.append(entry.record)
            if shard.end == nil { iterator.position = entry.number + 1 }
        }
        var response = GetRecordsResponse()
        response.records = records
        iterator.issued = issued
        if shard.end.map({ iterator.position <= $0 }) ?? true { response.nextShardIterator = iterator.text }
        return response
    }
}

extension AWSError {
    fileprivate static var trimmed: AWSError {
        .refused(
            "TrimmedDataAccessException",
            "The requested data is older than 24 hours, and is not in the stream any more")
    }
}

extension MemoryShard {
    fileprivate var description: Shard {
        var range = SequenceNumberRange()
        range.startingSequenceNumber = SequenceNumber.text(start)
        range.endingSequenceNumber = end.map(SequenceNumber.text)
        var shard = Shard()
        shard.shardId = id
        shard.parentShardId = parent
        shard.sequenceNumberRange = range
        return shard
    }
}

/// A place in a shard, as text between the calls.
struct ShardIterator {
    var stream: String
    var shard: String
    /// The number of the next record.
    var position: Int
    /// Milliseconds since 1970.
    var issued: Int64

    init(stream: String, shard: String, position: Int, issued: Int64) {
        (self.stream, self.shard, self.position, self.issued) = (stream, shard, position, issued)
    }

    init?(_ text: String) {
        let parts = text.split(separator: "|")
        guard parts.count == 4, let position = Int(parts[2]), let issued = Int64(parts[3]) else { return nil }
        self.init(stream: String(parts[0]), shard: String(parts[1]), position: position, issued: issued)
    }

    var text: String { "\(stream)|\(shard)|\(position)|\(issued)" }
}
