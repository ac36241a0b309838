#if EtcdGRPC
import DiscfgEtcd
import GRPCCore
import SwiftProtobuf
import Testing

@testable import DiscfgEtcdGRPC

@Suite("The Maintenance, Cluster and Auth services over gRPC")
struct OperationTests {
    @Test("The status names the version, the leader and the revision")
    func status() async throws {
        try await EtcdGRPCFixture.open { fixture in
            try await fixture.put("a", "1")
            let status = try await fixture.maintenance.status(.init())
            #expect(status.version == "3.4.23")
            #expect(status.leader == EtcdGRPCFixture.identity.memberID)
            #expect((status.raftIndex, status.raftAppliedIndex, status.raftTerm) == (2, 2, 1))
            #expect(status.header.revision == 2)
        }
    }

    @Test("The hash changes with the keys, and is the same again at the same revision")
    func hash() async throws {
        try await EtcdGRPCFixture.open { fixture in
            try await fixture.put("a", "1")
            let first = try await fixture.maintenance.hashKV(.init())
            #expect(try await fixture.maintenance.hash(.init()).hash == first.hash)
            try await fixture.put("a", "2")
            #expect(try await fixture.maintenance.hashKV(.init()).hash != first.hash)
            #expect(try await fixture.maintenance.hashKV(.with { $0.revision = 2 }).hash == first.hash)
        }
    }

    @Test("A snapshot comes in parts that say how much is left, and ends with a digest")
    func snapshot() async throws {
        try await EtcdGRPCFixture.open { fixture in
            for number in 0..<300 { try await fixture.put("k/\(number)", String(repeating: "v", count: 300)) }
            let parts = try await fixture.maintenance.snapshot(.init()) { response in
                try await response.messages.reduce(into: [Etcdserverpb_SnapshotResponse]()) { $0.append($1) }
            }
            let whole = parts.reduce(0) { $0 + $1.blob.count }
            #expect(parts.count > 3)
            #expect(whole % 512 == 32)
            #expect(parts.last?.blob.count == 32)
            var left = whole - 32
            for part in parts.dropLast() {
                left -= part.blob.count
                #expect(part.remainingBytes == UInt64(left))
            }
            #expect(left == 0)
        }
    }

    @Test("There are no alarms, nothing to defragment, and the lead is where it is")
    func quiet() async throws {
        try await EtcdGRPCFixture.open { fixture in
            #expect(try await fixture.maintenance.alarm(.init()).alarms.isEmpty)
            #expect(try await fixture.maintenance.alarm(.with { $0.action = .deactivate }).alarms.isEmpty)
            _ = try await fixture.maintenance.defragment(.init())
            _ = try await fixture.maintenance.moveLeader(.with { $0.targetID = EtcdGRPCFixture.identity.memberID })
        }
    }

    @Test(
        "The member is where the client has called it",
        arguments: [
            ("discfg.example:2379", "http://discfg.example:2379"), ("[::1]:2379", "http://[::1]:2379"),
            ("#initially=[127.0.0.1:1]", nil), ("discfg.example", nil), ("a b:1", nil), ("a:99999", nil),
        ] as [(String, String?)])
    func member(authority: String, url: String?) async throws {
        try await EtcdGRPCFixture.open(authority: authority) { fixture in
            let list = try await fixture.cluster.memberList(.init())
            #expect(list.members.map(\.id) == [EtcdGRPCFixture.identity.memberID])
            #expect(list.members.map(\.name) == ["discfg"])
            #expect(list.members.first?.clientUrls == [url ?? "http://127.0.0.1:\(fixture.port)"])
            #expect(list.header.clusterID == EtcdGRPCFixture.identity.clusterID)
        }
    }

    @Test("Authentication is disabled, without users and roles")
    func authentication() async throws {
        try await EtcdGRPCFixture.open { fixture in
            let status = try await fixture.auth.authStatus(.init())
            #expect(!status.enabled)
            #expect(status.header.revision == 1)
            _ = try await fixture.auth.authDisable(.init())
            #expect(try await fixture.auth.userList(.init()).users.isEmpty)
            #expect(try await fixture.auth.roleList(.init()).roles.isEmpty)
        }
    }
}
#endif
