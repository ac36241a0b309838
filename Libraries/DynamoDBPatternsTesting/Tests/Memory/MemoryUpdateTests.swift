import AWSClient
import DynamoDBPatternsTesting
import Testing

@Suite struct MemoryUpdateTests {
    private static let item: [String: AttributeValue] = [
        "n": .integer(5), "k": .integer(2), "l": .list([.integer(0), .integer(1), .integer(2)]),
        "m": .map(["x": .integer(1), "y": .integer(2)]), "s": .stringSet(["a", "b"]),
    ]

    private static let values: [String: AttributeValue] = [
        ":one": .integer(1), ":half": .number("0.5"), ":list": .list([.integer(9)]), ":ab": .stringSet(["a", "b"]),
        ":c": .stringSet(["c"]), ":text": .string("t"), ":map": .map([:]),
    ]

    /// Runs an update of the item, and answers what became of some attribute.
    private func update(_ text: String, of fixture: Fixture, key: Int = 1) async throws -> [String: AttributeValue] {
        let words = text.split { " (),".contains($0) }
        let used = Self.values.filter { value in words.contains { $0 == value.key } }
        let answer = try await fixture.db.updateItem(
            .init(
                tableName: "items", key: Fixture.key("a", key), updateExpression: text,
                expressionAttributeValues: used.isEmpty ? nil : used, returnValues: .allNew))
        #expect(try await fixture.get("a", key) == answer.attributes)
        return answer.attributes ?? [:]
    }

    @Test(
        "an update gives an attribute its value",
        arguments: [
            ("SET n = n + :half", "n", .number("5.5")), ("SET n = n - k", "n", .integer(3)),
            ("SET fresh = if_not_exists(fresh, :one) + :one", "fresh", .integer(2)),
            ("SET n = if_not_exists(n, :one)", "n", .integer(5)),
            ("SET l = list_append(:list, l)", "l", .list([.integer(9), .integer(0), .integer(1), .integer(2)])),
            ("SET l[1] = :one, l[7] = :text", "l", .list([.integer(0), .integer(1), .integer(2), .string("t")])),
            ("REMOVE l[0], l[2]", "l", .list([.integer(1)])),
            ("SET l[0] = l[2] REMOVE l[1]", "l", .list([.integer(2), .integer(2)])),
            ("SET m.z = :one REMOVE m.x", "m", .map(["y": .integer(2), "z": .integer(1)])),
            ("REMOVE n", "n", nil), ("REMOVE absent", "absent", nil), ("ADD n :half", "n", .number("5.5")),
            ("ADD fresh :one", "fresh", .integer(1)), ("ADD s :c", "s", .stringSet(["a", "b", "c"])),
            ("ADD s :ab", "s", .stringSet(["a", "b"])), ("DELETE s :ab", "s", nil),
            ("DELETE absent :ab", "absent", nil),
        ] as [(String, String, AttributeValue?)])
    func values(text: String, name: String, expected: AttributeValue?) async throws {
        let fixture = try Fixture()
        try await fixture.put("a", 1, Self.item)
        #expect(try await update(text, of: fixture)[name] == expected)
    }

    @Test("all values are taken from the item as it was before")
    func before() async throws {
        let fixture = try Fixture()
        try await fixture.put("a", 1, Self.item)
        let after = try await update("SET n = k, k = n, m.x = m.y, m.y = m.x", of: fixture)
        #expect(after["n"] == .integer(2) && after["k"] == .integer(5))
        #expect(after["m"] == .map(["x": .integer(2), "y": .integer(1)]))
    }

    @Test("an update makes the item where there is none")
    func makes() async throws {
        let fixture = try Fixture()
        #expect(
            try await update("SET n = :one", of: fixture)
                == Fixture.key("a", 1).merging(["n": .integer(1)]) { first, _ in first })
    }

    @Test(
        "an update that does not fit the item changes nothing",
        arguments: [
            "SET x = absent + :one", "SET n = m + :one", "SET q.x = :one", "SET l.x = :one",
            "SET n = list_append(n, :list)",
            "ADD m :one", "ADD n :c", "DELETE n :c", "REMOVE q.x",
        ])
    func unfit(text: String) async throws {
        let fixture = try Fixture()
        try await fixture.put("a", 1, Self.item)
        let before = try await fixture.get("a", 1)
        #expect(await code { try await update(text, of: fixture) } == .validation)
        #expect(try await fixture.get("a", 1) == before)
    }

    @Test("an answer has the attributes that were asked for")
    func returned() async throws {
        let fixture = try Fixture()
        try await fixture.put(
            "a", 1, ["n": .integer(1), "o": .integer(7), "m": .map(["x": .integer(1), "y": .integer(2)])])
        func answer(_ wanted: ReturnValues) async throws -> [String: AttributeValue]? {
            try await fixture.db.updateItem(
                .init(
                    tableName: "items", key: Fixture.key("a", 1), updateExpression: "ADD n :one SET m.x = :one",
                    expressionAttributeValues: [":one": .integer(1)], returnValues: wanted)
            ).attributes
        }
        #expect(try await answer(.none) == nil)
        #expect(try await answer(.updatedOld) == ["n": .integer(2), "m": .map(["x": .integer(1)])])
        #expect(try await answer(.updatedNew) == ["n": .integer(4), "m": .map(["x": .integer(1)])])
        #expect(try await answer(.allOld)?["o"] == .integer(7))
        #expect(try await answer(.allNew)?["n"] == .integer(6))
    }
}
