import AWSClient
import DynamoDBPatterns
import DynamoDBPatternsTesting
import Logging
import Synchronization

/// An item of the table whose stream is read.
struct Note: Codable, Sendable, Hashable {
    var id: String
    var number: Int
}

/// A table `notes` with a stream, one for leases, and a clock that moves when somebody sleeps.
struct StreamFixture: Sendable {
    let simulation: Simulation
    let store: MemoryDynamoDB
    let arn: String

    static let silent = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    init(shards: Int = 1, view: StreamViewType = .newAndOldImages, simulation: Simulation = Simulation(seed: 1)) throws
    {
        self.simulation = simulation
        store = MemoryDynamoDB(clock: simulation.clock.now)
        try store.createTable(
            CreateTableRequest(
                tableName: "notes", attributeDefinitions: [.init(attributeName: "id", attributeType: .string)],
                keySchema: [.init(attributeName: "id", keyType: .hash)],
                streamSpecification: .init(streamEnabled: true, streamViewType: view)),
            timeToLive: "ttl", streamShards: shards)
        try store.createPatternTable("leases")
        arn = store.streamARN(of: "notes") ?? ""
    }

    var clock: PatternClock { simulation.clock }

    func table(_ api: (any DynamoDBAPI)? = nil) -> PatternTable {
        PatternTable("leases", in: api ?? store, clock: clock)
    }

    /// Writes items, in this order.
    func write(_ notes: [Note]) async throws {
        for note in notes {
            _ = try await store.putItem(PutItemRequest(tableName: "notes", item: AttributeEncoder().item(of: note)))
        }
    }

    func write(_ id: String, _ numbers: ClosedRange<Int>) async throws {
        try await write(numbers.map { Note(id: id, number: $0) })
    }

    func delete(_ id: String) async throws {
        _ = try await store.deleteItem(DeleteItemRequest(tableName: "notes", key: ["id": .string(id)]))
    }

    /// What is in the stream's first shard.
    func records() async throws -> [StreamRecord] {
        let shards = try await store.describeStream(DescribeStreamRequest(streamArn: arn)).streamDescription?.shards
        var place = try await store.getShardIterator(
            GetShardIteratorRequest(
                streamArn: arn, shardId: shards?.first?.shardId ?? "", shardIteratorType: .trimHorizon)
        ).shardIterator
        var records: [StreamRecord] = []
        while let iterator = place {
            let page = try await store.getRecords(GetRecordsRequest(shardIterator: iterator))
            records += page.records ?? []
            place = page.records?.isEmpty == false ? page.nextShardIterator : nil
        }
        return records
    }

    /// A worker that writes down what it handles.
    func consumer(
        _ worker: String = "w", _ ledger: StreamLedger, api: (any DynamoDBAPI & StreamsAPI)? = nil,
        deadLetters: (any DeadLetterTarget)? = nil, options: StreamConsumer.Options = .init()
    ) throws -> StreamConsumer {
        var options = options
        options.worker = worker
        let processor = try StreamProcessor<Note>(
            "notes", deadLetters: deadLetters, clock: clock, logger: Self.silent
        ) { change in
            try ledger.handle(change, by: worker)
        }
        return StreamConsumer(processor, of: arn, in: api ?? store, leases: table(api), options: options)
    }
}

/// What handlers were given, in the order in which they were.
final class StreamLedger: Sendable {
    struct Entry: Sendable, Hashable {
        var worker: String
        var note: Note
    }

    struct Hiccup: Error {}

    private struct State {
        var entries: [Entry] = []
        var failures: [Note: Int] = [:]
        var tries: [Note: Int] = [:]
    }

    private let state = Mutex(State())

    var entries: [Entry] { state.withLock { $0.entries } }
    var notes: [Note] { entries.map(\.note) }
    var numbers: [Int] { notes.map(\.number) }
    /// Without duplicates, in the order of their first deliveries.
    var first: [Note] {
        var seen: Set<Note> = []
        return notes.filter { seen.insert($0).inserted }
    }

    func tries(of note: Note) -> Int { state.withLock { $0.tries[note] ?? 0 } }

    /// Lets a note fail a number of times.
    func fail(_ note: Note, times: Int = .max) { state.withLock { $0.failures[note] = times } }

    func handle(_ change: StreamChange<Note>, by worker: String) throws {
        guard let note = change.new ?? change.old else { return }
        try state.withLock { state in
            state.tries[note, default: 0] += 1
            if let left = state.failures[note], left > 0 {
                state.failures[note] = left - 1
                throw Hiccup()
            }
            state.entries.append(Entry(worker: worker, note: note))
        }
    }

    /// Whether the first deliveries of each item are in its order, and without gaps from 1 on.
    var isInOrder: Bool {
        var last: [String: Int] = [:]
        for note in first {
            guard note.number == last[note.id, default: 0] + 1 else { return false }
            last[note.id] = note.number
        }
        return true
    }
}

extension StreamConsumer {
    /// Steps until nothing is left to read.
    func drain() async throws {
        while try await step() > 0 {}
    }
}
