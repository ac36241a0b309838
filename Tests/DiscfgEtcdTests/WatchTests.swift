import DiscfgCore
import DiscfgEtcd
import Testing

@Suite("etcd watches")
struct WatchTests {
    @Test("A watch begins with what comes next, with what was, or with what will be")
    func starts() async throws {
        let fixture = EtcdFixture()
        for value in 1...3 { try await fixture.put("a", "\(value)") }
        try await fixture.watching { reader in
            let now = try await reader.create("a")
            #expect(now.text == "0: created @4")
            try await reader.create("a", from: 3)
            let past = try await reader.text()
            #expect(past == "1: put a=2, put a=3 @4")
            try await reader.create("a", from: 6)
            try await fixture.put("a", "4")
            let first = try await reader.texts(2)
            #expect(first == ["0: put a=4 @5", "1: put a=4 @5"])
            try await fixture.put("a", "5")
            let second = try await reader.texts(3)
            #expect(second == ["0: put a=5 @6", "1: put a=5 @6", "2: put a=5 @6"])
        }
    }

    @Test("A watch from the beginning, or from before it, tells of everything", arguments: [-9, 1, 2] as [Int64])
    func beginning(start: Int64) async throws {
        let fixture = EtcdFixture()
        for value in 1...3 { try await fixture.put("a", "\(value)") }
        try await fixture.watching { reader in
            try await reader.create("a", from: start)
            let events = try await reader.text()
            #expect(events == "0: put a=1, put a=2, put a=3 @4")
        }
    }

    @Test("The compacted revision can be watched; what is before it ends the watch, with the revision to begin from")
    func compacted() async throws {
        let fixture = EtcdFixture()
        for value in 1...5 { try await fixture.put("a", "\(value)") }
        try await fixture.compact(4)
        try await fixture.watching { reader in
            let created = try await reader.create("a", from: 3)
            #expect(created.text == "0: created @6")
            let canceled = try await reader.next()
            #expect(canceled.text == "0: canceled @0" && canceled.compactRevision == 4)
            try await reader.create("a", from: 4)
            let events = try await reader.text()
            #expect(events == "1: put a=3, put a=4, put a=5 @6")
        }
    }

    @Test("An id is the client's, or one that is free and was not given before; no two watches have the same")
    func ids() async throws {
        let fixture = EtcdFixture()
        try await fixture.watching { reader in
            for (wanted, given): (Int64, Int64) in [(1, 1), (0, 0), (0, 2), (-7, -7)] {
                let created = try await reader.create("a") { $0.watchID = wanted }
                #expect(created.text == "\(given): created @1" && created.cancelReason == "")
            }
            let twin = try await reader.create("b") { $0.watchID = 2 }
            #expect(twin.text == "-1: created, canceled @1")
            #expect(twin.cancelReason == "mvcc: duplicate watch ID provided on the WatchStream")
            for id: Int64 in [0, 1] {
                await reader.stream.receive(.cancel(id))
                let canceled = try await reader.text()
                #expect(canceled == "\(id): canceled @1")
            }
            let next = try await reader.create("a")
            #expect(next.watchID == 3)
            let again = try await reader.create("a") { $0.watchID = 1 }
            #expect(again.text == "1: created @1")
        }
    }

    @Test("A watch that was cancelled tells of nothing more, and the others go on")
    func cancel() async throws {
        let fixture = EtcdFixture()
        try await fixture.put("a", "0")
        try await fixture.watching { reader in
            for key in ["a", "b"] { try await reader.create(key) }
            // Behind already when it is cancelled.
            try await reader.create("a", from: 1) { $0.watchID = 9 }
            await reader.stream.receive(.cancel(9))
            await reader.stream.receive(.cancel(0))
            await reader.stream.receive(.cancel(77))
            let canceled = [try await reader.text(), try await reader.text()]
            #expect(canceled == ["9: canceled @2", "0: canceled @2"])
            try await fixture.put("a", "1")
            try await fixture.put("b", "1")
            let events = try await reader.text()
            #expect(events == "1: put b=1 @4")
        }
    }

    @Test("A watch tells what it is asked to: puts or deletions alone, with the key before or without")
    func filters() async throws {
        let fixture = EtcdFixture()
        for value in ["1", "2"] { try await fixture.put("a", value) }
        try await fixture.delete("a")
        try await fixture.put("a", "3")
        try await fixture.watching { reader in
            try await reader.create("a", from: 2) { $0.prevKv = true }
            let events = try await reader.next().events
            #expect(events.map(\.text) == ["put a=1", "put a=2", "delete a", "put a=3"])
            #expect(events.map(\.prevKv?.value.text) == [nil, "1", "2", nil])
            let before = KeyValue(key: "a".bytes, createRevision: 2, modRevision: 3, version: 2, value: "2".bytes)
            #expect(events[2] == Event(.delete, KeyValue(key: "a".bytes, modRevision: 4), prevKv: before))
            try await reader.create("a", from: 2) { $0.filters = [.noPut] }
            let deletions = try await reader.next().events
            #expect(deletions.map(\.text) == ["delete a"] && deletions.first?.prevKv == nil)
            try await reader.create("a", from: 2) { $0.filters = [.noDelete] }
            let puts = try await reader.next().events
            #expect(puts.map(\.text) == ["put a=1", "put a=2", "put a=3"] && puts.allSatisfy { $0.prevKv == nil })
            try await reader.create("a", from: 2) { $0.filters = [.noDelete, .noPut] }
            let progress = try await reader.progress()
            #expect(progress == 5)
        }
    }

    @Test(
        "A watch is of one key, of a range, of a prefix, from a key on, or of all",
        arguments: [
            ("b", "", "b"), ("a", "c", "a b"), ("c", "d", "c c/1"), ("c", "\0", "c c/1 é"), ("\0", "\0", "a b c c/1 é"),
            ("", "\0", "a b c c/1 é"), ("", "b", "a"),
        ])
    func ranges(key: String, end: String, keys: String) async throws {
        let fixture = EtcdFixture()
        try await fixture.watching { reader in
            try await reader.create(key, to: end)
            let all = ["c", "a", "é", "c/1", "b"].map { RequestOp.put($0) }
            _ = try await fixture.etcd.txn(TxnRequest(success: all))
            let events = try await reader.next()
            #expect(events.events.map(\.kv.key.text).joined(separator: " ") == keys && events.header.revision == 2)
        }
    }

    @Test("A range without room is refused; a key that no store takes can be watched, and nothing happens to it")
    func nothing() async throws {
        let fixture = EtcdFixture()
        try await fixture.watching { reader in
            for end in ["a", "b"] {
                let refused = try await reader.create("b", to: end)
                #expect(refused.text == "-1: created, canceled @1")
                #expect(refused.cancelReason == "mvcc: watcher range is empty")
            }
            let long = try await reader.create(String(repeating: "x", count: 1025), from: 1)
            #expect(long.text == "0: created @1")
            try await reader.create("x", to: "y")
            try await fixture.put(String(repeating: "x", count: 1024))
            let events = try await reader.next()
            #expect(events.watchID == 1 && events.events.count == 1)
        }
    }
}
