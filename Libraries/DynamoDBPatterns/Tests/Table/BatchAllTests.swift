import AWSClient
import DynamoDBPatternsTesting
import Testing

@testable import DynamoDBPatterns

/// A DynamoDB that carries out so many items of each batch, and leaves out the rest.
private struct LeavesOut: DynamoDBDecorator {
    let base: any DynamoDBAPI
    let limit: Int

    func batchGetItem(_ request: BatchGetItemRequest) async throws -> BatchGetItemResponse {
        var (part, rest) = (request, request)
        for (table, wanted) in request.requestItems {
            part.requestItems[table]?.keys = Array(wanted.keys.prefix(limit))
            rest.requestItems[table]?.keys = Array(wanted.keys.dropFirst(limit))
        }
        var answer = limit > 0 ? try await base.batchGetItem(part) : BatchGetItemResponse()
        answer.unprocessedKeys = rest.requestItems.filter { !$0.value.keys.isEmpty }
        return answer
    }

    func batchWriteItem(_ request: BatchWriteItemRequest) async throws -> BatchWriteItemResponse {
        var part = request
        part.requestItems = request.requestItems.mapValues { Array($0.prefix(limit)) }
        var answer = limit > 0 ? try await base.batchWriteItem(part) : BatchWriteItemResponse()
        answer.unprocessedItems = request.requestItems.mapValues { Array($0.dropFirst(limit)) }
            .filter { !$0.value.isEmpty }
        return answer
    }
}

@Suite("Batches of any size, on any DynamoDB") struct BatchAllTests {
    private let world: PatternWorld
    private let keys: [[String: AttributeValue]]

    init() throws {
        world = try PatternWorld()
        keys = (0..<130).map { ["pk": .string("batch#\($0)"), "sk": .string("-")] }
    }

    private func write(to api: any DynamoDBAPI) async throws {
        _ = try await api.batchWriteAll(
            .init(requestItems: [PatternWorld.tableName: keys.map { .put($0) }]), clock: world.time.clock)
    }

    private func read(from api: any DynamoDBAPI) async throws -> Int {
        let wanted = KeysAndAttributes(keys: keys, consistentRead: true)
        let answer = try await api.batchGetAll(
            .init(requestItems: [PatternWorld.tableName: wanted]), clock: world.time.clock)
        return Set(answer.responses?[PatternWorld.tableName]?.compactMap { $0["pk"]?.string } ?? []).count
    }

    @Test("All items are written and read in memory, in as few requests as DynamoDB allows")
    func memory() async throws {
        let writing = try await world.cost { try await write(to: world.store) }
        #expect(writing == .init(requests: 6, written: 130))
        var count = 0
        let reading = try await world.cost { count = try await read(from: world.store) }
        #expect(reading.requests == 2 && count == 130)
    }

    @Test("What is left out is asked for again, by the clock that is given")
    func leftOut() async throws {
        let hesitant = LeavesOut(base: world.store, limit: 7)
        let start = world.time.clock.now()
        try await write(to: hesitant)
        #expect(world.store.items(in: PatternWorld.tableName).count == 130)
        #expect(try await read(from: hesitant) == 130)
        #expect(world.time.clock.now() > start)
    }

    @Test("A DynamoDB that leaves out everything ends with `unprocessed`; so does the value of a counter")
    func everything() async throws {
        let refusing = LeavesOut(base: world.store, limit: 0)
        let likes = try ShardedCounter("likes", in: world.table(refusing), shards: 4)
        for call in [{ try await write(to: refusing) }, { _ = try await likes.value(of: "v") }] {
            let error = await #expect(throws: AWSError.self) { try await call() }
            #expect(error?.code == .unprocessed && error?.mayHaveTakenEffect == false)
        }
    }
}
