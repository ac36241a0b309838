import AWSClient
import DynamoDBPatternsTesting
import Testing

@Suite struct MemoryStreamTests {
    @Test("a record has what was changed, and a write that changes nothing has none")
    func records() async throws {
        let fixture = try Fixture()
        let reader = try StreamReader(fixture)
        try await fixture.put("a", 1, ["n": .number("1.0")])
        try await fixture.put("a", 1, ["n": .integer(1)])
        _ = try await fixture.db.updateItem(
            .init(
                tableName: "items", key: Fixture.key("a", 1), updateExpression: "SET n = :n",
                expressionAttributeValues: [":n": .integer(2)]))
        _ = try await fixture.db.deleteItem(.init(tableName: "items", key: Fixture.key("a", 1)))
        _ = try await fixture.db.deleteItem(.init(tableName: "items", key: Fixture.key("a", 1)))
        let records = try await reader.all()
        #expect(records.map(\.eventName) == [.insert, .modify, .remove])
        #expect(records.map { $0.change?.oldImage?["n"] } == [nil, .integer(1), .integer(2)])
        #expect(records.map { $0.change?.newImage?["n"] } == [.integer(1), .integer(2), nil])
        #expect(records.allSatisfy { $0.change?.keys == Fixture.key("a", 1) && $0.userIdentity == nil })
        #expect(records.allSatisfy { $0.change?.approximateCreationDateTime == 1_700_000_000 })
        #expect(Set(records.map(\.eventID)).count == 3)
    }

    @Test("a stream's view says which images its records have")
    func views() async throws {
        for (view, hasNew, hasOld) in [
            (StreamViewType.keysOnly, false, false), (.newImage, true, false), (.oldImage, false, true),
        ] {
            let fixture = try Fixture()
            var request = Fixture.request("items")
            request.streamSpecification = .init(streamEnabled: true, streamViewType: view)
            try fixture.db.deleteTable("items")
            try fixture.db.createTable(request)
            try await fixture.put("a", 1)
            try await fixture.put("a", 1, ["n": .null])
            let change = try await StreamReader(fixture).all().last?.change
            #expect(((change?.newImage != nil), (change?.oldImage != nil)) == (hasNew, hasOld))
        }
    }

    @Test("sequence numbers grow, and are no texts to be compared")
    func numbers() async throws {
        let fixture = try Fixture()
        for number in 0..<30 { try await fixture.put("a", 1, ["n": .integer(number)]) }
        let numbers = try await StreamReader(fixture).all().compactMap { $0.change?.sequenceNumber }
        #expect(numbers.count == 30)
        for (one, next) in zip(numbers, numbers.dropFirst()) {
            #expect(one.count < next.count || (one.count == next.count && one < next))
        }
        #expect(numbers != numbers.sorted())
    }

    @Test("a shard is read in parts, from any record on")
    func places() async throws {
        let fixture = try Fixture()
        let reader = try StreamReader(fixture)
        for number in 0..<12 { try await fixture.put("a", number) }
        let shard = try await reader.shards().first?.shardId
        func numbers(_ response: GetRecordsResponse) -> [Int] {
            (response.records ?? []).compactMap { $0.change?.keys?["sk"]?.int }
        }
        let first = try await reader.read(try await reader.iterator(shard), limit: 5)
        #expect(numbers(first) == Array(0..<5))
        let second = try await reader.read(try #require(first.nextShardIterator))
        #expect(numbers(second) == Array(5..<12))
        let third = try await reader.read(try #require(second.nextShardIterator))
        #expect(numbers(third) == [] && third.nextShardIterator != nil)
        let fourth = first.records?.last?.change?.sequenceNumber
        #expect(numbers(try await reader.read(try await reader.iterator(shard, .atSequenceNumber, fourth))).first == 4)
        #expect(
            numbers(try await reader.read(try await reader.iterator(shard, .afterSequenceNumber, fourth))).first == 5)
        let latest = try await reader.iterator(shard, .latest)
        try await fixture.put("a", 77)
        #expect(numbers(try await reader.read(latest)) == [77])
    }

    @Test("a closed shard ends, and its children go on")
    func splitting() async throws {
        let fixture = try Fixture(streamShards: 2)
        let reader = try StreamReader(fixture)
        for number in 0..<20 { try await fixture.put("p\(number)", 1) }
        fixture.db.splitShards(of: "items")
        for number in 0..<20 { try await fixture.put("p\(number)", 2) }
        let shards = try await reader.shards()
        let open = shards.filter { $0.sequenceNumberRange?.endingSequenceNumber == nil }
        #expect(shards.count == 6 && open.count == 4)
        #expect(Set(open.compactMap(\.parentShardId)) == Set(shards.prefix(2).compactMap(\.shardId)))
        var parents: [String: String] = [:]
        for shard in shards {
            let page = try await reader.read(try await reader.iterator(shard.shardId))
            #expect((page.nextShardIterator == nil) == (shard.parentShardId == nil))
            for record in page.records ?? [] {
                let key = record.change?.keys?["pk"]?.string ?? ""
                #expect(record.change?.keys?["sk"]?.int == (shard.parentShardId == nil ? 1 : 2))
                if let parent = shard.parentShardId {
                    #expect(parents[key] == parent)
                } else {
                    parents[key] = shard.shardId
                }
            }
        }
        #expect(parents.count == 20)
    }

    @Test("what is trimmed cannot be read, and is found to be so")
    func trimming() async throws {
        let fixture = try Fixture()
        let reader = try StreamReader(fixture)
        for number in 0..<4 { try await fixture.put("a", number) }
        let shard = try await reader.shards().first?.shardId
        let old = try await reader.iterator(shard)
        let numbers = try await reader.all().compactMap { $0.change?.sequenceNumber }
        fixture.db.trimStream(of: "items", through: numbers[1])
        let trimmed: AWSError.Code = "TrimmedDataAccessException"
        #expect(await code { try await reader.read(old) } == trimmed)
        for type in [ShardIteratorType.afterSequenceNumber, .atSequenceNumber] {
            #expect(await code { try await reader.iterator(shard, type, numbers[0]) } == trimmed)
            #expect(await code { try await reader.iterator(shard, type, numbers[2]) } == nil)
        }
        #expect(try await reader.all().compactMap { $0.change?.keys?["sk"]?.int } == [2, 3])
        fixture.db.splitShards(of: "items")
        fixture.clock.advance(by: 86_401)
        try await fixture.put("a", 9)
        fixture.db.trimStream(of: "items")
        #expect(try await reader.all().compactMap { $0.change?.keys?["sk"]?.int } == [9])
        // The closed shard is gone with its last record.
        #expect(try await reader.shards().allSatisfy { $0.sequenceNumberRange?.endingSequenceNumber == nil })
        #expect(await code { try await reader.iterator(shard) } == .resourceNotFound)
    }

    @Test("an iterator is good for 15 minutes, and nothing else is one")
    func iterators() async throws {
        let fixture = try Fixture()
        let reader = try StreamReader(fixture)
        let iterator = try await reader.iterator(try await reader.shards().first?.shardId)
        fixture.clock.advance(by: 899)
        let next = try #require(try await reader.read(iterator).nextShardIterator)
        fixture.clock.advance(by: 1)
        #expect(await code { try await reader.read(iterator) } == "ExpiredIteratorException")
        #expect(await code { try await reader.read(next) } == nil)
        #expect(await code { try await reader.read("nonsense") } == .validation)
    }

    @Test("expired items are deleted by DynamoDB itself, and the record says so")
    func expiry() async throws {
        let fixture = try Fixture()
        try await fixture.put("a", 1, ["ttl": .integer(1_700_000_010)])
        try await fixture.put("a", 2, ["ttl": .integer(1_700_000_030)])
        try await fixture.put("a", 3, ["ttl": .string("1")])
        try await fixture.put("a", 4, ["ttl": .integer(1)])
        try await fixture.put("a", 5)
        let usage = fixture.db.usage
        #expect(fixture.db.expireItems(in: "items") == 0)
        fixture.clock.advance(by: 20)
        #expect(try await fixture.get("a", 1) != nil)
        #expect(fixture.db.expireItems(in: "items") == 1)
        #expect(try await fixture.get("a", 1) == nil)
        let record = try await StreamReader(fixture).all().last
        #expect(record?.eventName == .remove && record?.change?.oldImage?["sk"] == .integer(1))
        #expect(record?.userIdentity?.principalID == "dynamodb.amazonaws.com")
        #expect(record?.userIdentity?.type == "Service")
        #expect(fixture.db.usage.writeUnits == usage.writeUnits)
    }
}
