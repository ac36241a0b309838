import DiscfgCore
import DiscfgEtcd
import Testing

@Suite("Delivery of etcd watches")
struct WatchDeliveryTests {
    @Test("What happens at one revision comes in one answer to each watch, in the order of the keys")
    func oneRevision() async throws {
        let fixture = EtcdFixture()
        try await fixture.put("k/3", "old")
        try await fixture.watching { reader in
            for (key, end) in [("k/", "k0"), ("a", ""), ("none", "")] { try await reader.create(key, to: end) }
            let operations: [RequestOp] = [.delete("k/3"), .put("k/2", "2"), .put("a", "a"), .put("k/1", "1")]
            _ = try await fixture.etcd.txn(TxnRequest(success: operations))
            let events = try await reader.texts(2)
            #expect(events == ["0: put k/1=1, put k/2=2, delete k/3 @3", "1: put a=a @3"])
        }
    }

    @Test("What was before the watch comes many revisions at a time, what comes after it one by one")
    func catchingUp() async throws {
        let fixture = EtcdFixture()
        for value in 1...3 { try await fixture.put("a", "\(value)") }
        try await fixture.watching { reader in
            try await reader.create("a", from: 2)
            for value in 4...5 { try await fixture.put("a", "\(value)") }
            let answers = [try await reader.text(), try await reader.text(), try await reader.text()]
            #expect(answers == ["0: put a=1, put a=2, put a=3 @4", "0: put a=4 @5", "0: put a=5 @6"])
        }
    }

    @Test("Catching up with large values divides the answers between revisions, never within one")
    func largeHistory() async throws {
        let fixture = EtcdFixture()
        let value = Value(String(repeating: "v", count: 300_000))
        for _ in 0..<5 {
            let pair = try ["a", "b"].map { Operation.set(try Key(bytes: $0.bytes), value) }
            _ = try await fixture.store.commit(Transaction(then: pair), to: .default)
        }
        try await fixture.watching { reader in
            try await reader.create("a", to: "c", from: 1)
            var found: [[Int64]] = []
            for _ in 0..<4 {
                let answer = try await reader.next()
                #expect(answer.header.revision == answer.events.last?.kv.modRevision && !answer.fragment)
                found.append(answer.events.map(\.kv.modRevision))
            }
            // A page of the log counts the values before, too.
            #expect(found == [[2, 2, 3, 3], [4, 4], [5, 5], [6, 6]])
        }
    }

    @Test("A revision that is large is divided where the client takes parts, and not where it does not")
    func fragments() async throws {
        let fixture = EtcdFixture()
        try await fixture.watching { reader in
            try await reader.create("a", to: "z") { $0.fragment = true }
            let value = Value(String(repeating: "v", count: 600_000))
            let large = try ["a", "b", "c", "d", "e"].map { Operation.set(try Key(bytes: $0.bytes), value) }
            _ = try await fixture.store.commit(Transaction(then: large), to: .default)
            var parts: [WatchResponse] = []
            for _ in 0..<3 { parts.append(try await reader.next()) }
            #expect(parts.map { $0.events.map(\.kv.key.text) } == [["a", "b"], ["c", "d"], ["e"]])
            #expect(parts.map(\.fragment) == [true, true, false])
            #expect(parts.allSatisfy { $0.header.revision == 2 && $0.watchID == 0 })
            try await reader.create("a", to: "z", from: 2)
            let whole = try await reader.next()
            #expect(whole.events.count == 5 && !whole.fragment && whole.watchID == 1)
            try await fixture.put("m", "small")
            let small = try await reader.texts(2)
            #expect(small == ["0: put m=small @3", "1: put m=small @3"])
        }
    }

    @Test("Who reads late loses nothing, and holds up nobody")
    func slowReader() async throws {
        let fixture = EtcdFixture()
        let count: Int64 = 1500
        try await fixture.watching { slow in
            try await slow.create("a")
            try await fixture.watching { quick in
                try await quick.create("a")
                for number in 1...count {
                    let revision = try await fixture.put("a", "\(number)")
                    let events = try await quick.text()
                    try #require(events == "0: put a=\(number) @\(revision)")
                }
            }
            for number in 1...count {
                let events = try await slow.text()
                try #require(events == "0: put a=\(number) @\(number + 1)")
            }
        }
    }

    @Test("Every watch has every revision once and in order, wherever it begins, while several clients write")
    func order() async throws {
        let fixture = EtcdFixture()
        let last: Int64 = 241
        let seen = try await withThrowingTaskGroup(of: [Int64].self) { group in
            for writer in 0..<4 {
                group.addTask {
                    for number in 0..<60 { try await fixture.put("k\(writer)", "\(number)") }
                    return []
                }
            }
            for start: Int64 in [2, 50, 100, 150, 200, last] {
                group.addTask {
                    var revisions: [Int64] = []
                    try await fixture.watching { reader in
                        try await reader.create("k", to: "l", from: start)
                        while revisions.last != last {
                            revisions += try await reader.next().events.map(\.kv.modRevision)
                        }
                    }
                    return revisions
                }
            }
            return try await group.reduce(into: [[Int64]]()) { if !$1.isEmpty { $0.append($1) } }
        }
        #expect(seen.count == 6)
        for revisions in seen { #expect(revisions == Array((revisions.first ?? 0)...last)) }
        #expect(seen.compactMap(\.first).sorted() == [2, 50, 100, 150, 200, last])
    }

    @Test("What stands for a directory of etcd's v2 API is nothing that happens")
    func directories() async throws {
        let fixture = EtcdFixture()
        try await fixture.watching { reader in
            try await reader.create("/", to: "0")
            let marker = try Key(bytes: "/d/".bytes)
            let made = Operation.set(marker, Value(bytes: [], contentType: Value.directory))
            for operation in [made, .delete(marker)] {
                _ = try await fixture.store.commit(Transaction(then: [operation]), to: .default)
            }
            try await fixture.put("/d/k", "1")
            let events = try await reader.text()
            #expect(events == "0: put /d/k=1 @4")
        }
    }
}
