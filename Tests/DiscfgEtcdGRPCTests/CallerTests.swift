#if EtcdGRPC
import DiscfgCore
import GRPCCore
import SwiftProtobuf
import Testing

@testable import DiscfgEtcdGRPC

@Suite("The author of a commit by gRPC is the caller")
struct CallerTests {
    @Test(
        "Metadata claims the author of every call that writes",
        arguments: [("Zo%C3%AB", "Zoë"), ("ann", "ann"), (String?.none, "")])
    func claims(claim: String?, author: String) async throws {
        try await EtcdGRPCFixture.open { fixture in
            let metadata = claim.map { Metadata(dictionaryLiteral: ("x-discfg-author", .string($0))) } ?? [:]
            let (a, b) = (bytes("a"), bytes("b"))
            _ = try await fixture.kv.put(.with { ($0.key, $0.value) = (a, b) }, metadata: metadata)
            _ = try await fixture.kv.deleteRange(.with { $0.key = a }, metadata: metadata)
            _ = try await fixture.kv.txn(
                .with { $0.success = [.with { $0.requestPut = .with { ($0.key, $0.value) = (b, a) } }] },
                metadata: metadata)
            let leases = [try await fixture.grant(10), try await fixture.grant(11), try await fixture.grant(12)]
            _ = try await fixture.kv.put(.with { ($0.key, $0.lease) = (a, leases[0]) }, metadata: metadata)
            _ = try await fixture.lease.leaseRevoke(.with { $0.id = leases[0] }, metadata: metadata)
            _ = try await fixture.locks.lock(
                .with { ($0.name, $0.lease) = (bytes("l"), leases[1]) }, metadata: metadata)
            _ = try await fixture.locks.unlock(.with { $0.key = bytes("l/b") }, metadata: metadata)
            let leader = try await fixture.election.campaign(
                .with { ($0.name, $0.lease, $0.value) = (bytes("e"), leases[2], a) }, metadata: metadata
            ).leader
            _ = try await fixture.election.proclaim(.with { ($0.leader, $0.value) = (leader, b) }, metadata: metadata)
            _ = try await fixture.election.resign(.with { $0.leader = leader }, metadata: metadata)
            let commits = try await fixture.store.changes(ChangesQuery(after: 1), in: .default).commits
            #expect(commits.map(\.author) == Array(repeating: author, count: 10))
        }
    }

    @Test("A claim that is not percent-encoded text is refused, by calls and by streams")
    func malformed() async throws {
        try await EtcdGRPCFixture.open { fixture in
            let metadata: Metadata = ["x-discfg-author": "%zz"]
            let error = await #expect(throws: RPCError.self) {
                _ = try await fixture.kv.put(.with { $0.key = bytes("a") }, metadata: metadata)
            }
            #expect(error?.code == .invalidArgument && error?.message.hasPrefix("discfg: ") == true)
            let other = await #expect(throws: RPCError.self) {
                try await fixture.watch.watch(metadata: metadata) { _ in
                } onResponse: { response in
                    for try await _ in response.messages {}
                }
            }
            #expect(other?.code == .invalidArgument)
            let value = try await fixture.get("a")
            #expect(value == nil)
        }
    }
}
#endif
