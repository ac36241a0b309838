import AWSClient
import DynamoDBPatternsTesting
import Testing

/// Reads the stream of a fixture.
struct StreamReader {
    let fixture: Fixture
    let arn: String

    init(_ fixture: Fixture) throws {
        self.fixture = fixture
        arn = try #require(fixture.db.streamARN(of: "items"))
    }

    func shards() async throws -> [Shard] {
        var shards: [Shard] = []
        var start: String?
        repeat {
            let page = try await fixture.db.describeStream(
                .init(streamArn: arn, limit: 2, exclusiveStartShardId: start)
            ).streamDescription
            shards += page?.shards ?? []
            start = page?.lastEvaluatedShardId
        } while start != nil
        return shards
    }

    func iterator(
        _ shard: String?, _ type: ShardIteratorType = .trimHorizon, _ number: String? = nil
    ) async throws -> String {
        let shard = try #require(shard)
        let answer = try await fixture.db.getShardIterator(
            .init(streamArn: arn, shardId: shard, shardIteratorType: type, sequenceNumber: number))
        return try #require(answer.shardIterator)
    }

    func read(_ iterator: String, limit: Int? = nil) async throws -> GetRecordsResponse {
        try await fixture.db.getRecords(.init(shardIterator: iterator, limit: limit))
    }

    func all() async throws -> [StreamRecord] {
        var records: [StreamRecord] = []
        for shard in try await shards() { records += try await read(iterator(shard.shardId)).records ?? [] }
        return records
    }
}
