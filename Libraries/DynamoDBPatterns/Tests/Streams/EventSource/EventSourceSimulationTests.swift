import AWSClient
import DynamoDBPatternsTesting
import Synchronization
import Testing

@testable import DynamoDBPatterns

/// Writers change items while shards split; a runner with random settings and faults calls a function that copies the
/// items into a second table. In the end both tables are the same, and each item's changes came in their order.
@Suite struct EventSourceSimulationTests {
    @Test("Whatever the settings, splits, duplicates and lost answers: every change comes, each item's in order")
    func explore() async throws {
        try await Simulation.explore(seeds: 0..<400) { try await Scenario().run($0) }
    }

    @Test("A bug on purpose is found: children that are read before their parents")
    func orphans() async throws {
        let failure = try await Simulation.firstFailure(seeds: 0..<500) {
            try await Scenario(hidesParents: true).run($0)
        }
        #expect(failure?.violation?.description.contains("before") == true, "\(String(describing: failure))")
    }

    @Test("A bug on purpose is found: a function that counts what it gets instead of storing what it is")
    func notIdempotent() async throws {
        let failure = try await Simulation.firstFailure(seeds: 0..<500) { try await Scenario(counts: true).run($0) }
        #expect(failure?.violation?.description.contains("differs") == true, "\(String(describing: failure))")
    }
}

private struct Scenario: Sendable {
    var hidesParents = false
    var counts = false

    private static let faults: [Fault] = [.lostReply, .lostReplyThenRetried, .notSent, .throttled]

    func run(_ simulation: Simulation) async throws {
        let store = MemoryDynamoDB(clock: simulation.clock.now, seed: simulation.seed)
        try store.createPatternTable("items")
        try store.createPatternTable("copies", stream: false)
        let arn = try #require(store.streamARN(of: "items"))
        let writers = Atomic(2)
        let splits = Atomic(0)
        for name in ["one", "two"] {
            simulation.spawn(name) { process in
                let api = process.dynamoDB(store, faults: .random(percent: 5, faults: Self.faults))
                for _ in 0..<12 {
                    try? await change(item: simulation.choose(4), in: api)
                    try await process.clock.sleep(.milliseconds(Int64(simulation.choose(400))))
                    guard simulation.chance(percent: 10) else { continue }
                    if splits.add(1, ordering: .relaxed).newValue <= 2 { store.splitShards(of: "items") }
                }
                writers.subtract(1, ordering: .relaxed)
            }
        }
        let seen = Mutex<[String: Int]>([:])
        simulation.spawn("mapping") { process in
            let api = process.dynamoDB(
                Orphans(base: store, isOn: hidesParents), faults: .random(percent: 5, faults: Self.faults))
            var runner = EventSourceRunner(
                try mapping(simulation), of: arn, in: api, clock: process.clock,
                faults: .init(duplicates: 0.1, lostAnswers: 0.1)
            ) { event in
                try await copy(event, to: api, seen)
            }
            while writers.load(ordering: .relaxed) > 0 {
                _ = try? await runner.step()
                try await process.clock.sleep(.milliseconds(Int64(simulation.choose(500))))
            }
            for _ in 0..<200 where (try? await runner.drain(quietSteps: 3)) == nil {}
        }
        try await simulation.run()
        if let early = seen.withLock({ $0["early"] }) {
            throw InvariantViolation("Change \(early) of an item came before the one before it.")
        }
        let items = Set(store.items(in: "items").map { "\($0["pk"]?.string ?? "") \($0["n"]?.number ?? "")" })
        let copies = Set(store.items(in: "copies").map { "\($0["pk"]?.string ?? "") \($0["n"]?.number ?? "")" })
        try simulation.check(items == copies, "The copy differs: \(items.sorted()), \(copies.sorted())")
    }

    private func mapping(_ simulation: Simulation) throws -> EventSourceMapping {
        try EventSourceMapping(
            filter: simulation.chance(percent: 50) ? FilterCriteria(.newImage("pk", .exists)) : nil,
            batchSize: 1 + simulation.choose(5), batchingWindow: .seconds(simulation.choose(2)),
            parallelizationFactor: 1 + simulation.choose(3), bisectsOnError: simulation.chance(percent: 50),
            reportsBatchItemFailures: true)
    }

    private func change(item: Int, in api: any DynamoDBAPI) async throws {
        _ = try await api.updateItem(
            UpdateItemRequest(
                tableName: "items", key: ["pk": .string("i\(item)"), "sk": .string("x")],
                updateExpression: "ADD n :one", expressionAttributeValues: [":one": .integer(1)]))
    }

    /// A function that stores what an item is now; it stops at the first record that it cannot.
    private func copy(
        _ event: [UInt8], to api: any DynamoDBAPI, _ seen: borrowing Mutex<[String: Int]>
    ) async throws -> [UInt8] {
        for record in try DynamoDBStreams.records(ofLambdaEvent: event) {
            guard let key = record.change?.keys, let name = key["pk"]?.string,
                let n = record.change?.newImage?["n"]?.int
            else { throw FunctionFailed() }
            seen.withLock { seen in
                if n > seen[name, default: 0] + 1 { seen["early"] = n }
                seen[name] = max(n, seen[name, default: 0])
            }
            do {
                _ = try await api.updateItem(
                    UpdateItemRequest(
                        tableName: "copies", key: key, updateExpression: counts ? "ADD n :n" : "SET n = :n",
                        conditionExpression: counts ? nil : "attribute_not_exists(n) OR n < :n",
                        expressionAttributeValues: [":n": counts ? .integer(1) : .integer(n)]))
            } catch let error as AWSError where error.code == .conditionalCheckFailed {
                continue
            } catch {
                let number = record.change?.sequenceNumber ?? ""
                return Array(#"{"batchItemFailures":[{"itemIdentifier":"\#(number)"}]}"#.utf8)
            }
        }
        return []
    }
}

/// The bug: a stream that does not say which shard came from which.
private struct Orphans: DynamoDBDecorator {
    let base: any DynamoDBAPI
    let isOn: Bool

    func describeStream(_ request: DescribeStreamRequest) async throws -> DescribeStreamResponse {
        guard let streams else { throw FunctionFailed() }
        var answer = try await streams.describeStream(request)
        guard isOn else { return answer }
        let shards = answer.streamDescription?.shards ?? []
        answer.streamDescription?.shards = shards.map { shard in
            var shard = shard
            shard.parentShardId = nil
            return shard
        }
        return answer
    }
}
