import AWSClient
import DynamoDBPatternsTesting
import Testing

@Suite struct MemoryConditionTests {
    private static let item: [String: AttributeValue] = [
        "n": .integer(5), "big": .number("12345678901234567890123456789012345678"), "s": .string("hello"),
        "e": .string("e\u{301}"), "b": .binary([1, 2, 3]), "t": .bool(true), "z": .null,
        "l": .list([.integer(1), .map(["a": .list([.string("deep")])])]), "m": .map(["x": .integer(9)]),
        "ss": .stringSet(["b", "a"]), "ns": .numberSet(["2", "1.0"]),
    ]

    private static let values: [String: AttributeValue] = [
        ":five": .number("5.0"), ":one": .integer(1), ":nine": .number("9e0"), ":he": .string("he"),
        ":long": .number("12345678901234567890123456789012345679"), ":ss": .stringSet(["a", "b"]),
        ":S": .string("S"), ":L": .string("L"), ":deep": .string("deep"), ":two": .binary([2]), ":a": .string("a"),
        ":acute": .string("é"),
    ]

    @Test(
        "a condition holds or does not, as in DynamoDB",
        arguments: [
            ("n = :five", true), ("n <> :five", false), ("big < :long", true), ("big >= :long", false),
            ("s > :he", true), ("n > :he", false), ("ss = :ss", true), ("absent = :one", false),
            ("absent <> :one", true), ("absent < :one", false), ("NOT absent = :one", true),
            ("n BETWEEN :one AND :nine", true), ("n IN (:one, :five)", true), ("n IN (:one)", false),
            ("attribute_exists(z)", true), ("attribute_exists(m.y)", false), ("attribute_not_exists(l[2])", true),
            ("attribute_type(l, :L)", true), ("attribute_type(n, :S)", false), ("attribute_type(absent, :S)", false),
            ("begins_with(s, :he)", true), ("begins_with(n, :he)", false), ("contains(s, :he)", true),
            ("contains(b, :two)", true), ("contains(ss, :a)", true), ("contains(ns, :one)", true),
            ("contains(l, :one)", true), ("contains(l, :deep)", false), ("l[1].a[0] = :deep", true),
            ("size(s) = :five", true), ("size(l) < :nine", true), ("size(m) = :one", true), ("size(n) = :one", false),
            ("m.x = :nine", true), ("n = m.x", false),
            // AND binds more than OR, NOT more than both.
            ("n = :five OR n = :one AND s = :a", true), ("(n = :five OR n = :one) AND s = :a", false),
            ("NOT n = :one AND n = :five", true), ("NOT (n = :one OR n = :five)", false),
            ("not n = :one or s = :a", true),
            // Unicode's equal characters are not equal.
            ("#e = :acute", false),
        ])
    func holds(condition: String, expected: Bool) async throws {
        let fixture = try Fixture()
        try await fixture.put("a", 1, Self.item)
        let used = Self.values.filter { value in
            condition.split { " (),".contains($0) }.contains { $0 == value.key }
        }
        let refusal = await code {
            try await fixture.db.putItem(
                .init(
                    tableName: "items", item: Fixture.key("a", 1), conditionExpression: condition,
                    expressionAttributeNames: condition.contains("#e") ? ["#e": "e"] : nil,
                    expressionAttributeValues: used.isEmpty ? nil : used))
        }
        #expect(refusal == (expected ? nil : .conditionalCheckFailed))
    }

    @Test("of an item that is not there, no attribute is")
    func nothing() async throws {
        let fixture = try Fixture()
        #expect(
            await code {
                try await fixture.db.deleteItem(
                    .init(tableName: "items", key: Fixture.key("a", 1), conditionExpression: "attribute_exists(pk)"))
            } == .conditionalCheckFailed)
        #expect(
            await code {
                try await fixture.db.putItem(
                    .init(
                        tableName: "items", item: Fixture.key("a", 1), conditionExpression: "attribute_not_exists(pk)"))
            } == nil)
    }
}
