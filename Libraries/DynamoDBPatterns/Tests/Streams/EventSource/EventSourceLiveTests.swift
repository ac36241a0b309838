import AWSClient
import AWSTestSupport
import DynamoDBPatterns
import Synchronization
import Testing

@Suite(.enabled(if: Ministack.skipReason == nil, Comment(rawValue: Ministack.skipReason ?? "")))
struct EventSourceLiveTests {
    @Test("On a stream that somebody else wrote: filters, batches, retries, splits, order")
    func stream() async throws {
        let client = try await StandIn.client()
        let database = DynamoDB(client)
        let table = "events-\(UInt64.random(in: .min ... .max))"
        let made = try await database.createTable(
            CreateTableRequest(
                tableName: table, attributeDefinitions: [.init(attributeName: "pk", attributeType: .string)],
                keySchema: [.init(attributeName: "pk", keyType: .hash)],
                streamSpecification: .init(streamEnabled: true, streamViewType: .newAndOldImages)))
        let arn = try #require(made.tableDescription?.latestStreamArn)
        for n in 1...12 {
            let state = n % 3 == 0 ? "READY" : "OPEN"
            _ = try await database.putItem(
                PutItemRequest(tableName: table, item: ["pk": .string("k"), "n": .integer(n), "state": .string(state)]))
        }
        let seen = Mutex<[[Int]]>([])
        let mapping = try EventSourceMapping(
            filter: FilterCriteria(.becomes("state", "READY")), batchSize: 3, maximumRetryAttempts: 1,
            bisectsOnError: true)
        var runner = EventSourceRunner(mapping, of: arn, in: DynamoDBStreams(client)) { event in
            let numbers = try DynamoDBStreams.records(ofLambdaEvent: event).compactMap {
                $0.change?.newImage?["n"]?.int
            }
            seen.withLock { $0.append(numbers) }
            if numbers.contains(6) { throw FunctionFailed() }
            return []
        }
        let progress = try await runner.drain()
        #expect(seen.withLock { $0 } == [[3, 6, 9], [3, 6], [3], [6], [6], [9], [12]])
        #expect(progress.filtered == 8 && progress.handled == 3 && progress.discarded == 1)
    }
}
