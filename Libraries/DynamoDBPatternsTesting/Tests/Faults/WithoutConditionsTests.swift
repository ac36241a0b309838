import AWSClient
import DynamoDBPatterns
import Testing

@testable import DynamoDBPatternsTesting

@Suite struct WithoutConditionsTests {
    @Test("A write is carried out although its condition does not hold, where the bug is; elsewhere it is refused")
    func writes() async throws {
        let register = try Register()
        try await register.write(7, register.store)
        let fine = WithoutConditions(base: register.store) { $0.operation == .updateItem }
        await #expect(throws: AWSError.self) { try await register.write(1, ifIs: 3, fine) }
        let broken = WithoutConditions(base: register.store) { $0.condition == "n = :n" && $0.table == "test" }
        try await register.write(1, ifIs: 3, broken)
        #expect(register.value == 1)
    }

    @Test("Actions of transactions are writes too, and so are checks")
    func transactions() async throws {
        let register = try Register()
        let check = TransactWriteItem.ConditionCheck(
            tableName: "test", key: ["pk": .string("other"), "sk": .string("other")],
            conditionExpression: "attribute_exists(pk)")
        let delete = TransactWriteItem.Delete(
            tableName: "test", key: Register.key, conditionExpression: "attribute_exists(pk)")
        let request = TransactWriteItemsRequest(transactItems: [.conditionCheck(check), .delete(delete)])
        let half = WithoutConditions(base: register.store) { $0.operation == nil }
        let error = await #expect(throws: AWSError.self) {
            try await half.transactWriteItems(request, retryingContention: false)
        }
        #expect(error?.cancellationReasons.map(\.code) == ["None", "ConditionalCheckFailed"])
        _ = try await WithoutConditions(base: register.store).transactWriteItems(request, retryingContention: false)
    }

    @Test("Names stand in place of their placeholders")
    func names() {
        let text = WithoutConditions.named("SET #1 = :1, #10 = #2 ADD #x :x", ["#1": "a", "#10": "b", "#2": "c"])
        #expect(text == "SET a = :1, b = c ADD #x :x")
    }
}
