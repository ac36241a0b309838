import AWSClient
import DynamoDBPatterns
import DynamoDBPatternsTesting
import Foundation
import Testing

/// A lock with a lease of 30 seconds, whose holder writes a number; fenced or not.
@Suite struct LeaseTests {
    private static let lease = 30_000

    /// Three processes take the lock, read the number under it, and write the next one.
    @Sendable private static func scenario(_ simulation: Simulation, isFenced: Bool) async throws {
        let store = MemoryDynamoDB(clock: simulation.clock.now)
        try store.createPatternTable("test", stream: false)
        let guarded = WithoutConditions(base: store) { !isFenced && $0.update.contains("n = ") }
        for name in ["a", "b", "c"] {
            simulation.spawn(name, skew: simulation.duration(in: .seconds(-2)...(.seconds(2)))) { process in
                let api = process.dynamoDB(guarded, faults: .random(percent: 3, faults: [.crashBefore, .throttled]))
                while try await !Self.count(api, process.clock) { try await process.clock.sleep(.seconds(5)) }
            }
        }
        try await simulation.run()
        let written = store.items(in: "test").first?["log"]?.list?.compactMap(\.int) ?? []
        try simulation.check(written == Array(1...written.count), "The numbers are \(written).")
    }

    /// Takes the lock and writes the next number; says whether it had the lock.
    private static func count(_ api: any DynamoDBAPI, _ clock: PatternClock) async throws -> Bool {
        let now = Int(clock.now().timeIntervalSince1970 * 1000)
        do {
            let held = try await api.updateItem(
                UpdateItemRequest(
                    tableName: "test", key: Register.key, updateExpression: "SET ends = :end ADD fence :one",
                    conditionExpression: "attribute_not_exists(ends) OR ends < :now",
                    expressionAttributeValues: [
                        ":end": .integer(now + lease), ":now": .integer(now), ":one": .integer(1),
                    ], returnValues: .allNew))
            let item = held.attributes ?? [:]
            _ = try await api.updateItem(
                UpdateItemRequest(
                    tableName: "test", key: Register.key,
                    updateExpression:
                        "SET n = :next, ends = :zero, #log = list_append(if_not_exists(#log, :none), :entry)",
                    conditionExpression: "fence = :fence", expressionAttributeNames: ["#log": "log"],
                    expressionAttributeValues: [
                        ":next": .integer((item["n"]?.int ?? 0) + 1), ":zero": .integer(0), ":none": .list([]),
                        ":entry": .list([.integer((item["n"]?.int ?? 0) + 1)]), ":fence": item["fence"] ?? .null,
                    ]))
            return true
        } catch let error as AWSError where error.code == .conditionalCheckFailed {
            return false
        }
    }

    @Test("A holder whose lease ran out while it waited, and who writes all the same, is found")
    func zombie() async throws {
        let failure = try await Simulation.firstFailure(seeds: 0..<1000) {
            try await Self.scenario($0, isFenced: false)
        }
        #expect(failure?.violation != nil, "\(failure?.description ?? "nothing was found")")
    }

    @Test("With a fence in the write's condition no zombie writes, in a thousand runs")
    func fenced() async throws {
        try await Simulation.explore(seeds: 0..<1000) { try await Self.scenario($0, isFenced: true) }
    }
}
