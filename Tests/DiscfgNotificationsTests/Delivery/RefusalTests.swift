import DiscfgCore
import DiscfgTestSupport
import Testing

@testable import DiscfgNotifications

@Suite("Refusals")
struct RefusalTests {
    @Test("What is refused is tried again when its pause is over and not before, and later commits wait")
    func pause() async throws {
        let bench = try await Bench(sender: RecordingSender { $0.number < 3 ? .refuse("busy") : .take })
        try await bench.add()
        for key in ["/a", "/b"] { try await bench.set(key) }
        let start = bench.clock.now
        #expect(try await bench.deliver().next == start + .seconds(10))
        #expect(try await bench.deliver().next == start + .seconds(10))
        #expect(bench.sender.tried() == [2])
        #expect(
            try await bench.status().failure
                == .init(revision: 2, attempts: 1, next: start + .seconds(10), reason: "busy"))
        bench.clock.advance(by: .milliseconds(9999))
        try await bench.deliver()
        #expect(bench.sender.tried() == [2])
        bench.clock.advance(by: .milliseconds(1))
        #expect(try await bench.deliver().next == start + .seconds(30))
        #expect(try await bench.status().failure?.attempts == 2)
        bench.clock.advance(by: .seconds(20))
        #expect(try await bench.deliver().next == nil)
        #expect(bench.sender.tried() == [2, 2, 2, 3] && bench.sender.revisions() == [2, 3])
        let status = try await bench.status()
        #expect(status.failure == nil && status.sent == 3 && status.deadLetters.isEmpty)
    }

    @Test("A target that never takes anything, or never answers, does not hold up the others")
    func poison() async throws {
        let bench = try await Bench(
            sender: RecordingSender { ["bad": .refuse(), "slow": .hold][$0.rule.id] ?? .take })
        for id in ["bad", "good", "slow"] { try await bench.add(id) }
        try await bench.set("/a")
        let held = Task { try await bench.deliver() }
        try await eventually { bench.sender.revisions("good") == [2] && bench.sender.heldCount == 1 }
        try await bench.set("/b")
        try await bench.deliver()
        #expect(bench.sender.revisions("good") == [2, 3] && bench.sender.tried("bad") == [2])
        #expect(bench.sender.heldCount == 1)
        bench.sender.answers { _ in .take }
        bench.sender.letGo()
        _ = try await held.value
        #expect(bench.sender.revisions("slow") == [2, 3])
    }

    @Test("After so many tries it is given up, which can be seen, and the next one is sent")
    func givenUp() async throws {
        let bench = try await Bench(
            sender: RecordingSender { $0.revision == 2 ? .refuse("number \($0.number)") : .take },
            options: { $0.maximumAttempts = 3 })
        try await bench.add()
        for key in ["/a", "/b"] { try await bench.set(key) }
        for _ in 1...3 {
            try await bench.deliver()
            bench.clock.advance(by: .seconds(60))
        }
        #expect(bench.sender.tried() == [2, 2, 2, 3] && bench.sender.revisions() == [3])
        let status = try await bench.status()
        #expect(status.failure == nil && status.sent == 3)
        #expect(status.deadLetters.map(\.revision) == [2] && status.deadLetters.first?.attempts == 3)
        #expect(status.deadLetters.first?.reason == "number 3")
        #expect(status.deadLetters.first.map { $0.time + .seconds(60) } == bench.clock.now)
    }

    @Test("With one try alone, everything that is refused is given up at once, in order, and the rule goes on")
    func oneTry() async throws {
        let bench = try await Bench(
            sender: RecordingSender { $0.revision.isMultiple(of: 2) ? .refuse() : .take },
            options: { $0.maximumAttempts = 1 })
        try await bench.add()
        for number in 0..<250 { try await bench.set("/\(number)") }
        #expect(try await bench.deliver().next == nil)
        let status = try await bench.status()
        #expect(status.deadLetters.map(\.revision) == (1...100).map { 2 * $0 } && status.hasMoreDeadLetters)
        #expect(bench.sender.revisions() == (1...125).map { 2 * $0 + 1 })
    }

    @Test("A target that asks to be left alone is left alone for as long, if that is longer than the pause")
    func retryAfter() async throws {
        let bench = try await Bench(sender: RecordingSender { _ in .refuse(retryAfter: .seconds(100)) })
        try await bench.add()
        try await bench.set("/a")
        let start = bench.clock.now
        #expect(try await bench.deliver().next == start + .seconds(100))
        bench.sender.answers { _ in .refuse(retryAfter: .seconds(1)) }
        bench.clock.advance(by: .seconds(100))
        #expect(try await bench.deliver().next == start + .seconds(120))
    }

    @Test("Whatever else a sender throws counts as a refusal, and says nothing but its type")
    func otherErrors() async throws {
        struct SECRET: Error { let text = "SECRET" }
        let bench = try await Bench(
            sender: RecordingSender { $0.number < 3 ? .fail(SECRET()) : .take }, options: { $0.maximumAttempts = 2 })
        try await bench.add()
        for key in ["/a", "/b"] { try await bench.set(key) }
        #expect(try await bench.deliver().next != nil)
        bench.clock.advance(by: .seconds(10))
        try await bench.deliver()
        #expect(try await bench.status().deadLetters.map(\.revision) == [2] && bench.sender.revisions() == [3])
    }

    @Test("A refusal is logged with its reason, and without values")
    func logged() async throws {
        let bench = try await Bench(sender: RecordingSender { _ in .refuse("busy") })
        try await bench.add(withValues: true)
        try await bench.set("/a")
        try await bench.deliver()
        let line = try #require(bench.log.lines.first { $0.message == "a notification was not taken" })
        #expect(line.metadata["reason"] == "busy" && line.metadata["discfg.notification"] == "r")
        #expect(line.metadata["discfg.revision"] == "2" && line.metadata["discfg.config"] == "shop")
        #expect(!bench.log.lines.contains { "\($0)".contains("SECRET") })
    }

    @Test("A commit that is not selected any more does not keep standing in the way")
    func patched() async throws {
        let bench = try await Bench(sender: RecordingSender { _ in .refuse() })
        try await bench.add()
        try await bench.set("/a")
        try await bench.deliver()
        _ = try await bench.service.updateConfig(bench.config, patch: ["notifications": ["r": ["prefix": "/b"]]])
        bench.clock.advance(by: .seconds(10))
        #expect(try await bench.deliver().next == nil)
        let status = try await bench.status()
        #expect(status.failure == nil && status.sent == 2 && bench.sender.tried() == [2])
    }

    @Test("History that was compacted before it was sent leaves word of that, and what is there is sent")
    func compacted() async throws {
        let bench = try await Bench(sender: RecordingSender { _ in .refuse() })
        try await bench.add()
        for key in ["/a", "/b", "/c", "/d"] { try await bench.set(key) }
        try await bench.deliver()
        bench.clock.advance(by: .seconds(61))
        _ = try await bench.service.compact(bench.config, keeping: .through(3))
        bench.clock.advance(by: .seconds(10))
        bench.sender.answers { _ in .take }
        #expect(try await bench.deliver().next == nil)
        #expect(bench.sender.revisions() == [4, 5])
        let status = try await bench.status()
        #expect(status.failure == nil && status.sent == 5 && status.deadLetters.count == 1)
        #expect(
            status.deadLetters.first
                == .init(
                    revision: 3, attempts: 0, time: bench.clock.now,
                    reason: "The revisions from 2 to 3 were compacted before they could be sent."))
    }

    @Test("When the deadline is near nothing is begun, and what was not sent is due at once")
    func deadline() async throws {
        let bench = try await Bench(options: { $0.reserve = .seconds(1000) })
        try await bench.add()
        try await bench.set("/a")
        let near = ContinuousClock.now + .seconds(900)
        #expect(try await bench.notifier.deliver(in: bench.config, until: near).next == bench.clock.now)
        #expect(bench.sender.attempts.isEmpty)
        _ = try await bench.notifier.deliver(in: bench.config, until: .now + .seconds(5000))
        #expect(bench.sender.revisions() == [2])
    }
}
