import DiscfgCore
import Logging
import Testing

@Suite("Callers")
struct CallerTests {
    private let service = ConfigService(
        engine: MemoryEngine(), logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    private let alice = Caller("alice", provenBy: .gateway)

    /// The authors of the commits after the first, oldest first.
    private func authors(in config: ConfigName = .default) async throws -> [String] {
        try await service.changes(ChangesQuery(after: 1), in: config).commits.map(\.author)
    }

    @Test("A claim is the caller only if no caller is proven, and is not read otherwise")
    func claims() throws {
        struct Unreadable: Error {}
        #expect(try Caller.of(proven: nil, orClaiming: "bob") == Caller("bob", provenBy: .none))
        #expect(try Caller.of(proven: nil, orClaiming: nil) == .anonymous)
        let malformed = DiscfgError(.invalidName, "The claim is malformed.")
        func claim() throws(DiscfgError) -> String? { throw malformed }
        #expect(try Caller.of(proven: alice, orClaiming: try claim()) == alice)
        #expect(throws: DiscfgError.self) { try Caller.of(proven: nil, orClaiming: try claim()) }
    }

    @Test("The caller is the author of what a store writes for it, whatever the request names")
    func store() async throws {
        let key = try Key(path: "/a")
        let store = service.acting(as: alice)
        let one = Transaction(then: [.set(key, Value("1"))], author: "mallory")
        let revision = try await store.commit(one, to: .default).revision
        _ = try await store.commit(Transaction(then: [.set(key, Value("2"))]), to: .default)
        _ = try await store.rollback(RollbackRequest(to: revision, author: "mallory"), in: .default)
        _ = try await store.acting(as: .anonymous).commit(
            Transaction(then: [.delete(key)], author: "mallory"), to: .default)
        #expect(try await authors() == ["alice", "alice", "alice", ""])
        let team = try ConfigName("team")
        _ = try await store.createConfig(team, settings: ConfigSettings(), author: "mallory")
        #expect(try await service.changes(ChangesQuery(after: 0), in: team).commits.map(\.author) == ["alice"])
    }

    @Test("The caller is the author of what it sets, and when its lease is revoked")
    func local() async throws {
        let caller = service.service(as: alice)
        let lease = try await caller.grantLease(7, ttl: .seconds(60), in: .default)
        let set = Operation.set(try Key(path: "/a"), Value("1"), expiry: .lease(lease.id))
        _ = try await caller.commit(Transaction(then: [set], author: "mallory"), to: .default)
        _ = try await caller.revokeLease(lease.id, in: .default)
        #expect(try await authors() == ["alice", "alice"])
    }

    @Test("A claim is one field of at most 256 bytes, percent-encoded")
    func claimedFields() throws {
        #expect(try Caller.claim(in: []) == nil)
        #expect(try Caller.claim(in: ["Zo%C3%AB"]) == "Zoë")
        for fields in [["a", "b"], ["J\u{FFFD}"], ["%ff"], ["%"], [String(repeating: "a", count: 257)]] {
            #expect(throws: DiscfgError.self, "\(fields)") { try Caller.claim(in: fields) }
        }
    }

    @Test("A lease is not revoked for a caller whose name is too long")
    func longName() async throws {
        let lease = try await service.grantLease(7, ttl: .seconds(60), in: .default)
        let caller = service.service(as: .claiming(String(repeating: "a", count: 257)))
        let error = await #expect(throws: DiscfgError.self) { try await caller.revokeLease(lease.id, in: .default) }
        #expect(error?.code == .tooLarge)
        #expect(try await service.lease(lease.id, in: .default) == lease)
    }

    @Test("What expires has no author")
    func expiry() async throws {
        let key = try Key(path: "/a")
        let caller = service.service(as: alice)
        let set = Operation.set(key, Value("1"), expiry: .after(.milliseconds(1)))
        _ = try await caller.commit(Transaction(then: [set]), to: .default)
        while try await service.expireOverdue(in: .default) == 0 { await Task.yield() }
        #expect(try await authors() == ["alice", ""])
    }
}
