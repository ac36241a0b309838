import AWSClient
import DynamoDBPatternsTesting
import Testing

@testable import DynamoDBPatterns

@Suite struct TableLayoutTests {
    /// As DynamoDB describes a table that a request has made.
    private func description(_ request: CreateTableRequest) -> TableDescription {
        var table = TableDescription()
        table.attributeDefinitions = request.attributeDefinitions.reversed()
        table.keySchema = request.keySchema.reversed()
        table.globalSecondaryIndexes = request.globalSecondaryIndexes?.map { index in
            var description = GlobalSecondaryIndexDescription()
            description.indexName = index.indexName
            description.keySchema = index.keySchema
            return description
        }
        return table
    }

    private func refusal(_ change: (inout CreateTableRequest) -> Void) -> String? {
        var request = PatternTable.creation(of: "patterns")
        change(&request)
        let layout = TableLayout(request: PatternTable.creation(of: "patterns"), user: "a PatternTable")
        do {
            try layout.check(description(request))
            return nil
        } catch {
            #expect(error.code == .wrongLayout && error.hint != nil)
            return error.message
        }
    }

    @Test("A table of the layout is one in whatever order it is described, with more indexes too")
    func right() {
        #expect(refusal { _ in } == nil)
        #expect(
            refusal { request in
                request.globalSecondaryIndexes?.append(
                    .init(indexName: "more", keySchema: request.keySchema, projection: .init()))
            } == nil)
    }

    @Test("What differs is named: the key's names, its types, its parts, the index and the index's key")
    func differences() {
        let needs = "a PatternTable needs “pk” (S), “sk” (S)."
        let own = refusal { request in
            request.attributeDefinitions.append(.init(attributeName: "id", attributeType: .string))
            request.keySchema = [.init(attributeName: "id", keyType: .hash)]
        }
        #expect(own == "The key of the table “patterns” is “id” (S); \(needs)")
        #expect(
            refusal { $0.attributeDefinitions[1].attributeType = .number }
                == "The key of the table “patterns” is “pk” (S), “sk” (N); \(needs)")
        #expect(
            refusal { $0.keySchema.removeLast() } == "The key of the table “patterns” is “pk” (S); \(needs)")
        #expect(
            refusal { $0.globalSecondaryIndexes = nil }
                == "The table “patterns” has no index “due”; a PatternTable needs one by “duePartition” (S), “due” (N)."
        )
        #expect(
            refusal { $0.globalSecondaryIndexes?[0].keySchema.removeLast() }
                == "The key of the index “due” of the table “patterns” is “duePartition” (S);"
                + " a PatternTable needs “duePartition” (S), “due” (N).")
    }

    @Test("A table for a VersionedTable is made in one line, of the types that its key names")
    func memoryTable() async throws {
        struct Reading: Codable, Sendable { var sensor: String, at: Int, value = 0 }
        let store = MemoryDynamoDB()
        let readings = VersionedTable<Reading>(
            "readings", in: store, key: .init(partition: "sensor", sort: "at", .number))
        try store.createTable(for: readings)
        try await readings.insert(Reading(sensor: "s", at: 1))
        #expect(try await readings.update(PrimaryKey("s", 1)) { $0.value = 5 }.item.value == 5)
        #expect(store.streamARN(of: "readings") != nil)
        let again = #expect(throws: AWSError.self) { try store.createTable(for: readings) }
        #expect(again?.code == .resourceInUse)
    }

    @Test("Keys of whole numbers are those of their attribute values")
    func numericKeys() {
        #expect(PrimaryKey("u#1", 1) == PrimaryKey(.string("u#1"), .number("1.0")))
        #expect(PrimaryKey("u#1", UInt64.max).sort == .number("18446744073709551615"))
        #expect(PrimaryKey("u#1", "1").sort == .string("1") && PrimaryKey("u#1").sort == nil)
    }
}
