@testable import DiscfgCore
import Testing

extension Evaluator {
    /// An evaluator that knows some items, and nothing else of the ranges that they are in.
    init(_ items: some Sequence<Item>, ranges: Set<KeyRange> = [], tail: LogTail, now: Timestamp) {
        self.init(config: .default, state: ViewState(tail: tail), now: now)
        let items = Dictionary(uniqueKeysWithValues: items.map { ($0.key, Item?.some($0)) })
        learn(items, ranges: ranges, recent: nil, now: now)
    }
}

/// What transactions do, worked out without a store.
@Suite("Evaluator")
struct EvaluatorTests {
    static let start = Timestamp(milliseconds: 1000)

    static func evaluator(
        _ items: [Item] = [], ranges: Set<KeyRange> = [], revision: Revision = 5, now: Timestamp = start
    ) -> Evaluator {
        let tail = LogTail(revision: revision, time: start, trimmed: 0, incarnation: "1")
        return Evaluator(items, ranges: ranges, tail: tail, now: now)
    }

    static func item(_ path: String, _ text: String, version: Int64 = 1, expiry: Timestamp? = nil) throws -> Item {
        Item(
            key: try Key(path: path), value: Value(text), version: version, created: 2, modified: 3, modifiedAt: start,
            expiry: expiry)
    }

    static func set(_ path: String, _ text: String, if test: Precondition.Test? = nil) throws -> Transaction {
        let key = try Key(path: path)
        return Transaction(if: test.map { [Precondition(key, $0)] } ?? [], then: [.set(key, Value(text))])
    }

    @Test("When others were first, what was proposed is undone in full, however often it touched a key")
    func advance() throws {
        var evaluator = Self.evaluator([try Self.item("/k", "committed", version: 4)])
        for text in ["a", "b", "c"] { _ = try evaluator.evaluate(Self.set("/k", text)) }
        #expect(evaluator.proposed.map(\.revision) == [6, 7, 8])
        let other = try Self.item("/other", "x")
        let foreign = Commit(
            revision: 6, time: Self.start, author: "", message: "", changes: [.set(other, previous: nil)])
        evaluator.advance(over: [foreign])
        let result = try evaluator.evaluate(Self.set("/k", "again", if: .version(4)))
        #expect(result.failed == nil && result.revision == 7)
        #expect(result.outcomes[0].previous.first?.value == Value("committed"))
        #expect(result.outcomes[0].item?.version == 5)
        #expect(try evaluator.evaluate(Self.set("/other", "y", if: .absent)).failed != nil)
    }

    @Test("A commit has one change for each key, and none for what came and went within it")
    func coalescing() throws {
        var evaluator = Self.evaluator([try Self.item("/a", "old")])
        let (a, b) = (try Key(path: "/a"), try Key(path: "/b"))
        let operations: [DiscfgCore.Operation] = [
            .set(a, Value("1")), .set(a, Value("2")), .set(b, Value("x")), .get(b), .delete(b),
        ]
        let result = try evaluator.evaluate(Transaction(then: operations))
        let commit = try #require(evaluator.proposed.first)
        #expect(commit.changes.count == 1)
        #expect(commit.changes[0].item?.value == Value("2") && commit.changes[0].previous?.value == Value("old"))
        #expect(commit.changes[0].item?.version == 3)
        #expect(result.outcomes[3].item?.value == Value("x") && result.outcomes[4].item == nil)
    }

    @Test("Nothing to change makes no commit")
    func unchanged() throws {
        var evaluator = Self.evaluator()
        let result = try evaluator.evaluate(Transaction(then: [.delete(try Key(path: "/none")), .deleteAll(.all)]))
        #expect(!result.changed && result.revision == 5 && evaluator.proposed.isEmpty)
    }

    @Test("What is overdue is expired by a commit of its own, before anything looks at it")
    func expiry() throws {
        var evaluator = Self.evaluator([try Self.item("/t", "x", version: 7, expiry: Self.start)])
        let hasMore = evaluator.expireOverdue(
            among: [try Key(path: "/t")], limits: StorageLimits(changes: 10, bytes: 1000))
        #expect(!hasMore)
        let result = try evaluator.evaluate(Self.set("/t", "new", if: .absent))
        #expect(evaluator.proposed.map { $0.changes.map(\.kind) } == [[.expire], [.set]])
        #expect(result.outcomes[0].item?.version == 1 && result.outcomes[0].item?.created == 7)
        #expect(evaluator.changeCount == 3, "two changes, and a commit more than one")
    }

    @Test("What was refused leaves nothing behind that could expire")
    func refused() throws {
        let (live, number) = (try Self.item("/live", "x"), try Self.item("/text", "no JSON"))
        var evaluator = Self.evaluator([live, number])
        let refused = Transaction(then: [
            .set(live.key, Value("phantom"), expiry: .at(Self.start)), .patch(number.key, .object(JSONObject())),
        ])
        #expect(throws: DiscfgError.self) { try evaluator.evaluate(refused) }
        let hasMore = evaluator.expireOverdue(among: [live.key], limits: StorageLimits(changes: 10, bytes: 1000))
        #expect(!hasMore && evaluator.proposed.isEmpty)
        #expect(evaluator.item(live.key) == live)
    }

    @Test("Each overdue key is expired by a commit of its own, as many at once as one append takes")
    func manyExpired() throws {
        let keys = Set(try (0..<5).map { try Key(path: "/\($0)") })
        var evaluator = Self.evaluator(try keys.map { try Self.item($0.description, "x", expiry: Self.start) })
        let limits = StorageLimits(changes: 3, bytes: 1000)
        var counts: [Int] = []
        var hasMore = true
        while hasMore {
            hasMore = evaluator.expireOverdue(among: keys, limits: limits)
            counts.append(evaluator.proposed.count)
            #expect(evaluator.changeCount <= 3)
            evaluator.settle()
        }
        #expect(counts == [2, 2, 1] && evaluator.tail.revision == 10)
    }

    @Test("Time does not run backwards along a log, whatever a clock says")
    func time() throws {
        var evaluator = Self.evaluator(now: Timestamp(milliseconds: 1))
        _ = try evaluator.evaluate(Self.set("/a", "x"))
        #expect(evaluator.proposed[0].time == Self.start)
        var later = Self.evaluator(now: Self.start + .seconds(5))
        _ = try later.evaluate(Self.set("/a", "x"))
        #expect(later.tail.time == Self.start + .seconds(5), "the next writer must know, when its clock was put back")
    }

    @Test("What was taken back was never there")
    func retract() throws {
        var evaluator = Self.evaluator([try Self.item("/a", "old")])
        _ = try evaluator.evaluate(Self.set("/a", "kept"))
        _ = try evaluator.evaluate(Self.set("/a", "taken back"))
        evaluator.retractLast()
        #expect(evaluator.tail.revision == 6 && evaluator.changeCount == 1)
        #expect(try evaluator.evaluate(Self.set("/a", "next")).outcomes[0].previous[0].value == Value("kept"))
    }

    @Test("A directory that is overdue takes along what is below it, in one commit, and nothing beside it")
    func directory() throws {
        let marker = Item(
            key: try Key(bytes: Array("/d/".utf8)), value: Value(bytes: [], contentType: Value.directory), created: 2,
            modified: 2, modifiedAt: Self.start, expiry: Self.start)
        let others = try ["/d/a", "/d/b/c", "/d", "/e"].map { try Self.item($0, "x") }
        let limits = StorageLimits(changes: 10, bytes: 1000)
        var partial = Self.evaluator([marker] + others)
        _ = partial.expireOverdue(among: [marker.key], limits: limits)
        #expect(partial.missing.ranges == [.below(marker.key)], "what is below must be known")
        var evaluator = Self.evaluator([marker] + others, ranges: [.below(marker.key)])
        let hasMore = evaluator.expireOverdue(among: [marker.key], limits: limits)
        #expect(!hasMore)
        #expect(evaluator.proposed.map { $0.changes.map(\.key.text) } == [["/d/", "/d/a", "/d/b/c"]])
        #expect(evaluator.proposed[0].changes.allSatisfy { $0.kind == .expire } && evaluator.missing.isEmpty)
    }

    @Test("What a proposal looks at and is not known is noted, and what is known to be absent is not")
    func missing() throws {
        let (known, absent, unknown) = (try Key(path: "/known"), try Key(path: "/r/absent"), try Key(path: "/unknown"))
        var evaluator = Self.evaluator([try Self.item("/known", "x")], ranges: [.prefix(Array("/r/".utf8))])
        _ = try evaluator.evaluate(Transaction(then: [.get(known), .get(absent), .set(unknown, Value("x"))]))
        #expect(evaluator.missing.keys == [unknown] && evaluator.missing.ranges.isEmpty)
        let hasKnown = evaluator.hasItems(in: .prefix(Array("/r/x".utf8)))
        #expect(!hasKnown && evaluator.missing.probes.isEmpty)
        let hasUnknown = evaluator.hasItems(in: .prefix(Array("/s/".utf8)))
        #expect(!hasUnknown && evaluator.missing.probes == [.prefix(Array("/s/".utf8))])
    }

    @Test(
        "A property of a key stands to an operand as etcd compares them; an absent key has zeros, and no value",
        arguments: [
            (.version(4), .equal, true, false), (.version(3), .greater, true, false),
            (.version(0), .equal, false, true),
            (.created(2), .less, false, true), (.modified(3), .notEqual, false, true), (.lease(0), .equal, true, true),
            (.value(Array("x".utf8)), .equal, true, false), (.value(Array("a".utf8)), .greater, true, false),
            (.value(Array("z".utf8)), .notEqual, true, false), (.value([]), .equal, false, false),
        ] as [(Precondition.Operand, Precondition.Relation, Bool, Bool)])
    func comparison(operand: Precondition.Operand, relation: Precondition.Relation, present: Bool, absent: Bool) throws
    {
        let item = try Self.item("/k", "x", version: 4)
        #expect(Precondition(item.key, .compare(operand, relation)).holds(for: item) == present)
        #expect(Precondition(item.key, .compare(operand, relation)).holds(for: nil) == absent)
    }

    @Test("A comparison over a range must hold for each of its keys, and for an absent one where there are none")
    func rangeComparison() throws {
        let range = KeyRange.prefix(Array("/r/".utf8))
        let key = try Key(bytes: Array("/r/".utf8))
        let items = [try Self.item("/r/a", "x", version: 1), try Self.item("/r/b", "x", version: 2)]
        let result = { (items: [Item], operand: Precondition.Operand, relation: Precondition.Relation) throws in
            var evaluator = Self.evaluator(items, ranges: [range])
            let condition = Precondition(key, .compare(operand, relation), over: range)
            return try evaluator.evaluate(Transaction(if: [condition], then: [])).failed == nil
        }
        #expect(try result(items, .version(0), .greater) && result(items, .version(1), .equal) == false)
        #expect(try result([], .created(0), .equal) && result([], .value([]), .notEqual) == false)
    }

    @Test(
        "A transaction inside another chooses its branch before anything is written, and sees what was done before it")
    func nested() throws {
        var evaluator = Self.evaluator([try Self.item("/a", "1")])
        let key = try Key(path: "/a")
        let inner = Transaction(
            if: [Precondition(key, .value(Array("1".utf8)))], then: [.get(key), .delete(key)],
            else: [.set(key, Value("no"))])
        let result = try evaluator.evaluate(Transaction(then: [.set(key, Value("2")), .transaction(inner), .get(key)]))
        let nested = try #require(result.outcomes[1].nested)
        #expect(nested.failed == nil && nested.outcomes[0].item?.value == Value("2"))
        #expect(result.outcomes[2].item == nil && result.revision == 6 && evaluator.proposed.count == 1)
    }

    @Test("A key's value or its end can be kept only where there is a key")
    func keeping() throws {
        let (there, absent) = (try Self.item("/a", "1", expiry: Self.start + .seconds(9)), try Key(path: "/none"))
        var evaluator = Self.evaluator([there])
        _ = try evaluator.evaluate(Transaction(then: [.touch(there.key, expiry: .lease(7))]))
        _ = try evaluator.evaluate(Transaction(then: [.set(there.key, Value("2"), expiry: .kept)]))
        #expect(evaluator.proposed.map { $0.changes[0].item?.lease } == [7, 7])
        #expect(evaluator.proposed.map { $0.changes[0].item?.value } == [Value("1"), Value("2")])
        #expect(evaluator.proposed[0].changes[0].item?.expiry == nil && evaluator.changeCount == 4, "the lease counts")
        for operation in [Operation.touch(absent, expiry: .never), .set(absent, Value("x"), expiry: .kept)] {
            #expect(throws: DiscfgError.self) { try evaluator.evaluate(Transaction(then: [operation])) }
        }
        evaluator.endedLeases = [8]
        #expect(throws: DiscfgError.self) {
            try evaluator.evaluate(Transaction(then: [.set(absent, Value("x"), expiry: .lease(8))]))
        }
        #expect(evaluator.proposed.count == 2)
    }
}
