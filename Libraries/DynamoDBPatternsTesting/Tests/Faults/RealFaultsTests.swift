import AWSClient
import AWSTestSupport
import DynamoDBPatterns
import DynamoDBPatternsTesting
import Testing

/// What AWSClient really does behind a network that loses an answer, beside what a `FaultyDynamoDB` does.
@Suite(.enabled(if: Ministack.skipReason == nil, Comment(rawValue: Ministack.skipReason ?? "")))
struct RealFaultsTests {
    /// A write's error, and what the register has after it.
    private struct Outcome: Equatable {
        var code: AWSError.Code?
        var mayHaveTakenEffect: Bool?
        var item: [String: AttributeValue]?
        var value: Int
    }

    private func outcome(
        of write: (any DynamoDBAPI) async throws -> Void, through api: any DynamoDBAPI, _ register: Register,
        on store: any DynamoDBAPI
    ) async throws -> Outcome {
        var failure: AWSError?
        do { try await write(api) } catch let error as AWSError { failure = error }
        return Outcome(
            code: failure?.code, mayHaveTakenEffect: failure?.mayHaveTakenEffect,
            item: failure?.conditionCheckFailedItem, value: try await register.read(store))
    }

    /// Makes the same write with a fault of the network and with one of ours, and compares.
    private func compare(
        _ operation: String, _ real: [FaultProxy.Fault?], _ ours: Fault,
        _ write: @escaping (Register, any DynamoDBAPI) async throws -> Void
    ) async throws {
        let server = try await Ministack.shared()
        var register = try Register()
        let simulated = try await outcome(
            of: { [register] in try await write(register, $0) },
            through: FaultyDynamoDB(register.store, plan: .at(call: 1, ours)), register, on: register.store)
        register.table = "faults-\(UInt64.random(in: 0 ... .max))"
        try await FaultProxy.with(before: server.url) { proxy in
            let client = try AWSClient(
                region: Ministack.region, endpoint: proxy.url,
                credentials: StaticCredentials(
                    accessKeyID: Ministack.rootKey.id, secretAccessKey: Ministack.rootKey.secret),
                options: .init(timeouts: .init(connect: .seconds(30), request: .seconds(30))))
            do {
                let dynamoDB = DynamoDB(client)
                try await makeTable(register.table, dynamoDB)
                proxy.script(real, for: operation)
                let live = try await outcome(
                    of: { [register] in try await write(register, $0) }, through: dynamoDB, register, on: dynamoDB)
                #expect(live == simulated)
            } catch {
                Issue.record(error)
            }
            try await client.shutdown()
        }
    }

    private func makeTable(_ name: String, _ dynamoDB: DynamoDB) async throws {
        _ = try await dynamoDB.createTable(
            CreateTableRequest(
                tableName: name,
                attributeDefinitions: [
                    .init(attributeName: "pk", attributeType: .string),
                    .init(attributeName: "sk", attributeType: .string),
                ],
                keySchema: [.init(attributeName: "pk", keyType: .hash), .init(attributeName: "sk", keyType: .range)]))
    }

    @Test("A conditional write whose answer is lost fails its own condition, in doubt")
    func conditional() async throws {
        try await compare("PutItem", [.lostReply], .lostReplyThenRetried) { register, api in
            try await register.write(1, ifIs: 0, api)
        }
    }

    @Test("A write without a condition has its effect twice")
    func unconditional() async throws {
        try await compare("UpdateItem", [.lostReply], .lostReplyThenRetried) { try await $0.add($1) }
    }

    @Test("A transaction has its effect once")
    func transaction() async throws {
        try await compare("TransactWriteItems", [.lostReply], .lostReplyThenRetried) {
            try await $0.addInTransaction($1)
        }
    }

    @Test("Throttled until the tries are used up, nothing is in doubt")
    func throttled() async throws {
        let faults = Array(repeating: FaultProxy.Fault?.some(.provisionedThroughputExceeded), count: 10)
        try await compare("UpdateItem", faults, .throttled) { try await $0.add($1) }
    }

    @Test("A write that meets a transaction is refused, and nothing is in doubt")
    func conflict() async throws {
        try await compare("UpdateItem", [.transactionConflict], .conflict) { try await $0.add($1) }
    }
}
