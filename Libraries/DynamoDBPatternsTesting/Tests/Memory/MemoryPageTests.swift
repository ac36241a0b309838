import AWSClient
import DynamoDBPatternsTesting
import Testing

@Suite struct MemoryPageTests {
    private func query(
        _ fixture: Fixture, _ condition: String = "pk = :p", _ values: [String: AttributeValue] = [:],
        filter: String? = nil, forward: Bool? = nil, limit: Int? = nil, start: [String: AttributeValue]? = nil
    ) async throws -> QueryResponse {
        try await fixture.db.query(
            .init(
                tableName: "items", keyConditionExpression: condition, filterExpression: filter,
                expressionAttributeValues: values.merging([":p": .string("a")]) { first, _ in first },
                scanIndexForward: forward, limit: limit, exclusiveStartKey: start))
    }

    private func numbers(_ items: [[String: AttributeValue]]?) -> [Int] { (items ?? []).compactMap { $0["sk"]?.int } }

    @Test(
        "a condition on the sort key selects a range",
        arguments: [
            ("sk = :x", [10]), ("sk < :x", [-5, 0, 2]), ("sk <= :x", [-5, 0, 2, 10]), ("sk > :x", [100]),
            ("sk >= :x", [10, 100]), ("sk BETWEEN :y AND :x", [0, 2, 10]),
        ])
    func ranges(condition: String, expected: [Int]) async throws {
        let fixture = try Fixture()
        for number in [100, 2, -5, 10, 0] { try await fixture.put("a", number) }
        try await fixture.put("b", 10)
        var values: [String: AttributeValue] = [":x": .number("10.0")]
        if condition.contains(":y") { values[":y"] = .integer(0) }
        #expect(numbers(try await query(fixture, "pk = :p AND \(condition)", values).items) == expected)
        #expect(
            numbers(try await query(fixture, "\(condition) AND pk = :p", values, forward: false).items)
                == expected.reversed())
    }

    @Test("a prefix selects strings by their bytes, which are their order")
    func prefixes() async throws {
        let db = MemoryDynamoDB()
        try db.createPatternTable("patterns")
        for sort in ["b", "a", "a\u{E9}", "ae", "a\r\nx", "a\r", "B", "\u{1F600}", "\u{FF21}"] {
            _ = try await db.putItem(.init(tableName: "patterns", item: ["pk": .string("p"), "sk": .string(sort)]))
        }
        func sorts(_ condition: String, _ values: [String: AttributeValue]) async throws -> [String] {
            try await db.query(
                .init(
                    tableName: "patterns", keyConditionExpression: "pk = :p\(condition)",
                    expressionAttributeValues: values.merging([":p": .string("p")]) { first, _ in first })
            ).items?.compactMap { $0["sk"]?.string } ?? []
        }
        #expect(
            try await sorts("", [:])
                == ["B", "a", "a\r", "a\r\nx", "ae", "a\u{E9}", "b", "\u{FF21}", "\u{1F600}"])
        #expect(
            try await sorts(" AND begins_with(sk, :s)", [":s": .string("a\r")]) == ["a\r", "a\r\nx"])
        #expect(try await sorts(" AND begins_with(sk, :s)", [":s": .string("z")]) == [])
    }

    @Test("the limit counts before the filter, and a page that is full says where the next one starts")
    func limit() async throws {
        let fixture = try Fixture()
        for number in 1...4 { try await fixture.put("a", number, ["even": .bool(number % 2 == 0)]) }
        let page = try await query(fixture, "pk = :p", [":t": .bool(true)], filter: "even = :t", limit: 3)
        #expect(numbers(page.items) == [2] && page.count == 1 && page.scannedCount == 3)
        #expect(page.lastEvaluatedKey == Fixture.key("a", 3))
        let next = try await query(
            fixture, "pk = :p", [":t": .bool(true)], filter: "even = :t", limit: 1, start: page.lastEvaluatedKey)
        #expect(numbers(next.items) == [4])
        // DynamoDB does not look whether there is more: the last page may be empty.
        #expect(next.lastEvaluatedKey == Fixture.key("a", 4))
        let last = try await query(fixture, limit: 1, start: next.lastEvaluatedKey)
        #expect(last.items == [] && last.lastEvaluatedKey == nil)
        let backward = try await query(fixture, forward: false, limit: 2, start: Fixture.key("a", 3))
        #expect(numbers(backward.items) == [2, 1])
    }

    @Test("a page ends after 1 MB")
    func megabyte() async throws {
        let fixture = try Fixture()
        let text = AttributeValue.string(String(repeating: "x", count: 300 * 1024))
        for number in 1...5 { try await fixture.put("a", number, ["text": text]) }
        let page = try await query(fixture)
        #expect(numbers(page.items) == [1, 2, 3, 4] && page.lastEvaluatedKey == Fixture.key("a", 4))
        #expect(try await fixture.db.scan(.init(tableName: "items")).items?.count == 4)
    }

    @Test("a start that is not in the partition, a filter on the key and a limit of 0 are refused")
    func refusals() async throws {
        let fixture = try Fixture()
        #expect(await code { try await query(fixture, start: Fixture.key("b", 1)) } == .validation)
        #expect(await code { try await query(fixture, filter: "sk = :p") } == .validation)
        #expect(await code { try await query(fixture, limit: 0) } == .validation)
        for condition in ["sk = :p", "pk > :p", "pk = :p OR sk = :p", "pk = :p AND n = :p", "begins_with(pk, :p)"] {
            #expect(await code { try await query(fixture, condition) } == .validation, "\(condition)")
        }
    }

    @Test("a scan finds each item once, page by page and segment by segment")
    func scans() async throws {
        let fixture = try Fixture()
        for number in 0..<40 { try await fixture.put("p\(number % 13)", number) }
        var found: [Int] = []
        for segment in 0..<3 {
            var start: [String: AttributeValue]?
            repeat {
                let page = try await fixture.db.scan(
                    .init(tableName: "items", limit: 3, segment: segment, totalSegments: 3, exclusiveStartKey: start))
                found += numbers(page.items)
                start = page.lastEvaluatedKey
            } while start != nil
        }
        #expect(found.sorted() == Array(0..<40))
        let count = try await fixture.db.scan(.init(tableName: "items", select: .count))
        #expect(count.items == nil && count.count == 40)
    }
}
