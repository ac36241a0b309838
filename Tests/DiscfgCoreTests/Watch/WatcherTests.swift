@testable import DiscfgCore
import DiscfgTestSupport
import Synchronization
import Testing

/// What was appended, in its order.
final class Recorded<Element: Sendable>: Sendable {
    private let elements = Mutex<[Element]>([])

    var values: [Element] { elements.withLock { $0 } }

    func append(_ element: Element) { elements.withLock { $0.append(element) } }
}

@Suite("Watchers")
struct WatcherTests {
    /// A service whose monotonic clock stands still: no poller looks again, and no wait ends by itself.
    let clock = TestClock()
    let engine = MemoryEngine()
    let service: ConfigService

    init() { service = .viewing(engine, memory: 0, clock: clock) }

    private var follower: LogFollower { service.active(.default).follower }

    /// Waits until all commits up to now were announced, which is after their writers were answered.
    private func settle(_ config: ConfigName = .default) async throws {
        let tail = try await service.tail(of: config)
        let follower = service.active(config).follower
        while follower.announced(of: tail.incarnation) < tail.revision { await Task.yield() }
    }

    private func key(_ number: Int) throws -> Key { try Key(path: "/k/\(number)") }

    @Test("Of 10,000 waiting calls on 10,000 keys, a commit wakes the one that it concerns")
    func calls() async throws {
        let start = try await service.revision(of: .default)
        try await withThrowingTaskGroup(of: (Int, ChangePage)?.self) { group in
            for number in 0..<10_000 {
                let selection = KeySelection.key(try key(number))
                group.addTask { [service] in
                    let query = ChangesQuery(after: start, selection: selection, wait: .seconds(60))
                    do {
                        return (number, try await service.changes(query, in: .default))
                    } catch is CancellationError {
                        return nil
                    }
                }
            }
            while follower.count < 10_000 { await Task.yield() }
            try await service.set("/k/4711", "x")
            let woken = try #require(try await group.next() ?? nil)
            #expect(woken.0 == 4711)
            #expect(woken.1.commits.flatMap(\.changes).map(\.key) == [try key(4711)])
            #expect(follower.announcements == 1)
            #expect(follower.count == 9_999)
            group.cancelAll()
        }
        #expect(follower.count == 0)
    }

    @Test("Of 10,000 watches on 10,000 keys, a commit marks the one that it concerns")
    func watches() async throws {
        let tail = try await service.tail(of: .default)
        let follower = service.follower(of: .default, at: tail)
        let marks = Marks()
        let numbers = try (0..<10_000).map { follower.add(marks, of: .key(try key($0)), at: tail).id }
        try await service.set("/elsewhere", "x")
        try await settle()
        #expect(marks.all.values.isEmpty)
        try await service.set("/k/4711", "x")
        try await settle()
        let revision = try await service.revision(of: .default)
        #expect(marks.all.values == [.init(watch: numbers[4711], after: revision - 1, through: revision)])
        for number in numbers { follower.remove(number) }
        try await service.set("/k/4711", "y")
        #expect(marks.all.values.count == 1 && follower.count == 0)
    }

    @Test("A wait for a range ends with a commit inside it, and is not woken by one outside")
    func range() async throws {
        let start = try await service.revision(of: .default)
        async let page = service.changes(
            ChangesQuery(after: start, selection: .below("/d"), wait: .seconds(60)), in: .default)
        while follower.count == 0 { await Task.yield() }
        for path in ["/c/z", "/d", "/d0", "/e"] { try await service.set(path, "x") }
        try await settle()
        #expect(follower.announcements == 0)
        try await service.set("/d/a", "x")
        let found = try await page
        #expect(found.commits.map(\.revision) == [start + 5] && found.scanned == start + 5)
        #expect(follower.announcements == 1)
    }

    @Test("A wait whose time is over has passed the commits that did not concern it")
    func timeOver() async throws {
        let start = try await service.revision(of: .default)
        async let page = service.changes(
            ChangesQuery(after: start, selection: .key(try key(1)), wait: .seconds(30)), in: .default)
        while follower.count == 0 { await Task.yield() }
        for number in 2...6 { try await service.set("/k/\(number)", "x") }
        try await settle()
        clock.advance(by: .seconds(31))
        let found = try await page
        #expect(found.commits.isEmpty && found.scanned == start + 5)
        #expect(follower.announcements == 0)
    }

    @Test("A commit between the look at the log and the wait wakes the wait")
    func noLostWakeUp() async throws {
        var revision = try await service.revision(of: .default)
        for round in 0..<1000 {
            let query = ChangesQuery(after: revision, selection: .key(try key(0)), wait: .seconds(60))
            async let page = service.changes(query, in: .default)
            for _ in 0..<round % 8 { await Task.yield() }
            try await service.set("/k/0", "\(round)")
            let found = try await page
            revision += 1
            try #require(found.commits.map(\.revision) == [revision])
        }
    }

    @Test("The marks of a watch follow one another without a gap, whoever announces them")
    func order() async throws {
        let other = ConfigService.viewing(engine, memory: 0, clock: clock)
        let tail = try await service.tail(of: .default)
        let follower = service.follower(of: .default, at: tail)
        let marks = Marks()
        let (number, position) = follower.add(marks, of: .key(try key(0)), at: tail)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<6 {
                group.addTask { [service] in
                    for round in 0..<100 {
                        try await (writer % 3 == 0 ? other : service).set("/k/0", "\(round)")
                    }
                }
            }
            try await group.waitForAll()
        }
        let last = tail.revision + 600
        // Those of the other service at the end are found by a look.
        while follower.announced(of: tail.incarnation) < last {
            clock.advance(by: .seconds(1))
            await Task.yield()
        }
        var reached = position
        for mark in marks.all.values {
            try #require(mark.watch == number && mark.after == reached && mark.through > reached)
            reached = mark.through
        }
        #expect(reached == last)
    }

    @Test("A watch of a config that was created again fails, and one of the new log goes on")
    func createdAgain() async throws {
        let config = try ConfigName("team")
        _ = try await service.createConfig(config, settings: .init(), author: "")
        let tail = try await service.tail(of: config)
        let follower = service.follower(of: config, at: tail)
        let (old, new) = (Marks(), Marks())
        let (number, _) = follower.add(old, of: .all, at: tail)
        // By another process, so that this one does not know.
        let other = ConfigService.viewing(engine, memory: 0, clock: clock)
        try await other.deleteConfig(config)
        _ = try await other.createConfig(config, settings: .init(), author: "")
        let again = try await service.tail(of: config)
        #expect(service.follower(of: config, at: again) === follower)
        while old.failures.values.isEmpty { await Task.yield() }
        #expect(old.failures.values == [number])
        let (next, position) = follower.add(new, of: .all, at: again)
        #expect(position == again.revision)
        #expect(follower.announced(of: tail.incarnation) == 0)
        try await service.set("/a", "x", in: config)
        try await settle(config)
        #expect(new.all.values == [.init(watch: next, after: position, through: position + 1)])
        #expect(old.all.values.isEmpty)
    }

    @Test("A watch that asks to be called back at a revision is woken once it was announced")
    func milestones() async throws {
        let tail = try await service.tail(of: .default)
        let follower = service.follower(of: .default, at: tail)
        let marks = Marks()
        _ = follower.add(marks, of: .nothing, at: tail)
        follower.callBack(marks, at: tail.revision, of: tail.incarnation)
        #expect(marks.wakes.values.count == 1, "announced already")
        follower.callBack(marks, at: tail.revision + 2, of: tail.incarnation)
        try await service.set("/a", "x")
        try await settle()
        #expect(marks.wakes.values.count == 1)
        try await service.set("/a", "y")
        while marks.wakes.values.count < 2 { await Task.yield() }
        #expect(marks.wakes.values.count == 2)
        #expect(marks.all.values.isEmpty)
    }
}
