@testable import DiscfgCore
import Testing

/// What transactions do, worked out without a store.
@Suite("Evaluator")
struct EvaluatorTests {
    static let start = Timestamp(milliseconds: 1000)

    static func evaluator(_ items: [Item] = [], revision: Revision = 5, now: Timestamp = start) -> TransactionEvaluator
    {
        let tail = LogTail(revision: revision, time: start, trimmed: 0, incarnation: "1")
        return TransactionEvaluator(
            items: Dictionary(uniqueKeysWithValues: items.map { ($0.key, $0) }), tail: tail, now: now)
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

    @Test("What is overdue and more than one commit takes is expired step by step")
    func manyExpired() throws {
        let keys = try (0..<5).map { try Key(path: "/\($0)") }
        var evaluator = Self.evaluator(try keys.map { try Self.item($0.description, "x", expiry: Self.start) })
        let limits = StorageLimits(changes: 2, bytes: 1000)
        var counts: [Int] = []
        var hasMore = true
        while hasMore {
            hasMore = evaluator.expireOverdue(among: keys, limits: limits)
            counts += evaluator.proposed.map { $0.changes.count }
            evaluator.settle()
        }
        #expect(counts == [2, 2, 1] && evaluator.tail.revision == 8)
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
}
