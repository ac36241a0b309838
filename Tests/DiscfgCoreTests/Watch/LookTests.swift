import CoreMetrics
import DiscfgTestSupport
import Logging
import Synchronization
import Testing

@testable import DiscfgCore

/// When a follower looks at the store, and what it announces meanwhile.
@Suite("Looks of a follower")
struct LookTests {
    /// A time that goes on by each sleep, which takes no time.
    private final class QuickTime: Sendable {
        private let state = Mutex((passed: Duration.zero, sleeps: [Duration]()))
        private let start = ContinuousClock.now

        var sleeps: [Duration] { state.withLock { $0.sleeps } }

        var source: TimeSource {
            TimeSource(
                now: { Timestamp(milliseconds: 0) + self.state.withLock { $0.passed } },
                sleep: { duration in
                    self.state.withLock { ($0.passed, $0.sleeps) = ($0.passed + duration, $0.sleeps + [duration]) }
                    await Task.yield()
                },
                instant: { self.start + self.state.withLock { $0.passed } })
        }
    }

    /// A store that shows the end of a log before the commits up to it, for five looks.
    private final class LateLog: EngineWrapper {
        let engine: any StorageEngine
        private let looks = Mutex(5)

        init(_ engine: any StorageEngine) { self.engine = engine }

        func log(
            of config: ConfigName, after: Revision, limit: Int, incarnation: String?, consistency: Consistency
        ) async throws -> LogPage {
            var page = try await engine.log(
                of: config, after: after, limit: limit, incarnation: incarnation, consistency: consistency)
            let isLate = looks.withLock { left in
                left -= 1
                return left >= 0
            }
            if isLate { (page.commits, page.tail) = ([], after) }
            return page
        }
    }

    private static func follower(
        pace: ClosedRange<Duration>, time: TimeSource = .system, read: @escaping LogFollower.Read
    ) -> LogFollower {
        let view = ConfigView(
            config: .default, engine: MemoryEngine(), time: time,
            metrics: ViewMetrics(factory: NOOPMetricsHandler.instance))
        return LogFollower(view: view, pace: pace, time: time, read: read)
    }

    private static func tail(_ revision: Revision) -> LogTail {
        LogTail(revision: revision, time: Timestamp(milliseconds: 0), trimmed: 0, incarnation: "a")
    }

    /// Runs a closure at its first mark, and keeps the revisions of all marks.
    private final class Marks: LogWatch {
        private let state = Mutex<(revisions: [Revision], first: (@Sendable () -> Void)?)>(([], nil))

        init(atFirst body: @escaping @Sendable () -> Void) { state.withLock { $0.first = body } }

        var revisions: [Revision] { state.withLock { $0.revisions } }

        func mark(_ watch: Int, after: Revision, through: Revision) {
            let first = state.withLock { state in
                state.revisions.append(through)
                return state.first.take()
            }
            first?()
        }

        func fail(_ watch: Int, _ error: any Error) { state.withLock { $0.revisions.append(-1) } }

        func wake() {}
    }

    @Test("A call that waits pauses between looks while the end of the log cannot be read")
    func lateLog() async throws {
        let (memory, time) = (MemoryEngine(), QuickTime())
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let writer = ConfigService(engine: memory, logger: logger)
        let engine = LateLog(memory)
        let service = ConfigService(engine: engine, options: .init(time: time.source), logger: logger)
        let revision = try await writer.commit(
            Transaction(then: [.set(Key(path: "/a"), Value("1"))]), to: .default
        ).revision
        _ = service.follower(of: .default, at: try await memory.tail(of: .default))
        let page = try await service.changes(ChangesQuery(after: revision - 1, wait: .seconds(60)), in: .default)
        #expect(page.commits.map(\.revision) == [revision])
        #expect(time.sleeps == Array(repeating: .milliseconds(20), count: 4), "the first look again is at once")
    }

    @Test("A view that is far behind does not make a new watch late", arguments: [(10_005, 5), (10_006, 10_006)])
    func farBehind(newest: Revision, first: Revision) async throws {
        let looks = Mutex<[Revision]>([])
        let follower = Self.follower(pace: LogFollowerTests.short) { revision, _ in
            looks.withLock { $0.append(revision) }
            return LogFollowerTests.page((revision + 1)...(min(revision + 1000, max(newest, revision) + 1)))
        }
        follower.note(LogFollowerTests.page(1...5))
        follower.note(LogPage(commits: [], tail: newest, incarnation: "a"))
        #expect(try await follower.wait(for: .all, beyond: newest, log: "a", atMost: .seconds(600)) == newest)
        #expect(looks.withLock { $0.first } == first)
    }

    @Test("What is being announced is no reason to look at the store")
    func hurry() async throws {
        let looks = Atomic(0)
        let follower = Self.follower(pace: LogFollowerTests.long) { revision, incarnation in
            looks.add(1, ordering: .relaxed)
            return LogFollowerTests.nothing(after: revision, incarnation)
        }
        follower.note(LogFollowerTests.page(1...5))
        let marks = Marks {
            // Another writer's commit, while the one before it is announced.
            follower.note(LogFollowerTests.page(7...7))
            #expect(!follower.state.withLock { $0.isHurried })
        }
        let (id, _) = follower.add(marks, of: .all, at: Self.tail(5))
        while looks.load(ordering: .relaxed) == 0 || follower.state.withLock({ $0.sleeper == nil }) {
            await Task.yield()
        }
        follower.note(LogFollowerTests.page(6...6))
        #expect(marks.revisions == [6, 7])
        #expect(!follower.state.withLock { $0.isHurried })
        // Commits that are missing are still read at once, although they are noted while others are announced.
        let gap = Marks { follower.note(LogFollowerTests.page(20...20)) }
        let (other, _) = follower.add(gap, of: .all, at: Self.tail(7))
        follower.note(LogFollowerTests.page(8...8))
        while looks.load(ordering: .relaxed) < 2 { await Task.yield() }
        follower.remove(id)
        follower.remove(other)
    }

    @Test("Commits that are read while others are announced are announced, also if the view has no place for them")
    func pageMeanwhile() async throws {
        let follower = Self.follower(pace: LogFollowerTests.long) { LogFollowerTests.nothing(after: $0, $1) }
        var loaded = ViewState(tail: Self.tail(5))
        loaded.learn([:], ranges: [.all])
        #expect(follower.view.adopt(loaded) && follower.view.isLoaded)
        let marks = Marks { follower.note(LogFollowerTests.page(22...22)) }
        let (id, _) = follower.add(marks, of: .all, at: Self.tail(20))
        // Then the poller announces nothing.
        while follower.state.withLock({ $0.sleeper == nil }) { await Task.yield() }
        follower.note(LogFollowerTests.page(21...21))
        #expect(marks.revisions == [21, 22])
        follower.remove(id)
    }

    @Test("The first watch wakes a poller that sleeps for long because the watches before saw nothing")
    func firstWatch() async throws {
        let clock = TestClock()
        let time = TimeSource(now: clock.source.now, sleep: clock.source.sleep, instant: { clock.instant })
        let follower = Self.follower(pace: .seconds(1) ... .seconds(64), time: time) {
            LogFollowerTests.nothing(after: $0, $1)
        }
        follower.note(LogFollowerTests.page(1...1))
        let before = Task { try await follower.wait(for: .all, beyond: 1, log: "a", atMost: .seconds(3600)) }
        for _ in 0..<8 {
            await clock.waitForSleepers()
            clock.advance(by: .seconds(64))
        }
        await clock.waitForSleepers()
        before.cancel()
        _ = await before.result
        let (id, _) = follower.add(Marks {}, of: .all, at: Self.tail(1))
        let soon = clock.instant + .seconds(1)
        while follower.state.withLock({ $0.sleeper.map { $0.until > soon } ?? true }) { await Task.yield() }
        follower.remove(id)
    }

    @Test("A log that is seen to continue is looked at often until the commits can be read")
    func interval() async throws {
        let time = QuickTime()
        let looks = Atomic(0)
        let follower = Self.follower(pace: .seconds(1) ... .seconds(64), time: time.source) { revision, _ in
            looks.add(1, ordering: .relaxed).newValue < 6
                ? LogPage(commits: [], tail: revision + 1, incarnation: "a") : LogFollowerTests.page(2...2)
        }
        follower.note(LogFollowerTests.page(1...1))
        let marks = Marks {}
        let (id, _) = follower.add(marks, of: .all, at: Self.tail(1))
        while marks.revisions.isEmpty { await Task.yield() }
        follower.remove(id)
        #expect(time.sleeps.prefix(5) == [.seconds(1), .seconds(1), .seconds(1), .seconds(1), .seconds(1)])
    }
}
