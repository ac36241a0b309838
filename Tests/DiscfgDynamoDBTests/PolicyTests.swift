import AWSClient
import AWSTestSupport
import DiscfgCore
import DiscfgDynamoDB
import Foundation
import Logging
import Testing

/// The very policies that docs/iam.md shows, on a stand-in that checks signatures, actions and resources.
@Suite("Policies", DynamoDBFixture.isAvailable)
struct PolicyTests {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "docs/iam")

    private static let transport = AsyncHTTPClientTransport(connectTimeout: .seconds(5))

    /// A service whose requests are signed by a user with a policy.
    private func service(
        of user: String, _ policy: String, table: String, on ministack: Ministack
    ) async throws -> (DynamoDBEngine, ConfigService) {
        let text = try String(contentsOf: Self.folder.appending(path: policy), encoding: .utf8)
            .replacing("REGION", with: Ministack.region).replacing("ACCOUNT", with: Ministack.account)
            .replacing("TABLE", with: table).replacing("CONFIG", with: "default")
        let key = try await ministack.createUser(user, policy: text)
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let client = try AWSClient(
            region: Ministack.region, endpoint: ministack.url,
            credentials: StaticCredentials(accessKeyID: key.id, secretAccessKey: key.secret),
            transport: Self.transport, logger: logger)
        let engine = DynamoDBEngine(table: table, client: client)
        return (engine, ConfigService(engine: engine, options: .init(administration: engine), logger: logger))
    }

    private func expectDenied(_ call: () async throws -> Void, _ comment: Comment) async {
        let error = await #expect(throws: DiscfgError.self, comment) { try await call() }
        #expect(error?.code == .storeUnusable, comment)
        #expect(error?.message.contains("AWS does not allow that") == true, comment)
        #expect(error?.hint?.contains("docs/iam.md") == true, comment)
    }

    private var lease: Lease { Lease(id: 1, ttl: .seconds(10), expiry: Timestamp(milliseconds: 1)) }

    /// All that a lease goes through in its life.
    private func useLease(on engine: DynamoDBEngine) async throws {
        #expect(try await engine.createLease(lease, in: .default))
        let tail = try await engine.tail(of: .default)
        let item = Item(
            key: try Key(path: "/leased"), value: Value("1"), created: tail.revision + 1, modified: tail.revision + 1,
            modifiedAt: tail.time, lease: lease.id)
        for change in [Change.set(item, previous: nil), .removed(item)] {
            let tail = try await engine.tail(of: .default)
            let commit = Commit(
                revision: tail.revision + 1, time: tail.time, author: "", message: "", changes: [change])
            #expect(try await engine.append([commit], to: .default) == .appended)
        }
        #expect(try await engine.lease(1, in: .default) == lease)
        #expect(try await engine.renewLease(1, in: .default, at: Timestamp(milliseconds: 1)) != nil)
        #expect(
            try await engine.overdueLeases(in: .default, at: .init(milliseconds: 20_000)).map(\.id) == [1])
        #expect(try await engine.endLease(1, in: .default, ifUnchanged: nil) != nil)
        #expect(try await engine.keys(of: 1, in: .default) == [item.key])
        try await engine.removeLease(1, in: .default)
    }

    @Test("An admin makes the table, a writer writes, a reader reads, and none of them can do more")
    func roles() async throws {
        try await Ministack.with(checkingAccess: true) { ministack in
            let table = "policies"
            let (admin, _) = try await service(of: "admin", "admin.json", table: table, on: ministack)
            try await admin.manager.make()
            let key = try Key(path: "/a")
            let large = Value(bytes: Array(repeating: 1, count: 100_000), contentType: Value.octets)
            for (user, policy) in [("writer", "writer.json"), ("one", "writer-one-config.json")] {
                let (engine, writer) = try await service(of: user, policy, table: table, on: ministack)
                for value in [Value("1"), large, Value("2")] {
                    _ = try await writer.commit(
                        Transaction(then: [.set(key, value, expiry: .after(.seconds(600)))]), to: .default)
                }
                #expect(try await writer.get(key, in: .default).item.value == Value("2"))
                _ = try await writer.compact(.default, keeping: .through(2))
                try await writer.expireOverdue(in: .default)
                try await useLease(on: engine)
                await expectDenied({ try await engine.manager.destroy() }, "a \(user) destroys the table")
            }
            for (user, policy) in [("reader", "reader.json"), ("only", "reader-one-config.json")] {
                let (engine, reader) = try await service(of: user, policy, table: table, on: ministack)
                #expect(try await reader.get(key, in: .default).item.value == Value("2"))
                #expect(try await reader.list(ListQuery(consistency: .strong), in: .default).items.count == 1)
                let tail = try await reader.revision(of: .default)
                #expect(try await reader.changes(ChangesQuery(after: tail - 1), in: .default).commits.count == 1)
                _ = try await reader.history(HistoryQuery(), in: .default)
                await expectDenied(
                    { _ = try await reader.commit(Transaction(then: [.delete(key)]), to: .default) },
                    "a \(user) deletes")
                #expect(try await engine.leases(of: .default, after: nil, limit: 10).isEmpty)
                await expectDenied(
                    { _ = try await engine.createLease(lease, in: .default) }, "a \(user) makes a lease")
                await expectDenied({ try await engine.manager.destroy() }, "a \(user) destroys the table")
            }
        }
    }

    @Test("The documentation shows the policies that were tested", arguments: ["reader", "writer", "admin"])
    func documented(role: String) throws {
        let text = try String(contentsOf: Self.folder.appending(path: "../iam.md"), encoding: .utf8)
        let policy = try String(contentsOf: Self.folder.appending(path: "\(role).json"), encoding: .utf8)
        #expect(text.contains(policy.trimmingCharacters(in: .whitespacesAndNewlines)))
    }
}
