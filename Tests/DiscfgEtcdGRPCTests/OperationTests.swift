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
        try await EtcdDoor.open { door in
            try await door.put("a", "1")
            let status = try await door.maintenance.status(.init())
            #expect(status.version == "3.4.23")
            #expect(status.leader == EtcdDoor.identity.memberID)
            #expect((status.raftIndex, status.raftAppliedIndex, status.raftTerm) == (2, 2, 1))
            #expect(status.header.revision == 2)
        }
    }

    @Test("The hash changes with the keys, and is the same again at the same revision")
    func hash() async throws {
        try await EtcdDoor.open { door in
            try await door.put("a", "1")
            let first = try await door.maintenance.hashKV(.init())
            #expect(try await door.maintenance.hash(.init()).hash == first.hash)
            try await door.put("a", "2")
            #expect(try await door.maintenance.hashKV(.init()).hash != first.hash)
            #expect(try await door.maintenance.hashKV(.with { $0.revision = 2 }).hash == first.hash)
        }
    }

    @Test("A snapshot comes in parts that say how much is left, and ends with a digest")
    func snapshot() async throws {
        try await EtcdDoor.open { door in
            for number in 0..<300 { try await door.put("k/\(number)", String(repeating: "v", count: 300)) }
            let parts = try await door.maintenance.snapshot(.init()) { response in
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
        try await EtcdDoor.open { door in
            #expect(try await door.maintenance.alarm(.init()).alarms.isEmpty)
            #expect(try await door.maintenance.alarm(.with { $0.action = .deactivate }).alarms.isEmpty)
            _ = try await door.maintenance.defragment(.init())
            _ = try await door.maintenance.moveLeader(.with { $0.targetID = EtcdDoor.identity.memberID })
        }
    }

    @Test(
        "The member is where the client has called it",
        arguments: [
            ("discfg.example:2379", "http://discfg.example:2379"), ("[::1]:2379", "http://[::1]:2379"),
            ("#initially=[127.0.0.1:1]", nil), ("discfg.example", nil), ("a b:1", nil), ("a:99999", nil),
        ] as [(String, String?)])
    func member(authority: String, url: String?) async throws {
        try await EtcdDoor.open(authority: authority) { door in
            let list = try await door.cluster.memberList(.init())
            #expect(list.members.map(\.id) == [EtcdDoor.identity.memberID])
            #expect(list.members.map(\.name) == ["discfg"])
            #expect(list.members.first?.clientUrls == [url ?? "http://127.0.0.1:\(door.port)"])
            #expect(list.header.clusterID == EtcdDoor.identity.clusterID)
        }
    }

    @Test("Authentication is disabled, without users and roles")
    func authentication() async throws {
        try await EtcdDoor.open { door in
            let status = try await door.auth.authStatus(.init())
            #expect(!status.enabled)
            #expect(status.header.revision == 1)
            _ = try await door.auth.authDisable(.init())
            #expect(try await door.auth.userList(.init()).users.isEmpty)
            #expect(try await door.auth.roleList(.init()).roles.isEmpty)
        }
    }
}
#endif
