import AWSClient
import DynamoDBPatternsTesting
import Testing

@testable import DynamoDBPatterns

/// Each fault at each call: two processes take the lease in turns, renew it, write under it and release it.
@Suite struct LeaseManagerFaultTests {
    @Test("Fences only grow, one holder at a time, whatever happens to which two calls")
    func faults() async throws {
        let runs = try await FaultSweep.run(depth: 2) { run in
            let world = try PatternWorld()
            let fences = Journal()
            for turn in 1...3 {
                try await run.deliver(to: world.store) { api in
                    // A process of its own: it has seen nothing before.
                    let leases = try LeaseManager(
                        "jobs", in: world.table(api), duration: .seconds(30), logger: ProcessorWorld.logger)
                    guard let lease = try await leases.acquire("x", waiting: .seconds(120)) else {
                        throw InvariantViolation("A lease that nobody renews was not free in time.")
                    }
                    fences.write("\(lease.fence)")
                    try await leases.renew(lease)
                    try await Self.write(turn, lease, api)
                    try await leases.release(lease)
                }
            }
            let taken = fences.entries.compactMap { Int64($0) }
            try run.check(taken == Array(Set(taken)).sorted(), "The fences were \(taken).")
            let log = world.store.items(in: PatternWorld.tableName).first { $0["pk"]?.string == "log" }
            try run.check(log?["turns"]?.list?.compactMap(\.int) == [1, 2, 3], "The log is \(log?["turns"] ?? .null).")
        }
        #expect(runs > 500)
    }

    /// Writes a turn down once, under the lease.
    private static func write(_ turn: Int, _ lease: HeldLease, _ api: any DynamoDBAPI) async throws {
        let entry = TransactWriteItem.update(
            .init(
                tableName: PatternWorld.tableName, key: ["pk": .string("log"), "sk": .string("log")],
                updateExpression: "SET turns = list_append(if_not_exists(turns, :none), :turn), #last = :last",
                conditionExpression: "attribute_not_exists(#last) OR #last < :last",
                expressionAttributeNames: ["#last": "last"],
                expressionAttributeValues: [
                    ":none": .list([]), ":turn": .list([.integer(turn)]), ":last": .integer(turn),
                ]))
        do {
            _ = try await api.transactWriteItems(
                .init(transactItems: [lease.check(), entry]), retryingContention: true)
        } catch let error as AWSError where error.cancellationReasons.map(\.code) == ["None", "ConditionalCheckFailed"]
        {
            // Written by an earlier delivery of this turn.
        }
    }
}
