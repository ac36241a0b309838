import AWSClient
import DynamoDBPatternsTesting
import Testing

@Suite struct MemoryIndexTests {
    private func ranks(
        _ fixture: Fixture, limit: Int? = nil, start: [String: AttributeValue]? = nil
    ) async throws -> QueryResponse {
        try await fixture.db.query(
            .init(
                tableName: "items", indexName: "ranks", keyConditionExpression: "#g = :g",
                expressionAttributeNames: ["#g": "group"], expressionAttributeValues: [":g": .string("g")],
                limit: limit, exclusiveStartKey: start))
    }

    private func place(_ rank: Int, _ more: [String: AttributeValue] = [:]) -> [String: AttributeValue] {
        ["group": .string("g"), "rank": .integer(rank)].merging(more) { first, _ in first }
    }

    @Test("an index has the items that have its key, in its order, and follows their changes")
    func follows() async throws {
        let fixture = try Fixture()
        try await fixture.put("b", 1, place(5))
        try await fixture.put("a", 2, place(5))
        try await fixture.put("a", 1, place(5, ["n": .null]))
        try await fixture.put("c", 1, place(-1))
        try await fixture.put("d", 1, ["group": .string("g")])
        try await fixture.put("e", 1, ["group": .string("h"), "rank": .integer(1)])
        let items = try await ranks(fixture).items ?? []
        #expect(items.map { ($0["pk"]?.string ?? "") + ($0["sk"]?.number ?? "") } == ["c1", "a1", "a2", "b1"])
        // Keys only.
        #expect(items.allSatisfy { Set($0.keys) == ["pk", "sk", "group", "rank"] })
        try await fixture.put("a", 2, place(-7))
        try await fixture.put("c", 1)
        _ = try await fixture.db.deleteItem(.init(tableName: "items", key: Fixture.key("b", 1)))
        #expect(try await ranks(fixture).items?.map { $0["rank"]?.int } == [-7, 5])
    }

    @Test("pages of an index go on between items of the same key")
    func pages() async throws {
        let fixture = try Fixture()
        for number in 0..<7 { try await fixture.put("a", number, place(number / 3)) }
        var found: [Int] = []
        var start: [String: AttributeValue]?
        repeat {
            let page = try await ranks(fixture, limit: 2, start: start)
            found += (page.items ?? []).compactMap { $0["sk"]?.int }
            start = page.lastEvaluatedKey
            if let start { #expect(Set(start.keys) == ["pk", "sk", "group", "rank"]) }
        } while start != nil
        #expect(found == Array(0..<7))
    }

    @Test("an index holds all attributes, or some, where it is made so")
    func projections() async throws {
        for (projection, expected) in [
            (Projection(), ["group", "m", "n", "pk", "rank", "sk"]),
            (Projection(projectionType: .include, nonKeyAttributes: ["n"]), ["group", "n", "pk", "rank", "sk"]),
        ] {
            let fixture = try Fixture(projection: projection)
            try await fixture.put("a", 1, place(1, ["n": .integer(1), "m": .integer(2)]))
            #expect(try await ranks(fixture).items?.first?.keys.sorted() == expected)
        }
    }

    @Test("an index is read as it is: a consistent read is refused")
    func consistency() async throws {
        let fixture = try Fixture()
        #expect(
            await code {
                try await fixture.db.query(
                    .init(
                        tableName: "items", indexName: "ranks", keyConditionExpression: "#g = :g",
                        expressionAttributeNames: ["#g": "group"], expressionAttributeValues: [":g": .string("g")],
                        consistentRead: true))
            } == .validation)
    }

    @Test("what an index does not hold cannot be asked of it")
    func missing() async throws {
        let fixture = try Fixture()
        func scan(_ projection: String?, _ select: Select?) async -> AWSError.Code? {
            await code {
                try await fixture.db.scan(
                    .init(tableName: "items", indexName: "ranks", projectionExpression: projection, select: select))
            }
        }
        #expect(await scan("pk, n", nil) == .validation)
        #expect(await scan(nil, .allAttributes) == .validation)
        #expect(await scan("pk", nil) == nil)
        #expect(await scan(nil, .allProjectedAttributes) == nil)
    }

    @Test("an index may be behind by so many writes and no more, and the same seed makes it so again")
    func lag() async throws {
        func counts(seed: UInt64) async throws -> [Int] {
            let fixture = try Fixture(seed: seed)
            fixture.db.indexLag = 5
            var counts: [Int] = []
            for number in 1...40 {
                try await fixture.put("a", number, place(number))
                let items = try await ranks(fixture).items ?? []
                #expect(Set(items.compactMap { $0["sk"]?.int }).isSuperset(of: 1...max(1, number - 5)) || number <= 5)
                counts.append(items.count)
            }
            fixture.db.indexLag = 0
            #expect(try await ranks(fixture).items?.count == 40)
            return counts
        }
        let counts1 = try await counts(seed: 1)
        #expect(counts1 != Array(1...40))
        #expect(try await counts(seed: 1) == counts1)
        #expect(try await counts(seed: 2) != counts1)
    }

    @Test("an index that is behind never shows an older state of an item than it showed before")
    func order() async throws {
        for seed in 0..<20 as Range<UInt64> {
            let fixture = try Fixture(seed: seed)
            fixture.db.indexLag = 10
            var seen = 0
            for number in 1...30 {
                try await fixture.put("a", 1, place(number))
                let items = try await ranks(fixture).items ?? []
                #expect(items.count <= 1)
                let rank = items.first?["rank"]?.int ?? 0
                #expect(rank >= seen)
                seen = rank
            }
        }
    }
}
