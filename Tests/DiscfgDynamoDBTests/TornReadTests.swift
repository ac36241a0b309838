import DiscfgCore
import DiscfgDynamoDB
import DiscfgTestSupport
import DynamoDBPatternsTesting
import Logging
import Synchronization
import Testing

/// Each test fails if a reader takes an entry of the log that is visible to mean that its items are.
@Suite("A reader sees a transaction that is being committed whole or not at all")
struct TornReadTests {
    @Test("A lock waiter does not see a key that was deleted before the tail of its range")
    func lockWaiter() async throws {
        let world = try await TornWorld()
        for path in ["/mutex/a", "/mutex/b"] { _ = try await world.set(path, "", by: world.a) }
        let (range, deletion) = try await world.whileCommitting(
            showing: { $0.revision != nil },
            of: {
                try await world.a.commit(Transaction(then: [.delete(Key(path: "/mutex/a"))]), to: world.config)
            }
        ) {
            try await world.b.range(RangeQuery(.all), in: world.config)
        }
        #expect(range.revision == deletion.revision)
        #expect(range.items.map(\.key.description) == ["/mutex/b"])
    }

    @Test("What a list at a revision lacks, a watch from that revision brings", arguments: [true, false])
    func listAndWatch(entryIsVisible: Bool) async throws {
        let world = try await TornWorld()
        _ = try await world.set("/cfg/x", "old", by: world.a)
        _ = try await world.set("/cfg/y", "old", by: world.a)
        let (page, _) = try await world.whileCommitting(
            showing: { ($0.revision != nil) == entryIsVisible },
            of: {
                try await world.a.commit(
                    Transaction(then: [
                        .set(Key(path: "/cfg/x"), Value("new")), .delete(Key(path: "/cfg/y")),
                        .set(Key(path: "/cfg/z"), Value("new")),
                    ]), to: world.config)
            }
        ) {
            try await world.b.range(RangeQuery(.all), in: world.config)
        }
        var values = Dictionary(uniqueKeysWithValues: page.items.map { ($0.key, $0.value.text) })
        for change in try await world.changes(after: page.revision, by: world.b).flatMap(\.changes) {
            values[change.key] = change.item?.value.text
        }
        #expect(Set(values.keys.map(\.description)) == ["/cfg/x", "/cfg/z"])
        #expect(Set(values.values) == ["new"])
    }

    @Test("A client that was told of a change sees it in every strongly consistent read")
    func toldSees() async throws {
        let world = try await TornWorld()
        _ = try await world.set("/k/old", "1", by: world.a)
        let keys = [try Key(path: "/k/old"), try Key(path: "/k/new")]
        let (seen, _) = try await world.whileCommitting(
            showing: { $0.revision != nil },
            of: {
                try await world.a.commit(
                    Transaction(then: keys.map { .set($0, Value("2")) }), to: world.config)
            }
        ) {
            _ = try await world.changes(after: 2, by: world.b)
            let single = try await world.b.get(keys[0], in: world.config, at: nil, consistency: .strong).item
            let batch = try await world.second.items(keys, in: world.config, consistency: .strong).items
            return [single.value.text] + keys.map { batch[$0]?.value.text }
        }
        #expect(seen == ["2", "2", "2"])
    }

    @Test(
        "A page of a range that the newest entries shorten or lengthen neither ends early nor skips a key",
        arguments: [true, false])
    func pages(addsKeys: Bool) async throws {
        let world = try await TornWorld()
        for number in 0..<10 { _ = try await world.set("/p/\(number)", "1", by: world.a) }
        let added = addsKeys ? ["/p/00", "/p/99"] : []
        let (pages, _) = try await world.whileCommitting(
            showing: { $0.revision != nil },
            of: {
                try await world.a.commit(
                    Transaction(
                        then: try (2..<6).map { .delete(try Key(path: "/p/\($0)")) }
                            + added.map { .set(try Key(path: $0), Value("1")) }), to: world.config)
            }
        ) {
            _ = try await world.changes(after: 11, by: world.b)
            var found: [String] = []
            var rest = KeyRange.all
            while true {
                let page = try await world.second.items(
                    rest, in: world.config, limit: 2, values: false, consistency: .strong)
                #expect(page.items.count <= 2)
                found += page.items.map(\.key.description)
                guard page.hasMore, let last = page.items.last else { return found }
                rest = rest.after(last.key)
            }
        }
        #expect(pages == (["/p/0", "/p/1", "/p/6", "/p/7", "/p/8", "/p/9"] + added).sorted())
    }

    /// Three commits to append after the first revision.
    private static func commits(in world: TornWorld) async throws -> [Commit] {
        let time = try await world.first.tail(of: world.config).time
        return try (2...4 as ClosedRange<Revision>).map { revision in
            let item = Item(
                key: try Key(path: "/g/\(revision)"), value: Value("x"), version: 1, created: revision,
                modified: revision, modifiedAt: time, author: "", expiry: nil, lease: nil)
            return Commit(
                revision: revision, time: time, author: "", message: "", changes: [.set(item, previous: nil)])
        }
    }

    @Test("An entry that is not visible yet is no damage, however wrong the reader's clock is", arguments: [0, 600])
    func gapAndClock(_ seconds: Int) async throws {
        let world = try await TornWorld(ahead: .seconds(seconds))
        let commits = try await Self.commits(in: world)
        let (found, _) = try await world.whileCommitting(
            showing: { $0.revision == 2 || $0.revision == 4 },
            of: { try await world.first.append(commits, to: world.config, incarnation: nil) }
        ) {
            try await world.changes(after: 2, by: world.b).map(\.revision)
        }
        #expect(found == [3, 4])
    }

    @Test("Entries of one transaction of which the later is visible first are waited for, and no damage")
    func gap() async throws {
        let world = try await TornWorld()
        let commits = try await Self.commits(in: world)
        let (found, _) = try await world.whileCommitting(
            showing: { $0.revision == 2 || $0.revision == 4 },
            of: { try await world.first.append(commits, to: world.config, incarnation: nil) }
        ) {
            let tail = try await world.second.tail(of: world.config).revision
            let first = try await world.changes(after: 1, by: world.b).map(\.revision)
            let next = try await world.changes(after: 2, by: world.b).map(\.revision)
            return [[tail], first, next]
        }
        #expect(found == [[4], [2, 3, 4], [3, 4]])
        #expect(try await world.changes(after: 2, by: world.b).map(\.revision) == [3, 4])
        #expect(try await world.second.tail(of: world.config).revision == 4)
    }

    @Test(
        "A config whose record is visible before its log is waited for, and is not damaged", arguments: [false, true])
    func creation(again: Bool) async throws {
        let world = try await TornWorld()
        let name = try ConfigName("new")
        if again {
            _ = try await world.b.createConfig(name, settings: ConfigSettings(), author: "")
            try await world.b.deleteConfig(name)
        }
        let (tail, _) = try await world.whileCommitting(
            showing: { $0.revision == nil },
            of: { try await world.a.createConfig(name, settings: ConfigSettings(), author: "") }
        ) {
            try await world.second.tail(of: name)
        }
        #expect(try await world.first.tail(of: name) == tail)
    }

    @Test("A get of an absent key comes to an end although others go on writing")
    func absentAmongWrites() async throws {
        let world = try await TornWorld()
        let engine = HookedEngine(world.second)
        let service = ConfigService(engine: engine, logger: Logger(label: "test"))
        let writes = Mutex(0)
        @Sendable func write() async throws {
            let number = writes.withLock { writes in
                writes += 1
                return writes
            }
            guard number <= 20 else { return }
            engine.before(.log) { try await write() }
            _ = try await world.set("/other", "\(number)", by: world.a)
        }
        engine.before(.log) { try await write() }
        let key = try Key(path: "/absent")
        let range = KeyRange(from: key.bytes, to: key.bytes + [0])
        #expect(try await service.range(RangeQuery(range), in: world.config).items.isEmpty)
        #expect(writes.withLock(\.self) <= 3)
    }

    @Test("A key that is absent because of a deletion is absent at the revision that the answer names")
    func absence() async throws {
        let world = try await TornWorld()
        _ = try await world.set("/k", "1", by: world.a)
        let key = try Key(path: "/k")
        let (reading, deletion) = try await world.whileCommitting(
            showing: { $0.isItem },
            of: { try await world.a.commit(Transaction(then: [.delete(key)]), to: world.config) }
        ) {
            let range = KeyRange(from: key.bytes, to: key.bytes + [0])
            return try await world.b.range(RangeQuery(range), in: world.config)
        }
        #expect(reading.items.isEmpty)
        #expect(reading.revision == deletion.revision)
    }

    @Test("A commit that is compacted while it is being committed is seen whole or not at all")
    func compacted() async throws {
        let world = try await TornWorld()
        let first = try await world.set("/k", "1", by: world.a).revision
        let (reading, written) = try await world.whileCommitting(
            showing: { $0.revision != nil }, of: { try await world.set("/k", "2", by: world.a) }
        ) {
            _ = try await world.a.compact(world.config, keeping: .through(first + 1))
            let key = try Key(path: "/k")
            return try await world.b.range(
                RangeQuery(KeyRange(from: key.bytes, to: key.bytes + [0])), in: world.config)
        }
        #expect(reading.revision == written.revision)
        #expect(reading.items.map(\.value.text) == ["2"])
    }

    @Test("A call that reads the tail while another waits for a transaction waits for it too")
    func concurrentTails() async throws {
        let world = try await TornWorld()
        _ = try await world.set("/k", "1", by: world.a)
        let key = try Key(path: "/k")
        world.gate.hold(showing: { $0.isItem })
        let writer = Task { try await world.a.commit(Transaction(then: [.delete(key)]), to: world.config) }
        await world.gate.untilHeld()
        #expect(try await world.second.items([key], in: world.config, consistency: .strong).items.isEmpty)
        let before = world.slow.conflicts
        let waiting = Task { try await world.second.tail(of: world.config).revision }
        while world.slow.conflicts == before { await CommitGate.pause() }
        let releasing = Task { [conflicts = world.slow.conflicts] in
            while world.slow.conflicts == conflicts, !Task.isCancelled { await CommitGate.pause() }
            world.gate.release()
        }
        defer { releasing.cancel() }
        let revision = try await world.second.tail(of: world.config).revision
        world.gate.release()
        #expect(try await revision == writer.value.revision)
        #expect(try await revision == waiting.value)
    }

    @Test("A client that names another log does not keep a call from waiting for what it has read")
    func forgottenLog() async throws {
        let world = try await TornWorld()
        let before = try await world.set("/k", "1", by: world.a).revision
        let key = try Key(path: "/k")
        let (tail, deletion) = try await world.whileCommitting(
            showing: { $0.isItem },
            of: { try await world.a.commit(Transaction(then: [.delete(key)]), to: world.config) }
        ) {
            let items = try await world.second.items([key], in: world.config, consistency: .strong).items
            #expect(items.isEmpty)
            // The engine forgets what it knows of the config, and looks at its record.
            let error = await #expect(throws: DiscfgError.self) {
                try await world.second.log(
                    of: world.config, after: before, limit: 1, incarnation: "another", consistency: .strong)
            }
            #expect(error?.code == .compacted)
            return try await world.second.tail(of: world.config).revision
        }
        #expect(tail == deletion.revision)
    }

    @Test("A get is not older than a commit that a watcher of another process has been told of")
    func getAfterWatch() async throws {
        let world = try await TornWorld()
        let key = try Key(path: "/k")
        _ = try await world.set("/k", "1", by: world.a)
        _ = try await world.b.get(key, in: world.config, at: nil, consistency: .strong)
        let (value, _) = try await world.whileCommitting(
            showing: { $0.revision != nil }, of: { try await world.set("/k", "2", by: world.a) }
        ) {
            try await world.b.get(key, in: world.config, at: nil, consistency: .strong).item.value
        }
        #expect(value == Value("2"))
    }
}
