import DiscfgCore
import DiscfgTestSupport
import Testing

@testable import DiscfgNotifications

@Suite("Replay")
struct ReplayTests {
    /// A bench on which so many commits were given up.
    private func bench(givenUp count: Int) async throws -> Bench {
        let bench = try await Bench(
            sender: RecordingSender { _ in .refuse("first") }, options: { $0.maximumAttempts = 1 })
        try await bench.add()
        for number in 0..<count { try await bench.set("/\(number)") }
        try await bench.deliver()
        return bench
    }

    @Test("What was given up is sent again, oldest first, and forgotten; what is refused again is kept")
    func replay() async throws {
        let bench = try await bench(givenUp: 5)
        #expect(try await bench.status().deadLetters.map(\.revision) == [2, 3, 4, 5, 6])
        bench.clock.advance(by: .seconds(5))
        bench.sender.answers { $0.revision == 4 ? .refuse("second") : .take }
        let replay = try await bench.notifier.replayNotifications("r", in: bench.config)
        #expect(replay == NotificationReplay(sent: 4, failed: 1, hasMore: false))
        #expect(bench.sender.revisions() == [2, 3, 5, 6])
        let letters = try await bench.status().deadLetters
        #expect(letters == [.init(revision: 4, attempts: 2, time: bench.clock.now, reason: "second")])
        bench.sender.answers { _ in .take }
        #expect(try await bench.notifier.replayNotifications("r", in: bench.config).sent == 1)
        #expect(try await bench.status().deadLetters.isEmpty && bench.sender.revisions() == [2, 3, 5, 6, 4])
        #expect(try await bench.notifier.replayNotifications("r", in: bench.config).sent == 0)
    }

    @Test("It is the very event that was refused: the same id, and the same text")
    func same() async throws {
        let bench = try await bench(givenUp: 1)
        bench.sender.answers { _ in .take }
        _ = try await bench.notifier.replayNotifications("r", in: bench.config)
        try #require(bench.sender.attempts.count == 2)
        #expect(bench.sender.attempts[0].message.body == bench.sender.attempts[1].message.body)
        #expect(bench.sender.attempts[0].message.id == bench.sender.attempts[1].message.id)
    }

    @Test("Messages that are never taken do not keep those behind them from being sent")
    func stubborn() async throws {
        let bench = try await bench(givenUp: 250)
        bench.sender.answers { $0.revision < 20 ? .refuse() : .take }
        let replay = try await bench.notifier.replayNotifications("r", in: bench.config)
        #expect(replay == NotificationReplay(sent: 232, failed: 18, hasMore: false))
        #expect(try await bench.status().deadLetters.map(\.revision) == Array(2..<20))
    }

    @Test("What the log does not have any more stays as it was noted, and does not hold up the rest")
    func compacted() async throws {
        let bench = try await bench(givenUp: 8)
        bench.clock.advance(by: .seconds(61))
        _ = try await bench.service.compact(bench.config, keeping: .through(6))
        let before = try await bench.status().deadLetters
        bench.sender.answers { _ in .take }
        let replay = try await bench.notifier.replayNotifications("r", in: bench.config)
        #expect(replay == NotificationReplay(sent: 3, failed: 5, hasMore: false))
        #expect(bench.sender.revisions() == [7, 8, 9])
        #expect(try await bench.status().deadLetters == Array(before.prefix(5)))
    }
}
