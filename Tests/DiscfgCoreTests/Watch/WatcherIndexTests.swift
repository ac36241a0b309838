@testable import DiscfgCore
import Testing

@Suite("Index of watchers")
struct WatcherIndexTests {
    /// Short keys of two letters, so that random ranges meet.
    private static func key(_ random: inout SystemRandomNumberGenerator) throws -> Key {
        let letters = (0..<Int.random(in: 1...3, using: &random)).map { _ in UInt8.random(in: 97...99, using: &random) }
        return try Key(bytes: letters)
    }

    private static func selection(_ random: inout SystemRandomNumberGenerator) throws -> KeySelection {
        let (first, second) = (try key(&random).bytes, try key(&random).bytes)
        switch Int.random(in: 0..<7, using: &random) {
        case 0: return .all
        case 1: return .nothing
        case 2: return .key(try Key(bytes: first))
        case 3: return .range(.prefix(first))
        case 4: return .range(KeyRange(from: first, to: nil))
        case 5: return KeySelection(ranges: [.key(try Key(bytes: first)), .prefix(first + [100])])
        default:
            let isInOrder = first.lexicographicallyPrecedes(second)
            return .range(isInOrder ? KeyRange(from: first, to: second) : KeyRange(from: second, to: first))
        }
    }

    private static func commit(of keys: some Sequence<Key>, at revision: Revision = 1) -> Commit {
        let changes = keys.map { Change(kind: .delete, key: $0, item: nil, previous: nil) }
        return Commit(revision: revision, time: Timestamp(milliseconds: 0), author: "", message: "", changes: changes)
    }

    @Test("It finds exactly the watchers whose keys a commit changes, while watchers come and go")
    func equalsSearch() throws {
        var random = SystemRandomNumberGenerator()
        var index = WatcherIndex()
        var watchers: [Int: KeySelection] = [:]
        for round in 0..<4000 {
            if watchers.count > 60 || Bool.random(using: &random), let (id, selection) = watchers.randomElement() {
                index.remove(id, of: selection)
                watchers[id] = nil
            } else {
                let selection = try Self.selection(&random)
                index.insert(round, of: selection)
                watchers[round] = selection
            }
            let keys = Set(try (0..<Int.random(in: 0...3)).map { _ in try Self.key(&random) })
            var found: Set<Int> = []
            index.forEach(concernedBy: Self.commit(of: keys)) { found.insert($0) }
            let expected = watchers.filter { watcher in
                watcher.value == .all || keys.contains { watcher.value.contains($0) }
            }
            try #require(found == Set(expected.keys), "\(watchers), \(keys)")
        }
    }

    @Test("A watcher of a log that has ended does not move the position in the log of others")
    func endedLog() throws {
        var registry = WatcherRegistry()
        func call(_ log: String, at position: Revision) -> Watcher {
            Watcher(selection: .all, log: log, position: position, listener: .watch(Deaf()))
        }
        // The config was created again as “b” after the first watcher had read the end of “a”.
        registry.add(call("a", at: 500), as: registry.newID(), in: "b")
        #expect(registry.log == "a" && registry.position == 500)
        let follower = registry.newID()
        registry.add(call("b", at: 3), as: follower, in: "b")
        #expect(registry.log == "b" && registry.position == 3)
        #expect(registry.follow("b").map(\.watcher.log) == ["a"])
        #expect(registry.announce([Self.commit(of: [], at: 4)]).map(\.id) == [follower])
        // One that is late does not send the others back.
        registry.add(call("a", at: 1), as: registry.newID(), in: "b")
        #expect(registry.follow("b").count == 1 && registry.position == 4)
    }

    @Test("No watcher loses a commit that concerns it, and none is told of another")
    func wakeUps() throws {
        var random = SystemRandomNumberGenerator()
        var registry = WatcherRegistry()
        var watches: [Int: (selection: KeySelection, position: Revision)] = [:]
        let listener = Marks()
        var revision: Revision = 1
        for _ in 0..<2000 {
            let selection = try Self.selection(&random)
            let id = registry.newID()
            registry.add(
                Watcher(selection: selection, log: "a", position: revision, listener: .watch(listener)), as: id, in: "a"
            )
            watches[id] = (selection, revision)
            if watches.count > 50, let old = watches.keys.randomElement() {
                registry.remove(old)
                watches[old] = nil
            }
            let commits = try (1...Int.random(in: 1...3)).map { number in
                Self.commit(of: Set([try Self.key(&random), try Self.key(&random)]), at: revision + Int64(number))
            }
            revision += Int64(commits.count)
            let notices = registry.announce(commits)
            var found: [Int: [Revision]] = [:]
            for notice in notices {
                if case .commits(let first, let last) = notice.content { found[notice.id] = [first, last] }
            }
            let expected = watches.compactMapValues { watch -> [Revision]? in
                let concerning = commits.filter { $0.selecting(watch.selection) != nil }
                guard let first = concerning.first, let last = concerning.last else { return nil }
                return [first.revision, last.revision]
            }
            try #require(found == expected)
            try #require(registry.position == revision)
        }
    }
}

/// A watch that keeps what it is told.
final class Marks: LogWatch {
    struct Mark: Equatable {
        var watch: Int
        var after: Revision
        var through: Revision
    }

    let all = Recorded<Mark>()
    let failures = Recorded<Int>()
    let wakes = Recorded<Int>()

    func mark(_ watch: Int, after: Revision, through: Revision) {
        all.append(Mark(watch: watch, after: after, through: through))
    }

    func fail(_ watch: Int, _ error: any Error) { failures.append(watch) }

    func wake() { wakes.append(0) }
}

/// A watch that ignores what it is told.
private final class Deaf: LogWatch {
    func mark(_ watch: Int, after: Revision, through: Revision) {}
    func fail(_ watch: Int, _ error: any Error) {}
    func wake() {}
}
