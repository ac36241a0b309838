import AWSClient
import AWSTestSupport
import DynamoDBPatterns
import Testing

@testable import DynamoDBPatternsTesting

@Suite(.enabled(if: Ministack.skipReason == nil, Comment(rawValue: Ministack.skipReason ?? "")))
struct MemoryAgainstMinistackTests {
    /// Runs a test with a table on ministack and the same in memory.
    private func withBoth(_ body: (DynamoDB, DynamoDBStreams, MemoryDynamoDB, String) async throws -> Void) async throws
    {
        let client = try AWSClient(
            region: Ministack.region, endpoint: try await Ministack.shared().url,
            credentials: StaticCredentials(
                accessKeyID: Ministack.rootKey.id, secretAccessKey: Ministack.rootKey.secret),
            options: .init(timeouts: .init(connect: .seconds(30), request: .seconds(30))))
        let table = "memory-\(UInt64.random(in: 0 ... .max))"
        let memory = MemoryDynamoDB()
        do {
            let creation = Fixture.request(table)
            _ = try await DynamoDB(client).createTable(creation)
            try memory.createTable(creation)
            try await body(DynamoDB(client), DynamoDBStreams(client), memory, table)
            try await client.shutdown()
        } catch {
            try await client.shutdown()
            throw error
        }
    }

    /// Where ministack is not as DynamoDB, or is of another opinion where nobody knows DynamoDB's.
    private static func isKnown(_ ours: RandomAnswer, _ theirs: RandomAnswer, _ request: RandomRequest) -> Bool {
        // It makes what a path lacks, removes what is not there, and lets arithmetic go by that has no numbers.
        let updates = ["document path provided", "incorrect data type"]
        if ours.error == "ValidationException", updates.contains(where: ours.message.text.contains) { return true }
        // One action that is no use to its item makes it say of the others that they were not in the way.
        if (ours.reasons + theirs.reasons).contains("ValidationError") { return true }
        // `begins_with` of an attribute that is no text is an error to it.
        if theirs.message.text.contains("function: begins_with") { return true }
        // It applies filters to what an index does not hold, and has a size for numbers.
        switch request {
        case .query(let query) where query.indexName != nil && query.filterExpression != nil: return true
        case .scan(let scan) where scan.indexName != nil && scan.filterExpression != nil: return true
        default: if "\(request)".contains("size(") { return true }
        }
        // It answers with a list whole where one element of it was changed.
        if case .update(let update) = request, update.returnValues == .updatedOld || update.returnValues == .updatedNew,
            update.updateExpression?.contains("[") == true, ours.error == nil, theirs.error == nil
        {
            return true
        }
        return false
    }

    /// Gives the table in memory the items of the other one.
    private func resync(_ memory: MemoryDynamoDB, with dynamoDB: DynamoDB, _ table: String) async throws {
        for item in memory.items(in: table) {
            let key = item.filter { $0.key == "pk" || $0.key == "sk" }
            _ = try await memory.deleteItem(.init(tableName: table, key: key))
        }
        for item in try await dynamoDB.scan(.init(tableName: table)).items ?? [] {
            _ = try await memory.putItem(.init(tableName: table, item: item))
        }
    }

    @Test("random requests are answered as by ministack", arguments: 1...3 as ClosedRange<UInt64>)
    func sameAnswers(seed: UInt64) async throws {
        try await withBoth { dynamoDB, _, memory, table in
            var requests = RandomRequests(seed: seed, table: table)
            for number in 0..<300 {
                let request = requests.next()
                let theirs = await request.answer(of: dynamoDB)
                let ours = await request.answer(of: memory)
                if ours == theirs { continue }
                #expect(
                    Self.isKnown(ours, theirs, request),
                    "seed \(seed), request \(number): \(request)\n\(ours)\n\(theirs)")
                try await resync(memory, with: dynamoDB, table)
            }
        }
    }

    @Test("the stream has the records that ministack's has")
    func sameRecords() async throws {
        try await withBoth { dynamoDB, streams, memory, table in
            var requests = RandomRequests(seed: 7, table: table)
            for _ in 0..<400 {
                let request: RandomRequest
                // Without conditions and updates, of which the two carry out some differently.
                switch requests.next() {
                case .put(let put): request = .put(.init(tableName: table, item: put.item))
                case .delete(let delete): request = .delete(.init(tableName: table, key: delete.key))
                case .batchWrite(let batch): request = .batchWrite(batch)
                default: continue
                }
                let theirs = await request.answer(of: dynamoDB)
                let ours = await request.answer(of: memory)
                #expect(ours.error == theirs.error)
            }
            let arn = try await dynamoDB.describeTable(.init(tableName: table)).table?.latestStreamArn
            let theirs = try await records(of: streams, try #require(arn))
            let ours = try await records(of: memory, try #require(memory.streamARN(of: table)))
            #expect(ours.count > 30)
            #expect(ours == theirs)
        }
    }

    /// The records of a stream with one shard.
    private func records(of streams: some StreamsAPI, _ arn: String) async throws -> [RecordedChange] {
        let shard = try await streams.describeStream(.init(streamArn: arn)).streamDescription?.shards?.first?.shardId
        var iterator = try await streams.getShardIterator(
            .init(streamArn: arn, shardId: shard ?? "", shardIteratorType: .trimHorizon)
        ).shardIterator
        var records: [StreamRecord] = []
        while let next = iterator {
            let page = try await streams.getRecords(.init(shardIterator: next))
            records += page.records ?? []
            iterator = page.records?.isEmpty == false ? page.nextShardIterator : nil
        }
        return records.map(RecordedChange.init)
    }
}

/// What of a record does not depend on the stream.
private struct RecordedChange: Equatable {
    var name: StreamRecord.EventName?
    var key: [String: AttributeValue]?
    var new: [String: AttributeValue]?
    var old: [String: AttributeValue]?

    init(_ record: StreamRecord) {
        name = record.eventName
        key = try? record.change?.keys?.canonical()
        new = try? record.change?.newImage?.canonical()
        old = try? record.change?.oldImage?.canonical()
    }
}
