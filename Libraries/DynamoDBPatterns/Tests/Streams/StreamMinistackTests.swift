import AWSClient
import AWSTestSupport
import DynamoDBPatterns
import Testing

@Suite(.enabled(if: Ministack.skipReason == nil, Comment(rawValue: Ministack.skipReason ?? "")))
struct StreamMinistackTests {
    /// A table whose stream is read, and which has the leases, too.
    private func table(_ client: AWSClient) async throws -> (table: PatternTable, stream: String) {
        let dynamoDB = DynamoDB(client)
        let name = "streams-\(UInt64.random(in: 0 ... .max))"
        try await PatternTable.create(name, in: dynamoDB)
        let description = try await dynamoDB.describeTable(.init(tableName: name)).table
        return (PatternTable(name, in: dynamoDB), try #require(description?.latestStreamArn))
    }

    private func write(_ numbers: ClosedRange<Int>, to table: PatternTable) async throws {
        for number in numbers {
            var item = try AttributeEncoder().item(of: Note(id: "a", number: number))
            item["pk"] = .string("note")
            item["sk"] = .string("a")
            _ = try await table.api.putItem(PutItemRequest(tableName: table.name, item: item))
        }
    }

    @Test("A worker goes on where another one stopped, over the streams' API, with leases in the same table")
    func takeOver() async throws {
        let client = try await StandIn.client()
        let (table, stream) = try await table(client)
        let ledger = StreamLedger()
        let workers = try ["w1", "w2"].map { worker in
            var options = StreamConsumer.Options()
            options.worker = worker
            let processor = try StreamProcessor<Note>("notes", logger: StreamFixture.silent) { change in
                try ledger.handle(change, by: worker)
            }
            return StreamConsumer(
                processor, of: stream, in: DynamoDBStreams(client), leases: table, options: options)
        }
        try await write(1...5, to: table)
        try await workers[0].step()
        #expect(ledger.numbers == Array(1...5))
        await workers[0].release()
        try await write(6...8, to: table)
        try await workers[1].step()
        #expect(ledger.numbers == Array(1...8) && ledger.entries.last?.worker == "w2")
        #expect(await workers[1].shardIDs.isEmpty == false)
        await workers[1].release()
    }

    @Test("Dead letters go to a table and to a queue")
    func deadLetters() async throws {
        let client = try await StandIn.client()
        let (table, stream) = try await table(client)
        let ministack = try await Ministack.shared()
        let queue = try await ministack.createQueue("letters-\(UInt64.random(in: 0 ... .max))")
        let (kept, sent) = (TableDeadLetters(in: table), QueueDeadLetters(queue, in: SQS(client)))
        let both = ClosureDeadLetters { letter in
            try await kept.take(letter)
            try await sent.take(letter)
        }
        try await write(1...1, to: table)
        let processor = try StreamProcessor<Note>("notes", deadLetters: both, logger: StreamFixture.silent) { _ in
            throw PatternError(.poison, "No.")
        }
        let consumer = StreamConsumer(processor, of: stream, in: DynamoDBStreams(client), leases: table)
        #expect(try await consumer.step() == 1)
        await consumer.release()
        let letters = try await kept.letters(of: "notes")
        #expect(letters.count == 1 && letters.first?.reason == .refused)
        let message = try #require(try await ministack.messages(in: queue, waiting: 1).first)
        #expect(message.contains(#""reason":"refused""#) && message.contains(#""number":{"N":"1"}"#))
    }
}
