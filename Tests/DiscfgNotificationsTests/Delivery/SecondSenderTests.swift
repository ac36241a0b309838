import DiscfgCore
import DiscfgTestSupport
import Testing

@testable import DiscfgNotifications

@Suite("A second sender of a rule")
struct SecondSenderTests {
    @Test("A second sender asks the first to go on, and stops; the first sends the new commits too")
    func request() async throws {
        let bench = try await Bench(sender: RecordingSender { $0.revision == 2 ? .hold : .take })
        let other = bench.another()
        try await bench.add()
        try await bench.set("/a")
        let first = Task { try await bench.deliver() }
        try await eventually { bench.sender.heldCount == 1 }
        try await bench.set("/b")
        #expect(try await other.deliver(in: bench.config).next == bench.clock.now + .seconds(60))
        #expect(bench.sender.tried() == [2])
        #expect(try await bench.state()?.isWanted == true)
        try await bench.set("/c")
        #expect(try await other.deliver(in: bench.config).next == bench.clock.now + .seconds(60))
        bench.sender.letGo()
        #expect(try await first.value.next == nil)
        #expect(bench.sender.tried() == [2, 3, 4])
        let state = try await bench.state()
        #expect(state?.owner == "" && state?.isWanted == false && state?.sent == 4)
    }

    @Test("The request of a second sender is not lost while the first stores its progress", arguments: 1...4)
    func requestInBetween(unsaved: Int) async throws {
        // With the second notification, more is committed than the sender has read; it notes its way in between.
        let bench = try await Bench(options: { $0.unsavedLimit = unsaved })
        let other = bench.another()
        try await bench.add()
        for key in ["/a", "/b", "/c", "/d"] { try await bench.set(key) }
        bench.sender.whileSending { attempt in
            guard attempt.revision == 3 else { return }
            try await bench.set("/late")
            _ = try await other.deliver(in: bench.config)
        }
        try await bench.deliver()
        #expect(bench.sender.tried() == [2, 3, 4, 5, 6])
    }

    @Test("A second sender at each commit: the first sends all commits, once")
    func manyRequests() async throws {
        let bench = try await Bench()
        let other = bench.another()
        try await bench.add()
        try await bench.set("/a")
        bench.sender.whileSending { attempt in
            guard attempt.revision < 60 else { return }
            try await bench.set("/more")
            _ = try await other.deliver(in: bench.config)
        }
        try await bench.deliver()
        #expect(bench.sender.tried() == Array(2...60))
    }

    @Test("A target that refuses gets its pause, also if a second sender asked meanwhile")
    func requestAndRefusal() async throws {
        let bench = try await Bench(sender: RecordingSender { _ in .hold })
        let other = bench.another()
        try await bench.add()
        try await bench.set("/a")
        bench.sender.answers { _ in .refuse() }
        bench.sender.whileSending { _ in
            try await bench.set("/b")
            _ = try await other.deliver(in: bench.config)
        }
        #expect(try await bench.deliver().next == bench.clock.now + .seconds(10))
        #expect(bench.sender.tried() == [2])
        #expect(try await bench.state()?.owner == "")
    }

    @Test("All commits that arrived meanwhile are sent")
    func pages() async throws {
        let bench = try await Bench(sender: RecordingSender { $0.revision == 2 ? .hold : .take })
        let other = bench.another()
        try await bench.add()
        try await bench.set("/a")
        let first = Task { try await bench.deliver() }
        try await eventually { bench.sender.heldCount == 1 }
        for number in 0..<350 { try await bench.set("/\(number)") }
        _ = try await other.deliver(in: bench.config)
        bench.sender.letGo()
        #expect(try await first.value.next == nil)
        #expect(bench.sender.tried() == Array(2...352))
    }

    @Test("The request is not forgotten if a reply of the store is wrong", arguments: 0..<6)
    func contradicted(write: Int) async throws {
        let engine = FailingEngine(MemoryEngine())
        let bench = try await Bench(engine, options: { $0.unsavedLimit = 2 })
        let other = bench.another()
        try await bench.add()
        for key in ["/a", "/b", "/c"] { try await bench.set(key) }
        bench.sender.whileSending { attempt in
            guard attempt.revision == 4 else { return }
            try await bench.set("/late")
            _ = try await other.deliver(in: bench.config)
        }
        engine.plan { _, call, number in call == .replaceCell && number == write ? .contradicted : nil }
        try await bench.deliver()
        #expect(bench.sender.tried() == [2, 3, 4, 5])
    }
}
