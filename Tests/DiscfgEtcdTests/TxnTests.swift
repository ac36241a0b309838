import DiscfgCore
import DiscfgEtcd
import Testing

@Suite("etcd transactions")
struct TxnTests {
    @Test("All operations of a branch take effect at one revision, and reads see what was written before them")
    func oneRevision() async throws {
        let fixture = EtcdFixture()
        try await fixture.put("k", "old")
        let response = try await fixture.etcd.txn(
            TxnRequest(success: [
                .range("k"), .delete("none"), .put("k", "new"), .range("k"), .delete("other"), .range("k", to: "z"),
            ]))
        #expect(response.succeeded && response.header.revision == 3)
        #expect(response.responses.map(\.revision) == [2, 2, 3, 3, 3, 3])
        guard case .range(let before) = response.responses[0], case .range(let after) = response.responses[3] else {
            Issue.record("the ranges are missing")
            return
        }
        #expect(before.kvs.map(\.value.text) == ["old"] && after.kvs.map(\.value.text) == ["new"])
        #expect(after.kvs.first?.modRevision == 3)
    }

    @Test("A comparison does not count the directories of the v2 API, which no range shows")
    func directories() async throws {
        let fixture = EtcdFixture()
        let write = DirectoryWrite(.set(.directory, isRefresh: false), at: try DirectoryPath("/dd".utf8))
        _ = try await fixture.store.carryOut(write, in: .default)
        let range = RangeRequest("/dd/", to: "/dd0")
        #expect(try await fixture.etcd.range(range).count == 0)
        let isEmpty = Compare("/dd/".bytes, rangeEnd: "/dd0".bytes, .create, .equal, .createRevision(0))
        #expect(try await fixture.etcd.txn(TxnRequest(compare: [isEmpty])).succeeded)
        let isAbsent = Compare("/dd/".bytes, .create, .equal, .createRevision(0))
        #expect(try await fixture.etcd.txn(TxnRequest(compare: [isAbsent])).succeeded)
        let revision = try await fixture.revision
        for request in [
            DeleteRangeRequest(key: "/dd/".bytes), DeleteRangeRequest(key: "/dd/".bytes, rangeEnd: "/dd0".bytes),
        ] {
            let response = try await fixture.etcd.deleteRange(request)
            #expect(response.deleted == 0 && response.header.revision == revision)
            let inside = try await fixture.etcd.txn(TxnRequest(success: [.deleteRange(request)]))
            #expect(inside.header.revision == revision)
        }
        try await fixture.put("/dd/a")
        #expect(try await fixture.etcd.txn(TxnRequest(compare: [isEmpty])).succeeded == false)
        let deletion = DeleteRangeRequest(key: "/dd/".bytes, rangeEnd: "/dd0".bytes)
        #expect(try await fixture.etcd.deleteRange(deletion).deleted == 1)
        let marker = try await fixture.store.get(Key(bytes: "/dd/".utf8), in: .default).item
        #expect(marker.isDirectory, "a directory stays when it is empty")
    }

    @Test("A transaction that only reads takes no revision")
    func readOnly() async throws {
        let fixture = EtcdFixture()
        try await fixture.put("k", "1")
        let response = try await fixture.etcd.txn(TxnRequest(success: [.range("k"), .delete("none")]))
        #expect(response.header.revision == 2 && response.responses.map(\.revision) == [2, 2])
        let empty = try await fixture.etcd.txn(TxnRequest())
        #expect(empty.succeeded && empty.responses.isEmpty && empty.header.revision == 2)
        #expect(try await fixture.revision == 2)
    }

    struct CompareCase: Sendable, CustomTestStringConvertible {
        let compare: Compare
        let holds: Bool
        var testDescription: String {
            "\(compare.key.text) \(compare.target) \(compare.result) \(compare.operand as Any)"
        }

        init(
            _ key: String, to end: String = "", _ target: Compare.Target, _ result: Compare.Result,
            _ operand: Compare.Operand?, _ holds: Bool
        ) {
            compare = Compare(key.bytes, rangeEnd: end.bytes, target, result, operand)
            self.holds = holds
        }
    }

    /// "a" has version 2, was created at 2 and modified at 3, and holds "v2"; "b" has version 1, of revision 4, and holds "v1".
    static let compares: [CompareCase] = [
        CompareCase("a", .version, .equal, .version(2), true),
        CompareCase("a", .version, .notEqual, .version(2), false),
        CompareCase("a", .version, .greater, .version(1), true),
        CompareCase("a", .version, .less, .version(3), true),
        CompareCase("a", .version, .less, .version(2), false),
        CompareCase("a", .create, .equal, .createRevision(2), true),
        CompareCase("a", .mod, .equal, .modRevision(3), true),
        CompareCase("a", .mod, .greater, .modRevision(3), false),
        CompareCase("a", .value, .equal, .value("v2".bytes), true),
        CompareCase("a", .value, .greater, .value("v10".bytes), true),
        CompareCase("a", .value, .less, .value("v".bytes), false),
        CompareCase("a", .lease, .equal, .lease(0), true),
        // An operand of another kind counts as nothing.
        CompareCase("a", .version, .greater, .modRevision(9), true),
        CompareCase("a", .create, .equal, nil, false),
        CompareCase("none", .version, .equal, nil, true),
        CompareCase("none", .version, .equal, .version(0), true),
        CompareCase("none", .create, .greater, .createRevision(0), false),
        CompareCase("none", .mod, .notEqual, .modRevision(1), true),
        CompareCase("none", .value, .equal, .value([]), false),
        CompareCase("none", .value, .notEqual, .value("x".bytes), false),
        CompareCase("a", to: "c", .create, .greater, .createRevision(0), true),
        CompareCase("a", to: "c", .version, .equal, .version(2), false),
        CompareCase("a", to: "\0", .mod, .less, .modRevision(5), true),
        CompareCase("x", to: "z", .version, .equal, .version(0), true),
        CompareCase("x", to: "z", .version, .greater, .version(0), false),
        CompareCase("x", to: "z", .value, .notEqual, .value([]), false),
        CompareCase("z", to: "x", .version, .equal, .version(0), true),
        CompareCase("z", to: "x", .version, .greater, .version(0), false),
    ]

    @Test("A comparison chooses the branch", arguments: compares)
    func compare(_ test: CompareCase) async throws {
        let fixture = EtcdFixture()
        for (key, value) in [("a", "v1"), ("a", "v2"), ("b", "v1")] { try await fixture.put(key, value) }
        let response = try await fixture.etcd.txn(
            TxnRequest(compare: [test.compare], success: [.put("yes")], failure: [.put("no")]))
        #expect(response.succeeded == test.holds)
        #expect(try await fixture.values("no", to: "z").keys.sorted() == [test.holds ? "yes" : "no"])
    }

    @Test("The conditions of a transaction inside another are tested before anything is written")
    func nestedConditions() async throws {
        let fixture = EtcdFixture()
        let absent = Compare("k".bytes, .create, .equal, .createRevision(0))
        let inner = TxnRequest(compare: [absent], success: [.put("inner", "yes")], failure: [.put("inner", "no")])
        let response = try await fixture.etcd.txn(TxnRequest(success: [.put("k"), .txn(inner), .range("inner")]))
        #expect(try await fixture.values("inner") == ["inner": "yes"])
        guard case .txn(let nested) = response.responses[1] else {
            Issue.record("the answer of the inner transaction is missing")
            return
        }
        #expect(nested.succeeded && nested.header == ResponseHeader())
        #expect(nested.responses.map(\.revision) == [2] && response.responses.map(\.revision) == [2, 0, 2])
    }

    struct Refusal: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let request: TxnRequest
        let error: EtcdError?

        init(_ description: String, _ operations: [RequestOp], _ error: EtcdError?) {
            self.init(description, TxnRequest(success: operations), error)
        }

        init(_ description: String, _ request: TxnRequest, _ error: EtcdError?) {
            testDescription = description
            self.request = request
            self.error = error
        }
    }

    private static func txn(_ success: RequestOp..., failure: [RequestOp] = []) -> RequestOp {
        .txn(TxnRequest(success: success, failure: failure))
    }

    private static func puts(_ count: Int) -> [RequestOp] { (0..<count).map { .put("k\($0)") } }

    static let refusals: [Refusal] = [
        Refusal("a key put twice", [.put("a"), .put("a")], .duplicateKey),
        Refusal("a key put in either branch", TxnRequest(success: [.put("a")], failure: [.put("a")]), nil),
        Refusal("a key put and deleted", [.put("a"), .delete("a")], .duplicateKey),
        Refusal("a key put in a range that is deleted", [.put("b"), .delete("a", to: "c")], .duplicateKey),
        Refusal("a key put at the end of a range that is deleted", [.put("c"), .delete("a", to: "c")], nil),
        // etcd's own rule: a range without end is deleted, and counts as empty.
        Refusal("the first key of a range without end", [.delete("a", to: "\0"), .put("a")], nil),
        Refusal("a later key of a range without end", [.delete("a", to: "\0"), .put("b")], nil),
        Refusal("the first key of a range that ends before it", [.delete("b", to: "a"), .put("b")], nil),
        Refusal("the only key of a range that ends where it begins", [.delete("b", to: "b"), .put("b")], nil),
        Refusal("ranges that are deleted twice", [.delete("a", to: "c"), .delete("b", to: "d")], nil),
        Refusal("a key put outside and inside", [.put("a"), txn(.put("a"))], .duplicateKey),
        Refusal("a key put in two transactions inside", [txn(.put("a")), txn(.put("a"))], .duplicateKey),
        Refusal("a key put in both branches inside", [txn(.put("a"), failure: [.put("a")])], nil),
        Refusal("a key deleted outside and put inside", [txn(.put("a")), .delete("a")], .duplicateKey),
        Refusal("a key deleted inside and put outside", [txn(.delete("a")), .put("a")], .duplicateKey),
        Refusal("a key deleted inside and put inside another", [txn(.delete("a")), txn(.put("a"))], .duplicateKey),
        Refusal("a duplicate in the other branch", TxnRequest(failure: [.put("a"), .put("a")]), .duplicateKey),
        Refusal("128 operations", puts(128), nil),
        Refusal("129 operations", puts(129), .tooManyOps),
        Refusal(
            "129 comparisons",
            TxnRequest(compare: .init(repeating: Compare("a".bytes, .version, .equal), count: 129)), .tooManyOps),
        Refusal("127 operations and one inside", puts(126) + [txn(.put("x"))], nil),
        Refusal("128 operations, one of them with more", puts(127) + [txn(.put("x"))], .tooManyOps),
        Refusal("an operation that is none", [.none], .keyNotFound),
        Refusal("a put without a key", [.put("")], .emptyKey),
        Refusal("a range without a key", [.range("")], .emptyKey),
        Refusal("a deletion without a key", [txn(.delete(""))], .emptyKey),
        Refusal("a comparison without a key", TxnRequest(compare: [Compare()]), .emptyKey),
        Refusal("a put that keeps what is not there", [.put(PutRequest("a") { $0.ignoreValue = true })], .keyNotFound),
        Refusal(
            "a put with a value that keeps the value", [.put(PutRequest("a", "1") { $0.ignoreValue = true })],
            .valueProvided),
        Refusal(
            "a branch that is not chosen and keeps what is not there",
            TxnRequest(failure: [.put(PutRequest("a") { $0.ignoreValue = true })]), nil),
        Refusal("a lease that is not there", [.put("x"), .put(PutRequest("a") { $0.lease = 9 })], .leaseNotFound),
        Refusal(
            "a lease that is not there, not chosen", TxnRequest(failure: [.put(PutRequest("a") { $0.lease = 9 })]), nil),
    ]

    @Test("What a transaction may not be is refused as etcd refuses it, and nothing is written", arguments: refusals)
    func refusal(_ test: Refusal) async throws {
        let fixture = EtcdFixture()
        if let error = test.error {
            await #expect(throws: error) { try await fixture.etcd.txn(test.request) }
            #expect(try await fixture.revision == 1)
        } else {
            _ = try await fixture.etcd.txn(test.request)
        }
    }

    @Test("Transactions that are nested too deep are refused by name")
    func depth() async throws {
        let etcd = EtcdFixture().etcd
        var request = TxnRequest(success: [.put("a")])
        for _ in 0..<7 { request = TxnRequest(success: [.txn(request)]) }
        _ = try await etcd.txn(request)
        let deeper = TxnRequest(success: [.txn(request)])
        let error = await #expect(throws: EtcdError.self) { try await etcd.txn(deeper) }
        #expect(error?.code == .invalidArgument && error?.message.hasPrefix("discfg:") == true)
    }

    @Test("A transaction reads the past; where it cannot, nothing of the chosen branch takes effect")
    func past() async throws {
        let fixture = EtcdFixture()
        for value in 1...4 { try await fixture.put("k", "\(value)") }
        func read(at revision: Int64) -> RequestOp { .range(RangeRequest("k") { $0.revision = revision }) }
        let response = try await fixture.etcd.txn(TxnRequest(success: [.put("x"), read(at: 3), read(at: 5)]))
        let values = response.responses.compactMap { response -> String? in
            if case .range(let range) = response { range.kvs.first?.value.text } else { nil }
        }
        #expect(values == ["2", "4"] && response.responses.map(\.revision) == [6, 6, 6])
        _ = try await fixture.etcd.compact(CompactionRequest(revision: 4))
        for (revision, error): (Int64, EtcdError) in [(3, .compacted), (7, .futureRevision)] {
            let bad = [RequestOp.put("y"), read(at: revision)]
            await #expect(throws: error) { try await fixture.etcd.txn(TxnRequest(success: bad)) }
            await #expect(throws: error) {
                try await fixture.etcd.txn(TxnRequest(success: [.put("z"), .txn(TxnRequest(success: bad))]))
            }
            #expect(try await fixture.revision == 6)
            #expect(try await fixture.etcd.txn(TxnRequest(failure: bad)).succeeded)
        }
    }

    @Test("A past that cannot be read matters only to a transaction that comes to it")
    func unreadPast() async throws {
        let fixture = EtcdFixture()
        for value in 1...4 { try await fixture.put("k", "\(value)") }
        _ = try await fixture.etcd.compact(CompactionRequest(revision: 4))
        let bad = [3, 9].map { revision in RequestOp.range(RangeRequest("k") { $0.revision = revision }) }
        let other = TxnRequest(success: [.put("inner")], failure: bad)
        let response = try await fixture.etcd.txn(TxnRequest(success: [.put("outer"), .txn(other)], failure: bad))
        #expect(response.succeeded && response.responses.count == 2)
        #expect(try await fixture.values("a", to: "z").keys.sorted() == ["inner", "k", "outer"])
    }

    @Test("What is wrong with a put is told before what is wrong with a range, and that in the order of the operations")
    func firstError() async throws {
        let fixture = EtcdFixture()
        for value in 1...4 { try await fixture.put("k", "\(value)") }
        _ = try await fixture.etcd.compact(CompactionRequest(revision: 4))
        let compacted = RequestOp.range(RangeRequest("k") { $0.revision = 3 })
        let future = RequestOp.range(RangeRequest("k") { $0.revision = 9 })
        let absent = RequestOp.put(PutRequest("none") { $0.ignoreValue = true })
        let cases: [([RequestOp], EtcdError)] = [
            ([compacted, future], .compacted), ([future, compacted], .futureRevision),
            ([.txn(TxnRequest(success: [future])), compacted], .futureRevision),
            ([.txn(TxnRequest(success: [compacted])), absent], .keyNotFound),
        ]
        for (operations, error) in cases {
            await #expect(throws: error) { try await fixture.etcd.txn(TxnRequest(success: operations)) }
        }
        #expect(try await fixture.revision == 5)
    }

    @Test("A negative revision means now, until something was compacted")
    func negativeRevision() async throws {
        let fixture = EtcdFixture()
        for value in 1...4 { try await fixture.put("k", "\(value)") }
        let now = TxnRequest(success: [.range(RangeRequest("k") { $0.revision = -1 })])
        #expect(try await fixture.etcd.txn(now).responses.count == 1)
        _ = try await fixture.etcd.compact(CompactionRequest(revision: 4))
        await #expect(throws: EtcdError.compacted) { try await fixture.etcd.txn(now) }
        #expect(try await fixture.etcd.txn(TxnRequest(failure: now.success)).succeeded)
    }

    @Test("A key that two clients want is given to the first")
    func race() async throws {
        let fixture = EtcdFixture()
        let absent = Compare("k".bytes, .create, .equal, .createRevision(0))
        let winners = try await withThrowingTaskGroup(of: Bool.self) { group in
            for client in 0..<20 {
                group.addTask {
                    let request = TxnRequest(
                        compare: [absent], success: [.put("k", "\(client)")], failure: [.range("k")])
                    return try await fixture.etcd.txn(request).succeeded
                }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        let revision = try await fixture.revision
        #expect(winners == 1 && revision == 2)
    }
}
