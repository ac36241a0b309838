import DiscfgCore
import DiscfgEtcd
import Testing

@Suite("etcd keys")
struct KVTests {
    /// Five keys, whose values, revisions and versions are in different orders.
    private func filled() async throws -> EtcdFixture {
        let fixture = EtcdFixture()
        for (key, value) in [("a", "5"), ("c", "3"), ("b", "4"), ("fop", "1"), ("foo", "2"), ("a", "5")] {
            try await fixture.put(key, value)
        }
        return fixture
    }

    struct RangeCase: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let request: RangeRequest
        let keys: [String]
        var count: Int64 = 5
        var more = false
    }

    private static let everything = RangeRequest("\0", to: "\0")

    static let ranges: [RangeCase] = [
        RangeCase(testDescription: "one key", request: RangeRequest("a"), keys: ["a"], count: 1),
        RangeCase(testDescription: "a key that is absent", request: RangeRequest("x"), keys: [], count: 0),
        RangeCase(testDescription: "a range", request: RangeRequest("a", to: "c"), keys: ["a", "b"], count: 2),
        RangeCase(testDescription: "a prefix", request: RangeRequest("fo", to: "fp"), keys: ["foo", "fop"], count: 2),
        RangeCase(
            testDescription: "from a key on", request: RangeRequest("c", to: "\0"), keys: ["c", "foo", "fop"], count: 3),
        RangeCase(testDescription: "all keys", request: everything, keys: ["a", "b", "c", "foo", "fop"]),
        RangeCase(testDescription: "an end before the key", request: RangeRequest("c", to: "a"), keys: [], count: 0),
        RangeCase(testDescription: "an end at the key", request: RangeRequest("c", to: "c"), keys: [], count: 0),
        RangeCase(
            testDescription: "a limit", request: everything.with { $0.limit = 2 }, keys: ["a", "b"], more: true),
        RangeCase(
            testDescription: "a limit that is just enough", request: everything.with { $0.limit = 5 },
            keys: ["a", "b", "c", "foo", "fop"]),
        RangeCase(
            testDescription: "a limit below zero", request: everything.with { $0.limit = -1 },
            keys: ["a", "b", "c", "foo", "fop"]),
        RangeCase(testDescription: "the count alone", request: everything.with { $0.countOnly = true }, keys: []),
        RangeCase(
            testDescription: "ascending by key", request: everything.with { $0.sortOrder = .ascend },
            keys: ["a", "b", "c", "foo", "fop"]),
        RangeCase(
            testDescription: "descending by key", request: everything.with { ($0.sortOrder, $0.limit) = (.descend, 3) },
            keys: ["fop", "foo", "c"], more: true),
        RangeCase(
            testDescription: "by value, ascending when nothing is said",
            request: everything.with { $0.sortTarget = .value }, keys: ["fop", "foo", "c", "b", "a"]),
        RangeCase(
            testDescription: "by creation", request: everything.with { $0.sortTarget = .create },
            keys: ["a", "c", "b", "fop", "foo"]),
        RangeCase(
            testDescription: "by modification, the newest first",
            request: everything.with { ($0.sortTarget, $0.sortOrder) = (.mod, .descend) },
            keys: ["a", "foo", "fop", "b", "c"]),
        RangeCase(
            testDescription: "by version, those with the same by key",
            request: everything.with { ($0.sortTarget, $0.sortOrder) = (.version, .descend) },
            keys: ["a", "b", "c", "foo", "fop"]),
        RangeCase(
            testDescription: "the last created",
            request: everything.with {
                ($0.sortTarget, $0.sortOrder, $0.limit) = (.create, .descend, 1)
            }, keys: ["foo"], more: true),
        RangeCase(
            testDescription: "by value and by names alone",
            request: everything.with { ($0.sortTarget, $0.keysOnly) = (.value, true) },
            keys: ["fop", "foo", "c", "b", "a"]),
        RangeCase(
            testDescription: "the least modification", request: everything.with { $0.minModRevision = 5 },
            keys: ["a", "foo", "fop"]),
        RangeCase(
            testDescription: "the greatest modification", request: everything.with { $0.maxModRevision = 4 },
            keys: ["b", "c"]),
        RangeCase(
            testDescription: "the least creation", request: everything.with { $0.minCreateRevision = 5 },
            keys: ["foo", "fop"]),
        RangeCase(
            testDescription: "the greatest creation and a limit",
            request: everything.with { ($0.maxCreateRevision, $0.limit) = (4, 2) }, keys: ["a", "b"], more: true),
        RangeCase(
            testDescription: "a filter that leaves no more than the limit",
            request: everything.with { ($0.maxCreateRevision, $0.limit) = (3, 2) }, keys: ["a", "c"]),
    ]

    @Test("A range answers with its keys, their number, and whether there are more", arguments: ranges)
    func range(_ test: RangeCase) async throws {
        let fixture = try await filled()
        for keysOnly in [false, true] {
            let response = try await fixture.etcd.range(test.request.with { $0.keysOnly = $0.keysOnly || keysOnly })
            #expect(response.kvs.map(\.key.text) == test.keys)
            #expect(response.count == test.count && response.more == test.more)
            #expect(response.header.revision == 7 && response.header.clusterID == 7 && response.header.memberID == 8)
            let hasValues = !keysOnly && !test.request.keysOnly
            #expect(response.kvs.allSatisfy { $0.value.isEmpty != hasValues })
        }
    }

    @Test("A key has the revisions and the version that etcd would give it")
    func revisions() async throws {
        let fixture = EtcdFixture()
        #expect(try await fixture.put("a", "1") == 2)
        #expect(try await fixture.put("a", "2") == 3)
        let kv = try #require(try await fixture.etcd.range(RangeRequest("a")).kvs.first)
        #expect(kv == KeyValue(key: "a".bytes, createRevision: 2, modRevision: 3, version: 2, value: "2".bytes))
        #expect(try await fixture.delete("a") == 4)
        #expect(try await fixture.delete("a") == 4)
        try await fixture.put("a", "3")
        let again = try #require(try await fixture.etcd.range(RangeRequest("a")).kvs.first)
        #expect(again.createRevision == 5 && again.version == 1)
    }

    @Test("The past is read at any revision that is neither compacted nor in the future")
    func past() async throws {
        let fixture = EtcdFixture()
        for value in 1...6 { try await fixture.put("a", "\(value)") }
        #expect(try await fixture.values("a", at: 3) == ["a": "2"])
        #expect(try await fixture.values("a", at: -1) == ["a": "6"])
        #expect(try await fixture.values("a", at: 1) == [:])
        let old = try await fixture.etcd.range(RangeRequest("a", to: "b") { $0.revision = 4 })
        #expect(old.header.revision == 7 && old.kvs.map(\.value.text) == ["3"])
        await #expect(throws: EtcdError.futureRevision) { try await fixture.values("a", at: 8) }
        #expect(try await fixture.etcd.compact(CompactionRequest(revision: 5)).revision == 7)
        await #expect(throws: EtcdError.compacted) { try await fixture.values("a", at: 4) }
        #expect(try await fixture.values("a", at: 5) == ["a": "4"])
        await #expect(throws: EtcdError.compacted) { try await fixture.values("nothing", to: "at all", at: 4) }
    }

    @Test("Compaction goes forward only, and never beyond the current revision")
    func compaction() async throws {
        let fixture = EtcdFixture()
        for value in 1...6 { try await fixture.put("a", "\(value)") }
        func compact(_ revision: Int64) async throws {
            _ = try await fixture.etcd.compact(CompactionRequest(revision: revision))
        }
        await #expect(throws: EtcdError.compacted) { try await compact(-1) }
        try await compact(0)
        try await compact(1)
        await #expect(throws: EtcdError.futureRevision) { try await compact(8) }
        try await compact(4)
        for revision: Int64 in [0, 3, 4] {
            await #expect(throws: EtcdError.compacted) { try await compact(revision) }
        }
        try await compact(7)
        #expect(try await fixture.values("a", at: 7) == ["a": "6"])
        await #expect(throws: EtcdError.compacted) { try await compact(7) }
    }

    @Test("What discfg has trimmed to the last revision, etcd's clients can still read there")
    func trimmedToTheEnd() async throws {
        let fixture = EtcdFixture()
        try await fixture.put("a", "1")
        _ = try await fixture.store.compact(.default, keeping: .through(2))
        #expect(try await fixture.values("a", at: 2) == ["a": "1"])
        await #expect(throws: EtcdError.compacted) { try await fixture.values("a", at: 1) }
        await #expect(throws: EtcdError.compacted) {
            try await fixture.etcd.compact(CompactionRequest(revision: 2))
        }
    }

    @Test("A put keeps the value or the lease where it is asked to, and refuses what contradicts that")
    func ignoring() async throws {
        let fixture = EtcdFixture()
        let lease = try await fixture.etcd.leaseGrant(LeaseGrantRequest(ttl: 60)).id
        func put(_ change: (inout PutRequest) -> Void) async throws -> PutResponse {
            try await fixture.etcd.put(PutRequest("a", "", change))
        }
        await #expect(throws: EtcdError.keyNotFound) { try await put { $0.ignoreValue = true } }
        await #expect(throws: EtcdError.keyNotFound) { try await put { $0.ignoreLease = true } }
        try await fixture.put("a", "1", lease: lease)
        _ = try await put { $0.ignoreValue = true }
        #expect(try await fixture.etcd.range(RangeRequest("a")).kvs.map(\.lease) == [0])
        try await fixture.put("a", "2", lease: lease)
        _ = try await put { ($0.ignoreLease, $0.value) = (true, "3".bytes) }
        let kv = try #require(try await fixture.etcd.range(RangeRequest("a")).kvs.first)
        #expect(kv.lease == lease && kv.value.text == "3" && kv.version == 4)
        await #expect(throws: EtcdError.valueProvided) { try await put { ($0.ignoreValue, $0.value) = (true, [1]) } }
        await #expect(throws: EtcdError.leaseProvided) { try await put { ($0.ignoreLease, $0.lease) = (true, 1) } }
        await #expect(throws: EtcdError.leaseNotFound) { try await put { $0.lease = lease / 2 + 1 } }
        let response = try await put { $0.prevKv = true }
        #expect(response.prevKv?.value.text == "3")
        #expect(try await fixture.etcd.put(PutRequest("new") { $0.prevKv = true }).prevKv == nil)
    }

    @Test("A request without a key is refused, and so is one that is too large")
    func refusals() async throws {
        let etcd = EtcdFixture().etcd
        await #expect(throws: EtcdError.emptyKey) { try await etcd.range(RangeRequest()) }
        await #expect(throws: EtcdError.emptyKey) { try await etcd.put(PutRequest()) }
        await #expect(throws: EtcdError.emptyKey) { try await etcd.deleteRange(DeleteRangeRequest()) }
        await #expect(throws: EtcdError.requestTooLarge) {
            try await etcd.put(PutRequest(key: [1], value: [UInt8](repeating: 0, count: 1_572_864)))
        }
        let missing = await #expect(throws: EtcdError.self) {
            try await etcd.of(ConfigName("missing")).range(RangeRequest("a"))
        }
        #expect(missing?.code == .notFound && missing?.message.contains("missing") == true)
    }

    @Test("A deletion counts its keys, takes one revision for all, and gives them back when asked")
    func deletion() async throws {
        let fixture = try await filled()
        var request = DeleteRangeRequest(key: "f".bytes, rangeEnd: "g".bytes)
        request.prevKv = true
        let response = try await fixture.etcd.deleteRange(request)
        #expect(response.deleted == 2 && response.header.revision == 8)
        #expect(response.prevKvs.map(\.key.text) == ["foo", "fop"])
        let again = try await fixture.etcd.deleteRange(request)
        #expect(again.deleted == 0 && again.header.revision == 8 && again.prevKvs.isEmpty)
        let nothing = try await fixture.etcd.deleteRange(DeleteRangeRequest(key: "z".bytes, rangeEnd: "a".bytes))
        #expect(nothing.deleted == 0 && nothing.header.revision == 8)
        let rest = try await fixture.etcd.deleteRange(DeleteRangeRequest(key: [0], rangeEnd: [0]))
        #expect(rest.deleted == 3 && rest.prevKvs.isEmpty)
    }

    @Test("A key is any bytes; one that is longer than a store takes is absent, and cannot be set")
    func anyBytes() async throws {
        let fixture = EtcdFixture()
        let (binary, long) = ([0xFF, 0, 0x80] as [UInt8], [UInt8](repeating: 0x61, count: 1025))
        _ = try await fixture.etcd.put(PutRequest(key: binary, value: [0xC3, 0x28]))
        let found = try await fixture.etcd.range(RangeRequest(key: binary)).kvs.first
        #expect(found?.key == binary && found?.value == [0xC3, 0x28])
        let most = Array(long.dropLast())
        _ = try await fixture.etcd.put(PutRequest(key: most))
        #expect(try await fixture.etcd.range(RangeRequest(key: long)).count == 0)
        #expect(try await fixture.etcd.range(RangeRequest(key: long, rangeEnd: [0])).count == 1)
        #expect(try await fixture.etcd.range(RangeRequest(key: most, rangeEnd: long)).count == 1)
        #expect(try await fixture.etcd.deleteRange(DeleteRangeRequest(key: long)).deleted == 0)
        let error = await #expect(throws: EtcdError.self) { try await fixture.etcd.put(PutRequest(key: long)) }
        #expect(error?.code == .invalidArgument && error?.message.contains("1025") == true)
    }

    @Test("What stands for a directory of etcd's v2 API is no key to v3's clients")
    func directories() async throws {
        let fixture = EtcdFixture()
        let marker = try Key(bytes: "/d/".utf8)
        _ = try await fixture.store.commit(
            Transaction(then: [.set(marker, Value(bytes: [], contentType: Value.directory))]), to: .default)
        try await fixture.put("/d/k", "1")
        #expect(try await fixture.values("/", to: "0") == ["/d/k": "1"])
        #expect(try await fixture.etcd.range(RangeRequest("/d/")).count == 0)
        let txn = try await fixture.etcd.txn(TxnRequest(success: [.range("/d/"), .range("/", to: "0")]))
        #expect(txn.responses.map(\.count) == [0, 1])
        var request = DeleteRangeRequest(key: "/".bytes, rangeEnd: "0".bytes)
        request.prevKv = true
        let deletion = try await fixture.etcd.deleteRange(request)
        #expect(deletion.deleted == 1 && deletion.prevKvs.count == 1)
    }
}

extension RangeRequest {
    func with(_ change: (inout RangeRequest) -> Void) -> RangeRequest {
        var request = self
        change(&request)
        return request
    }
}

extension ResponseOp {
    /// How many keys a range found, or a deletion removed.
    var count: Int64? {
        switch self {
        case .range(let response): response.count
        case .deleteRange(let response): response.deleted
        case .put, .txn: nil
        }
    }

    var revision: Int64 {
        switch self {
        case .range(let response): response.header.revision
        case .put(let response): response.header.revision
        case .deleteRange(let response): response.header.revision
        case .txn(let response): response.header.revision
        }
    }
}
