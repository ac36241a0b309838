@testable import DiscfgCore
import CoreMetrics
import Synchronization
import Testing

@Suite("Log follower")
struct LogFollowerTests {
    static let short: ClosedRange<Duration> = .milliseconds(1) ... .milliseconds(1)
    static let long: ClosedRange<Duration> = .seconds(60) ... .seconds(60)

    /// A follower of a view of its own.
    static func follower(pace: ClosedRange<Duration>, read: @escaping LogFollower.Read) -> LogFollower {
        let view = ConfigView(
            config: .default, engine: MemoryEngine(), time: .system,
            metrics: ViewMetrics(factory: NOOPMetricsHandler.instance))
        return LogFollower(view: view, pace: pace, time: .system, read: read)
    }

    static func page(_ revisions: ClosedRange<Revision>, incarnation: String = "a") -> LogPage {
        let commits = revisions.map {
            Commit(revision: $0, time: Timestamp(milliseconds: $0), author: "", message: incarnation, changes: [])
        }
        return LogPage(commits: commits, tail: revisions.upperBound, incarnation: incarnation)
    }

    static func nothing(after revision: Revision, _ incarnation: String?) -> LogPage {
        LogPage(commits: [], tail: revision, incarnation: incarnation ?? "a")
    }

    @Test("After a config was made anew, its log is followed from where that is")
    func createdAgain() async throws {
        let follower = Self.follower(pace: Self.long) { Self.nothing(after: $0, $1) }
        follower.note(Self.page(1...100))
        follower.note(Self.page(1...1, incarnation: "b"))
        let waiter = Task { try await follower.wait(for: .all, beyond: 1, atMost: .seconds(600)) }
        // Served from memory only while it looks for more.
        while follower.recent(after: 1, limit: 10) == nil { await Task.yield() }
        #expect(follower.recent(after: 0, limit: 10)?.commits.map(\.message) == ["b"])
        #expect(follower.recent(after: 50, limit: 10) == nil)
        follower.note(Self.page(2...2, incarnation: "b"))
        #expect(try await waiter.value == 1)
    }

    @Test("What was seen lately is given to those who keep up, without gaps and with a limit")
    func recent() async throws {
        let follower = Self.follower(pace: Self.long) { Self.nothing(after: $0, $1) }
        follower.note(Self.page(5...9))
        #expect(follower.recent(after: 6, limit: 10) == nil, "nobody looks for newer ones")
        let waiter = Task { try await follower.wait(for: .all, beyond: 9, atMost: .seconds(600)) }
        while follower.recent(after: 9, limit: 10) == nil { await Task.yield() }
        #expect(follower.recent(after: 6, limit: 2)?.commits.map(\.revision) == [7, 8])
        #expect(follower.recent(after: 4, limit: 10)?.commits.count == 5)
        #expect(follower.recent(after: 3, limit: 10) == nil)
        #expect(follower.recent(after: 9, limit: 10)?.commits.isEmpty == true)
        follower.note(Self.page(12...13))
        #expect(follower.recent(after: 9, limit: 10)?.commits.map(\.revision) != [12, 13], "10 and 11 are missing")
        waiter.cancel()
    }

    @Test("Commits that are missing before one of this process are read at once")
    func gap() async throws {
        let isThere = Mutex(false)
        let follower = Self.follower(pace: Self.long) { revision, incarnation in
            isThere.withLock { $0 } ? Self.page((revision + 1)...13) : Self.nothing(after: revision, incarnation)
        }
        follower.note(Self.page(5...9))
        let waiter = Task { try await follower.wait(for: .all, beyond: 9, log: "a", atMost: .seconds(600)) }
        while follower.count == 0 { await Task.yield() }
        isThere.withLock { $0 = true }
        follower.note(Self.page(12...13))
        #expect(try await waiter.value == 9)
        #expect(follower.announcements == 1)
    }

    @Test("It looks for all who wait at once, and wakes them with what others wrote")
    func polling() async throws {
        let reads = Mutex(0)
        let follower = Self.follower(pace: Self.short) { revision, incarnation in
            let count = reads.withLock { count in
                count += 1
                return count
            }
            return count < 3 ? Self.nothing(after: revision, incarnation) : Self.page(2...2)
        }
        follower.note(Self.page(1...1))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<100 {
                group.addTask { try await follower.wait(for: .all, beyond: 1, atMost: .seconds(600)) }
            }
            try await group.waitForAll()
        }
        #expect(reads.withLock { $0 } < 100)
    }

    @Test("A log of which nothing is known yet is read by its name, so that what is compacted at once is not lost")
    func namedFromTheStart() async throws {
        let asked = Mutex<[String?]>([])
        let follower = Self.follower(pace: Self.short) { _, incarnation in
            asked.withLock { $0.append(incarnation) }
            return Self.page(2...2)
        }
        try await follower.wait(for: .all, beyond: 1, log: "a", atMost: .seconds(600))
        #expect(asked.withLock { $0 } == ["a"])
        let empty = Self.follower(pace: Self.short) { _, incarnation in
            asked.withLock { $0.append(incarnation) }
            return Self.page(2...2, incarnation: "b")
        }
        // The tail of an empty page is known, and no commit.
        empty.note(LogPage(commits: [], tail: 1, incarnation: "b"))
        try await empty.wait(for: .all, beyond: 1, atMost: .seconds(600))
        #expect(asked.withLock { $0 } == ["a", "b"])
    }

    @Test("A waiter whose task is cancelled ends")
    func cancelled() async throws {
        let follower = Self.follower(pace: Self.long) { Self.nothing(after: $0, $1) }
        let waiter = Task { try await follower.wait(for: .all, beyond: 1, atMost: .seconds(600)) }
        waiter.cancel()
        await #expect(throws: CancellationError.self) { try await waiter.value }
    }

    @Test("Who follows a log that ended is told so, and not given another's")
    func strayed() async throws {
        let follower = Self.follower(pace: Self.long) { Self.nothing(after: $0, $1) }
        follower.note(Self.page(1...9))
        let waiter = Task { try await follower.wait(for: .all, beyond: 9, log: "a", atMost: .seconds(600)) }
        while follower.recent(after: 9, limit: 1) == nil { await Task.yield() }
        follower.note(Self.page(1...12, incarnation: "b"))
        let error = await #expect(throws: DiscfgError.self) { try await waiter.value }
        #expect(error?.code == .compacted)
        // What was read of the old log and arrives late changes nothing.
        follower.note(Self.page(1...50))
        let next = Task { try await follower.wait(for: .all, beyond: 12, log: "b", atMost: .seconds(600)) }
        while follower.recent(after: 12, limit: 1) == nil { await Task.yield() }
        #expect(follower.recent(after: 11, limit: 10)?.commits.map(\.message) == ["b"])
        next.cancel()
    }

    @Test("A failure that passes is waited out, so that not everybody goes to the store at once")
    func passingFailure() async throws {
        let reads = Mutex(0)
        let follower = Self.follower(pace: Self.short) { _, _ in
            let count = reads.withLock { count in
                count += 1
                return count
            }
            if count < 4 { throw DiscfgError(.storeUnavailable, "It is away.") }
            return Self.page(2...2)
        }
        follower.note(Self.page(1...1))
        try await follower.wait(for: .all, beyond: 1, log: "a", atMost: .seconds(600))
        #expect(reads.withLock { $0 } == 4)
    }

    @Test("A store that fails is reported to all who wait")
    func failure() async throws {
        let follower = Self.follower(pace: Self.short) { _, _ in
            throw DiscfgError(.storeUnavailable, "It is away.")
        }
        let error = await #expect(throws: DiscfgError.self) {
            try await follower.wait(for: .all, beyond: 1, atMost: .seconds(600))
        }
        #expect(error?.code == .storeUnavailable)
    }
}
