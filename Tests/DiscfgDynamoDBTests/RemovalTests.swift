import AWSTestSupport
import AWSClient
import DiscfgCore
import DiscfgDynamoDB
import DiscfgTestSupport
import Testing

@Suite("What is removed is gone, and nothing else", DynamoDBFixture.isAvailable)
struct RemovalTests {
    private let large = [UInt8](repeating: 7, count: Value.maximumLength)

    private func set(_ path: String, _ bytes: [UInt8]) throws -> Transaction {
        Transaction(then: [.set(try Key(path: path), Value(bytes: bytes, contentType: Value.octets))])
    }

    /// How many records there are whose partition has this in its name.
    private func records(_ fixture: DynamoDBFixture, in part: String) async throws -> Int {
        let client = try Clients.client(for: try await Ministack.shared().url)
        var start: [String: AttributeValue]?
        var count = 0
        repeat {
            let answer = try await DynamoDB(client).scan(
                ScanRequest(tableName: fixture.table, consistentRead: true, exclusiveStartKey: start))
            count += (answer.items ?? []).count { $0["pk"]?.string?.contains(part) == true }
            start = answer.lastEvaluatedKey
        } while start != nil
        return count
    }

    @Test("A large value is stored once however often it is used, and removed when nothing refers to it")
    func orphans() async throws {
        let fixture = try await DynamoDBFixture()
        // Below zero, so that a commit of this very millisecond is removed too.
        let service = fixture.service(.init(orphanAge: .zero), compactionDelay: .seconds(-1))
        for path in ["/a", "/b", "/a"] { _ = try await service.commit(set(path, large), to: .default) }
        #expect(try await service.get(try Key(path: "/a"), in: .default).item.value.bytes == large)
        #expect(try await records(fixture, in: "#V#") == 5, "1.5 MiB are five parts")
        for path in ["/a", "/b"] { _ = try await service.commit(set(path, [1]), to: .default) }
        _ = try await service.compact(.default, keeping: .through(5))
        #expect(try await service.get(try Key(path: "/b"), in: .default, at: 5).item.value.bytes == large)
        #expect(try await records(fixture, in: "#V#") == 5, "revision 6 remembers what /b was before")
        _ = try await service.compact(.default, keeping: .through(6))
        #expect(try await records(fixture, in: "#V#") == 0)
        #expect(try await records(fixture, in: "#B") == 0)
        // Stored again, it is there again.
        _ = try await service.commit(set("/a", large), to: .default)
        #expect(try await fixture.service().get(try Key(path: "/a"), in: .default).item.value.bytes == large)
    }

    @Test("A kept commit that an older discfg has emptied is compacted, not damaged")
    func emptiedByOlder() async throws {
        let fixture = try await DynamoDBFixture()
        let service = fixture.service()
        for path in ["/a", "/b", "/c"] { _ = try await service.commit(set(path, [1]), to: .default) }
        let engine = fixture.engine()
        let log = try await engine.tail(of: .default).incarnation
        _ = try await service.compact(.default, keeping: .through(4))
        #expect(
            try await engine.log(of: .default, after: 2, limit: 10, incarnation: log, consistency: .strong)
                .commits.map(\.revision) == [3, 4])
        let client = try Clients.client(for: try await Ministack.shared().url)
        _ = try await DynamoDB(client).updateItem(
            UpdateItemRequest(
                tableName: fixture.table,
                key: ["pk": .string("C#default#L#\(log)"), "sk": .binary([0, 0, 0, 0, 0, 0, 0, 3])],
                updateExpression: "REMOVE changes"))
        let error = await #expect(throws: DiscfgError.self) {
            try await fixture.engine().log(
                of: .default, after: 2, limit: 10, incarnation: log, consistency: .strong)
        }
        #expect(error?.code == .compacted)
    }

    @Test("A value that was wanted lately is left alone, although nothing refers to it yet")
    func young() async throws {
        let fixture = try await DynamoDBFixture()
        let service = fixture.service()
        for bytes in [large, [1]] { _ = try await service.commit(set("/a", bytes), to: .default) }
        _ = try await service.compact(.default, keeping: .through(3))
        #expect(try await records(fixture, in: "#V#") == 5)
    }

    @Test("A writer that slept while the log was trimmed beyond what it knows takes no revision twice")
    func sleepingWriter() async throws {
        let fixture = try await DynamoDBFixture()
        let (sleeper, other) = (fixture.service(), fixture.service())
        _ = try await sleeper.commit(set("/a", [0]), to: .default)
        for number in 1...20 { _ = try await other.commit(set("/a", [UInt8(number)]), to: .default) }
        _ = try await other.compact(.default, keeping: .through(22))
        let late = try await sleeper.commit(set("/b", [1]), to: .default)
        #expect(late.revision == 23)
        #expect(try await other.changes(ChangesQuery(after: 22), in: .default).commits.map(\.revision) == [23])
    }

    @Test("A large value of a config that was deleted is stored anew for the config that takes its name")
    func sameValueAgain() async throws {
        let fixture = try await DynamoDBFixture()
        let service = fixture.service()
        let name = try ConfigName("again")
        for _ in 0..<2 {
            _ = try await service.createConfig(name, settings: ConfigSettings(), author: "")
            _ = try await service.commit(set("/a", large), to: name)
            #expect(try await fixture.service().get(try Key(path: "/a"), in: name).item.value.bytes == large)
            try await service.deleteConfig(name)
        }
        #expect(try await records(fixture, in: "#V#") == 0)
    }

    @Test("The leases of a config that was deleted are gone from the table")
    func leases() async throws {
        let fixture = try await DynamoDBFixture()
        let (service, engine) = (fixture.service(), fixture.engine())
        let name = try ConfigName("leased")
        _ = try await service.createConfig(name, settings: ConfigSettings(), author: "")
        for id: Int64 in 1...3 {
            let lease = Lease(id: id, ttl: .seconds(10), expiry: Timestamp(milliseconds: 1))
            #expect(try await engine.createLease(lease, in: name))
        }
        #expect(try await records(fixture, in: "#E#") == 3)
        try await service.deleteConfig(name)
        #expect(try await records(fixture, in: "#E#") == 0)
        let late = await #expect(throws: DiscfgError.self) {
            try await engine.createLease(Lease(id: 4, ttl: .seconds(10), expiry: Timestamp(milliseconds: 1)), in: name)
        }
        #expect(late?.code == .configNotFound)
        #expect(try await records(fixture, in: "#E#") == 0)
    }

    @Test("Nobody writes at a revision that was trimmed, also when nothing is left there")
    func trimmedRevision() async throws {
        let fixture = try await DynamoDBFixture()
        let service = fixture.service()
        for number in 1...9 { _ = try await service.commit(set("/a", [UInt8(number)]), to: .default) }
        _ = try await service.compact(.default, keeping: .through(9))
        let engine = fixture.engine()
        let tail = try await engine.tail(of: .default)
        // As DynamoDB does days later.
        let client = try Clients.client(for: try await Ministack.shared().url)
        var sort = [UInt8](repeating: 0, count: 8)
        sort[7] = 4
        _ = try await DynamoDB(client).deleteItem(
            DeleteItemRequest(
                tableName: fixture.table,
                key: ["pk": .string("C#default#L#\(tail.incarnation)"), "sk": .binary(sort)]))
        let late = Commit(revision: 4, time: tail.time, author: "", message: "late", changes: [])
        let error = await #expect(throws: DiscfgError.self) {
            try await engine.append([late], to: .default, incarnation: tail.incarnation)
        }
        #expect(error?.code == .compacted)
    }

    @Test("A removal that was interrupted is finished by whoever comes next, and its name can be used again")
    func interrupted() async throws {
        let name = try ConfigName("temporary")
        for finisher in ["create", "maintain", "delete"] {
            try await FaultProxy.with(before: try await Ministack.shared().url) { proxy in
                let fixture = try await DynamoDBFixture(endpoint: proxy.url)
                let service = fixture.service()
                _ = try await service.createConfig(name, settings: ConfigSettings(), author: "")
                for path in ["/a", "/b", "/c"] { _ = try await service.commit(set(path, large), to: name) }
                // The end is written; then everything fails for a while.
                proxy.script(Array(repeating: .internalError, count: 20), for: "DeleteItem")
                try await service.deleteConfig(name)
                #expect(proxy.scriptedCount < 20, "the clean-up failed")
                let next = fixture.service()
                let code = await #expect(throws: DiscfgError.self) { try await next.info(of: name) }?.code
                #expect(code == .configNotFound)
                let late = await #expect(throws: DiscfgError.self) {
                    try await service.commit(set("/d", [1]), to: name)
                }
                #expect(late?.code == .configNotFound)
                while proxy.scriptedCount > 0 { _ = try? await next.deleteConfig(name) }
                switch finisher {
                case "maintain": try await fixture.engine().maintain()
                case "delete": _ = try? await next.deleteConfig(name)
                default: break
                }
                let again = try await next.createConfig(name, settings: ConfigSettings(), author: "")
                #expect(again.revision > 4, "beyond all that the old one had")
                #expect(
                    try await next.list(ListQuery(isRecursive: true, consistency: .strong), in: name).entries.isEmpty)
                #expect(try await records(fixture, in: "#V#") == 0)
                #expect(
                    try await service.commit(set("/e", [1]), to: name).revision == again.revision + 1,
                    "the old service finds the new config")
            }
        }
    }
}
