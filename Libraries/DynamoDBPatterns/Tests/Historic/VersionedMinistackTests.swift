import AWSClient
import AWSTestSupport
import DynamoDBPatternsTesting
import Testing

@testable import DynamoDBPatterns

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite(.enabled(if: Ministack.skipReason == nil, Comment(rawValue: Ministack.skipReason ?? "")))
struct VersionedMinistackTests {
    let dynamoDB: DynamoDB
    let streams: DynamoDBStreams
    let name = "documents-\(UInt64.random(in: .min ... .max))"
    let documents: VersionedTable<Document>

    init() async throws {
        let client = try await StandIn.client()
        dynamoDB = DynamoDB(client)
        streams = DynamoDBStreams(client)
        _ = try await dynamoDB.createTable(
            CreateTableRequest(
                tableName: name, attributeDefinitions: [.init(attributeName: "id", attributeType: .string)],
                keySchema: [.init(attributeName: "id", keyType: .hash)],
                streamSpecification: .init(streamEnabled: true, streamViewType: .newAndOldImages)))
        documents = VersionedTable(name, in: dynamoDB, key: .init(partition: "id"))
    }

    @Test("Conflicts, phantoms and ABA, as DynamoDB's own expressions have it")
    func locking() async throws {
        let first = try await documents.insert(Document(text: "one"))
        let second = try await documents.update("a") { $0.text = "two" }
        let conflict = await #expect(throws: Conflict<Document>.self) { try await documents.save(first) }
        #expect(conflict?.newer?.item.text == "two" && conflict?.newer?.version == 2)
        let taken = await #expect(throws: Conflict<Document>.self) {
            try await documents.insert(Document(text: "other"))
        }
        #expect(taken?.newer?.item.text == "two")
        try await documents.delete(second)
        let phantom = await #expect(throws: Conflict<Document>.self) { try await documents.save(second) }
        #expect(phantom != nil && phantom?.newer == nil)
        try await documents.insert(Document(text: "again"))
        await #expect(throws: Conflict<Document>.self) { try await documents.save(first) }
    }

    @Test("Another program adds to a set that an update has left as it was, and to one that it has changed")
    func sets() async throws {
        struct User: Codable { var id: String, logins: Int, roles: Set<String>, groups: [String] }
        let users = VersionedTable<User>(name, in: dynamoDB, key: .init(partition: "id"))
        _ = try await dynamoDB.putItem(
            PutItemRequest(
                tableName: name,
                item: [
                    "id": .string("u"), "logins": .integer(0), "roles": .stringSet(["a", "b"]),
                    "groups": .stringSet(["g"]),
                ]))
        func add(_ name: String, _ element: String) async throws {
            _ = try await dynamoDB.updateItem(
                UpdateItemRequest(
                    tableName: self.name, key: ["id": .string("u")], updateExpression: "ADD #n :v",
                    expressionAttributeNames: ["#n": name],
                    expressionAttributeValues: [":v": .stringSet([element])]))
        }
        try await users.update("u") { user in
            user.logins += 1
            user.groups.append("h")
        }
        try await add("roles", "c")
        try await add("groups", "i")
        let user = try #require(try await users.load("u")).item
        #expect(user.roles == ["a", "b", "c"] && Set(user.groups) == ["g", "h", "i"] && user.logins == 1)
        try await users.update("u") { $0.roles = [] }
        try await add("roles", "d")
        #expect(try await users.load("u")?.item.roles == ["d"])
    }

    @Test("A transaction's conflict names the items in the way, and changes nothing")
    func transactions() async throws {
        for id in ["a", "b"] { try await documents.insert(Document(id: id, text: "x")) }
        var transaction = VersionedTransaction(in: dynamoDB)
        var read = try #require(try await transaction.load("a", from: documents))
        _ = try await transaction.load("b", from: documents)
        read.item.text = "y"
        try transaction.save(read, in: documents)
        try await documents.update("b") { $0.text = "z" }
        let conflict = await #expect(throws: TransactionConflict.self) { try await transaction.commit() }
        #expect(try conflict?.conflicts(in: documents).map { $0.newer?.item.text } == ["z"])
        try await dynamoDB.transact { transaction in
            for id in ["a", "b"] {
                var document = try #require(try await transaction.load(PrimaryKey(id), from: documents))
                document.item.text += "!"
                try transaction.save(document, in: documents)
            }
        }
        for (id, text) in [("a", "x!"), ("b", "z!")] {
            #expect(try await documents.load(PrimaryKey(id))?.item.text == text)
        }
    }

    @Test("A real stream becomes a history, which knows the past and restores it")
    func history() async throws {
        let table = PatternTable("\(name)-history", in: dynamoDB)
        _ = try await dynamoDB.createTable(
            CreateTableRequest(
                tableName: table.name,
                attributeDefinitions: [
                    .init(attributeName: "pk", attributeType: .string),
                    .init(attributeName: "sk", attributeType: .string),
                ],
                keySchema: [
                    .init(attributeName: "pk", keyType: .hash), .init(attributeName: "sk", keyType: .range),
                ]))
        let history = try Historic("documents", of: documents, in: table)
        try await documents.insert(Document(text: "one"))
        let two = try await documents.update("a") { $0.text = "two" }
        try await documents.delete(two)
        let restorable = try await record(in: history)
        #expect(restorable.map(\.version) == [3, 2, 1] && restorable.map(\.kind) == [.removed, .modified, .inserted])
        try await history.restore(restorable[2])
        let entries = try await record(in: history)
        #expect(entries.count == 4 && entries[0].kind == .inserted)
        guard case .found(let document, version: 1) = try await history.item("a", at: .distantFuture) else {
            Issue.record("The item is not found.")
            return
        }
        #expect(document.text == "one")
        #expect(try await history.gaps(of: "a").isEmpty)
    }

    /// Records all that the stream has, some of it again.
    private func record(in history: Historic<Document>) async throws -> [HistoricEntry<Document>] {
        let arn = try #require(
            try await dynamoDB.describeTable(DescribeTableRequest(tableName: name)).table?.latestStreamArn)
        let shards = try await streams.describeStream(DescribeStreamRequest(streamArn: arn)).streamDescription?.shards
        for shard in shards ?? [] {
            let id = try #require(shard.shardId)
            let iterator = try #require(
                try await streams.getShardIterator(
                    GetShardIteratorRequest(streamArn: arn, shardId: id, shardIteratorType: .trimHorizon)
                ).shardIterator)
            for record in try await streams.getRecords(GetRecordsRequest(shardIterator: iterator)).records ?? [] {
                try await history.record(record)
            }
        }
        return try await history.history(of: "a").entries
    }
}
