#if EtcdGRPC
import DiscfgEtcd
import GRPCCore
import SwiftProtobuf
import Testing

@testable import DiscfgEtcdGRPC

@Suite("The KV service over gRPC")
struct KVTests {
    @Test("A key is put and read with all that etcd tells of it")
    func putAndGet() async throws {
        try await EtcdGRPCFixture.open { fixture in
            let header = try await fixture.kv.put(.with { ($0.key, $0.value) = (bytes("a"), bytes("1")) }).header
            #expect(header.clusterID == 14)
            #expect(header.memberID == 25)
            #expect(header.revision == 2)
            #expect(header.raftTerm == 1)
            let lease = try await fixture.grant()
            #expect(try await fixture.put("a", "2", lease: lease) == 3)
            let answer = try await fixture.kv.range(.with { $0.key = bytes("a") })
            #expect(answer.count == 1)
            let found = try #require(answer.kvs.first)
            #expect((found.keyText, found.valueText) == ("a", "2"))
            #expect((found.createRevision, found.modRevision, found.version) == (2, 3, 2))
            #expect(found.lease == lease)
            #expect(answer.header.revision == 3)
        }
    }

    @Test("Put answers with the pair before, keeps values and leases when told")
    func putOptions() async throws {
        try await EtcdGRPCFixture.open { fixture in
            let first = try await fixture.kv.put(
                .with { ($0.key, $0.value, $0.prevKv) = (bytes("a"), bytes("1"), true) })
            #expect(!first.hasPrevKv)
            let second = try await fixture.kv.put(
                .with { ($0.key, $0.ignoreValue, $0.prevKv) = (bytes("a"), true, true) })
            #expect(second.prevKv.valueText == "1")
            let lease = try await fixture.grant()
            try await fixture.put("a", "3", lease: lease)
            _ = try await fixture.kv.put(.with { ($0.key, $0.value, $0.ignoreLease) = (bytes("a"), bytes("4"), true) })
            let found = try await fixture.kv.range(.with { $0.key = bytes("a") }).kvs
            #expect(found.map(\.lease) == [lease])
            #expect(found.map(\.valueText) == ["4"])
        }
    }

    @Test("A range is limited, sorted, filtered, counted, and read in the past")
    func ranges() async throws {
        try await EtcdGRPCFixture.open { fixture in
            for (key, value) in [("k/1", "m"), ("k/2", "z"), ("k/3", "a"), ("l", "x")] {
                try await fixture.put(key, value)
            }
            func read(_ change: (inout Etcdserverpb_RangeRequest) -> Void) async throws -> Etcdserverpb_RangeResponse {
                try await fixture.kv.range(
                    .with {
                        ($0.key, $0.rangeEnd) = (bytes("k/"), end(of: "k/"))
                        change(&$0)
                    })
            }
            let limited = try await read { $0.limit = 2 }
            #expect(limited.kvs.map(\.keyText) == ["k/1", "k/2"])
            #expect((limited.more, limited.count) == (true, 3))
            let sorted = try await read { ($0.sortOrder, $0.sortTarget) = (.descend, .value) }
            #expect(sorted.kvs.map(\.keyText) == ["k/2", "k/1", "k/3"])
            let filtered = try await read { ($0.minModRevision, $0.maxModRevision) = (3, 3) }
            #expect(filtered.kvs.map(\.keyText) == ["k/2"])
            let created = try await read { ($0.minCreateRevision, $0.maxCreateRevision) = (4, 9) }
            #expect(created.kvs.map(\.keyText) == ["k/3"])
            let keys = try await read { $0.keysOnly = true }
            #expect(keys.kvs.allSatisfy { $0.value.isEmpty } && keys.kvs.count == 3)
            let counted = try await read { $0.countOnly = true }
            #expect((counted.kvs.count, counted.count) == (0, 3))
            let past = try await read { $0.revision = 2 }
            #expect(past.kvs.map(\.keyText) == ["k/1"])
            #expect(past.header.revision == 5)
        }
    }

    @Test("Removing a range tells how many keys there were, and which")
    func deleteRange() async throws {
        try await EtcdGRPCFixture.open { fixture in
            for key in ["k/1", "k/2", "l"] { try await fixture.put(key, "v") }
            let answer = try await fixture.kv.deleteRange(
                .with { ($0.key, $0.rangeEnd, $0.prevKv) = (bytes("k/"), end(of: "k/"), true) })
            #expect(answer.deleted == 2)
            #expect(answer.prevKvs.map(\.keyText) == ["k/1", "k/2"])
            #expect(answer.header.revision == 5)
            #expect(try await fixture.get("l") == "v")
        }
    }

    @Test("A transaction compares, carries out one branch, also of a transaction in it, and answers each operation")
    func txn() async throws {
        try await EtcdGRPCFixture.open { fixture in
            try await fixture.put("a", "1")
            let answer = try await fixture.kv.txn(
                .with { txn in
                    txn.compare = [
                        .with { ($0.key, $0.target, $0.value) = (bytes("a"), .value, bytes("1")) },
                        .with { ($0.key, $0.target, $0.result, $0.modRevision) = (bytes("a"), .mod, .less, 3) },
                        .with { ($0.key, $0.target, $0.createRevision) = (bytes("a"), .create, 2) },
                        .with { ($0.key, $0.result, $0.version) = (bytes("a"), .greater, 0) },
                        .with { ($0.key, $0.target, $0.result, $0.lease) = (bytes("a"), .lease, .notEqual, 7) },
                    ]
                    txn.success = [
                        .with { ($0.requestPut.key, $0.requestPut.value) = (bytes("b"), bytes("2")) },
                        .with { $0.requestRange.key = bytes("b") },
                        .with { $0.requestDeleteRange.key = bytes("a") },
                        .with { $0.requestTxn.failure = [.with { $0.requestRange.key = bytes("b") }] },
                    ]
                    txn.failure = [.with { $0.requestRange.key = bytes("a") }]
                })
            #expect(answer.succeeded)
            #expect(answer.header.revision == 3)
            #expect(answer.responses.count == 4)
            #expect(answer.responses[0].responsePut.header.revision == 3)
            #expect(answer.responses[1].responseRange.kvs.map(\.valueText) == ["2"])
            #expect(answer.responses[2].responseDeleteRange.deleted == 1)
            #expect(answer.responses[3].responseTxn.succeeded)
        }
    }

    @Test("What is before the compacted revision is gone")
    func compaction() async throws {
        try await EtcdGRPCFixture.open { fixture in
            for value in ["1", "2", "3"] { try await fixture.put("a", value) }
            let answer = try await fixture.kv.compact(.with { ($0.revision, $0.physical) = (3, true) })
            #expect(answer.header.revision == 4)
            let kept = try await fixture.kv.range(.with { ($0.key, $0.revision) = (bytes("a"), 3) })
            #expect(kept.kvs.map(\.valueText) == ["2"])
            let message = "etcdserver: mvcc: required revision has been compacted"
            await expectRefusal(.outOfRange, message) {
                _ = try await fixture.kv.range(.with { ($0.key, $0.revision) = (bytes("a"), 2) })
            }
            await expectRefusal(.outOfRange, message) { _ = try await fixture.kv.compact(.with { $0.revision = 3 }) }
        }
    }

    @Test("Puts from many tasks and two connections each get a revision of their own")
    func concurrentPuts() async throws {
        try await EtcdGRPCFixture.open { fixture in
            try await fixture.connect { other in
                let revisions = try await withThrowingTaskGroup(of: Int64.self) { tasks in
                    for number in 0..<400 {
                        tasks.addTask { try await (number % 2 == 0 ? fixture : other).put("k/\(number)", "\(number)") }
                    }
                    return try await tasks.reduce(into: Set()) { $0.insert($1) }
                }
                #expect(revisions == Set(2...401))
                let all = try await fixture.kv.range(.with { ($0.key, $0.rangeEnd) = (bytes("k/"), end(of: "k/")) })
                #expect(all.count == 400)
                #expect(all.kvs.allSatisfy { $0.keyText == "k/\($0.valueText)" })
            }
        }
    }
}
#endif
