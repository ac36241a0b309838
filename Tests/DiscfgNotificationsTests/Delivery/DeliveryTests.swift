import DiscfgCore
import DiscfgTestSupport
import Testing

@testable import DiscfgNotifications

@Suite("Delivery")
struct DeliveryTests {
    @Test("A commit below the prefix is sent once, with who changed what and why, and without any value")
    func once() async throws {
        let bench = try await Bench()
        try await bench.add(prefix: "/payments")
        try await bench.set("/payments/a", "/payments/b", "/other")
        _ = try await bench.service.commit(
            Transaction(then: [.delete(try Key(path: "/payments/a"))], author: "bob"), to: bench.config)
        let outcome = try await bench.deliver()
        #expect(outcome == .init(hasRules: true, revision: 3, next: nil))
        #expect(try await bench.deliver().next == nil)
        #expect(bench.sender.revisions() == [2, 3])

        let first = try #require(bench.sender.taken.first)
        let data = try #require(first.json?["data"])
        #expect(data["config"] == "shop" && data["revision"] == 2)
        #expect(data["author"] == "ann" && data["message"] == "why")
        #expect(
            data["changes"] == [
                ["key": "/payments/a", "kind": "set", "version": 1],
                ["key": "/payments/b", "kind": "set", "version": 1],
            ])
        #expect(!String(decoding: first.message.body, as: UTF8.self).contains("SECRET"))
        let second = bench.sender.taken.last?.json
        #expect(second?["data"]?["author"] == "bob" && second?["subject"] == "/payments/a")
        #expect(second?["data"]?["changes"] == [["key": "/payments/a", "kind": "delete", "previousVersion": 1]])
    }

    @Test("With values, text and JSON are sent as such, and other bytes as base64")
    func values() async throws {
        let bench = try await Bench()
        try await bench.add(withValues: true)
        try await bench.set("/text", to: Value("hé\n"))
        try await bench.set("/json", to: Value(["port": 5432, "hosts": ["a", "b"]]))
        try await bench.set("/bytes", to: Value(bytes: [0xFF, 0x00], contentType: Value.octets))
        try await bench.deliver()
        let changes = bench.sender.taken.compactMap { $0.json?["data"]?["changes"]?.array?.first }
        try #require(changes.count == 3)
        #expect(changes[0]["value"] == "hé\n" && changes[0]["contentType"] == "text/plain")
        #expect(changes[1]["value"] == ["port": 5432, "hosts": ["a", "b"]])
        #expect(changes[2]["value"] == "/wA=" && changes[2]["encoding"] == "base64")
        #expect(bench.sender.taken.allSatisfy { $0.json?["data"]?["valuesOmitted"] == nil })
    }

    @Test("What was committed before the rule was made is not sent, unless the rule says so")
    func before() async throws {
        let bench = try await Bench()
        try await bench.set("/a")
        try await bench.set("/b")
        #expect(try await bench.add().after == 3)
        try await bench.add("old", after: 2)
        try await bench.set("/c")
        try await bench.deliver()
        #expect(bench.sender.revisions() == [4] && bench.sender.revisions("old") == [3, 4])
    }

    @Test("A prefix selects the key itself and what is below it, not siblings that begin alike")
    func prefix() async throws {
        let bench = try await Bench()
        try await bench.add("key", prefix: "/db")
        try await bench.add("below", prefix: "/db/")
        for key in ["/db", "/db/host", "/dbx", "/d", "/db.old", "/x/db"] { try await bench.set(key) }
        try await bench.deliver()
        #expect(bench.sender.revisions("key") == [2, 3] && bench.sender.revisions("below") == [3])
        let status = try await bench.status("below")
        #expect(status.sent == 7 && status.revision == 7, "what is passed over counts as sent")
    }

    @Test("A log of many pages is sent to its end, in order, also where few of it are selected")
    func pages() async throws {
        let bench = try await Bench()
        try await bench.add("all")
        try await bench.add("some", prefix: "/5")
        for number in 0..<350 { try await bench.set("/\(number % 10)") }
        try await bench.deliver()
        #expect(bench.sender.revisions("all") == Array(2...351))
        #expect(bench.sender.revisions("some") == (0..<35).map { 10 * $0 + 7 })
    }

    @Test("Many who deliver at once, in several processes, send each commit once and in order", arguments: 1...5)
    func together(round: Int) async throws {
        let bench = try await Bench()
        try await bench.add("a")
        try await bench.add("b", prefix: "/7")
        bench.sender.whileSending { _ in for _ in 0..<round { await Task.yield() } }
        let notifiers = [bench.notifier, bench.another(), bench.another()]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<40 {
                group.addTask {
                    try await bench.set("/\(number % 10)")
                    _ = try await notifiers[number % 3].deliver(in: bench.config)
                }
            }
            try await group.waitForAll()
        }
        #expect(bench.sender.tried("a") == Array(2...41))
        let chosen = bench.sender.taken.filter { $0.rule.id == "b" }
        #expect(chosen.count == 4 && chosen.map(\.revision) == chosen.map(\.revision).sorted())
    }

    @Test("Where nothing has happened, nothing is written")
    func idle() async throws {
        let engine = FailingEngine(MemoryEngine())
        let bench = try await Bench(engine)
        try await bench.add()
        try await bench.deliver()
        try await bench.set("/a")
        try await bench.deliver()
        let writes = engine.calls.count { $0.isWrite }
        for _ in 0..<5 { try await bench.deliver() }
        #expect(engine.calls.count { $0.isWrite } == writes && bench.sender.revisions() == [2])
    }

    @Test("A config that is deleted and made anew begins anew")
    func createdAgain() async throws {
        let bench = try await Bench()
        try await bench.add(after: 0)
        for key in ["/a", "/b", "/c"] { try await bench.set(key) }
        try await bench.deliver()
        try await bench.service.deleteConfig(bench.config)
        _ = try await failure(.configNotFound) { try await bench.deliver() }
        let again = try await bench.service.createConfig(bench.config, settings: ConfigSettings(), author: "").revision
        #expect(try await bench.deliver().hasRules == false)
        try await bench.add(after: again)
        try await bench.set("/d")
        try await bench.deliver()
        #expect(bench.sender.revisions() == [1, 2, 3, 4, again + 1])
        #expect(bench.sender.taken.last?.json?["subject"] == "/d")
    }

    @Test("A config that is made anew while its rule sends gets nothing sent by the old rule")
    func createdAgainMeanwhile() async throws {
        let bench = try await Bench()
        try await bench.add()
        for key in ["/a", "/b"] { try await bench.set(key) }
        bench.sender.whileSending { attempt in
            guard attempt.revision == 2 else { return }
            try await bench.service.deleteConfig(bench.config)
            _ = try await bench.service.createConfig(bench.config, settings: ConfigSettings(), author: "")
            for key in ["/x", "/y", "/z", "/z2"] { try await bench.set(key) }
        }
        _ = try? await bench.deliver()
        #expect(bench.sender.taken.allSatisfy { !["/x", "/y", "/z", "/z2"].contains($0.json?["subject"]) })
        #expect(try await bench.engine.cells(of: bench.config, prefix: "", after: nil, limit: 9).isEmpty)
    }

    @Test("The old rule does not go on in the new config either where that has as many commits")
    func createdAgainLonger() async throws {
        let bench = try await Bench(options: { $0.unsavedLimit = 1000 })
        try await bench.add()
        for _ in 0..<150 { try await bench.set("/old") }
        bench.sender.whileSending { attempt in
            guard attempt.revision == 2 else { return }
            try await bench.service.deleteConfig(bench.config)
            _ = try await bench.service.createConfig(bench.config, settings: ConfigSettings(), author: "")
            for _ in 0..<200 { try await bench.set("/new") }
        }
        _ = try? await bench.deliver()
        #expect(!bench.sender.attempts.isEmpty && bench.sender.attempts.allSatisfy { $0.json?["subject"] == "/old" })
    }
}
