import Testing

@testable import DiscfgCore
@testable import DiscfgEtcd

/// What commits are to those who watch paths.
@Suite("Events of etcd's v2 API")
struct DirectoryEventTests {
    static let time = Timestamp(milliseconds: 5000)

    static func item(_ key: String, _ text: String = "v", created: Revision = 2, modified: Revision = 3) throws -> Item
    {
        let isMarker = key.hasSuffix("/")
        return Item(
            key: try Key(bytes: key.utf8),
            value: isMarker ? Value(bytes: [], contentType: Value.directory) : Value(text), created: created,
            modified: modified, modifiedAt: time)
    }

    static func commit(_ message: String, _ changes: [Change]) -> Commit {
        Commit(
            revision: 9, time: time, author: "", message: message, changes: changes.sorted { $0.key < $1.key })
    }

    static func set(_ key: String, over previous: Bool = false) throws -> Change {
        .set(try item(key, "new", created: 9, modified: 9), previous: previous ? try item(key, "old") : nil)
    }

    static func removed(_ key: String, _ kind: Change.Kind = .delete, created: Revision = 2) throws -> Change {
        .removed(try item(key, created: created), kind: kind)
    }

    /// Events, each in short: what was done to what, and whether something was there before.
    static func brief(_ commit: Commit) -> [String] {
        commit.directoryEvents.map { event in
            let previous = event.previous.map { $0.isDirectory ? " over a directory" : " over a file" } ?? ""
            return "\(event.action) \(event.node.path)\(event.node.isDirectory ? "/" : "")\(previous)"
        }
    }

    @Test("A write is one event, of what was named, whatever directories came to be on the way")
    func writes() throws {
        let changes = [try Self.set("/a/"), try Self.set("/a/b/"), try Self.set("/a/b/c")]
        for action in ["set", "create", "update", "compareAndSwap"] {
            #expect(Self.brief(Self.commit("etcd v2: \(action)", changes)) == ["\(action) /a/b/c"])
        }
        #expect(Self.brief(Self.commit("etcd v2: set", [changes[0], changes[1]])) == ["set /a/b/"])
        #expect(Self.brief(Self.commit("etcd v2: set", [try Self.set("/a", over: true)])) == ["set /a over a file"])
    }

    @Test("A directory in place of a file is one event, over the file")
    func directoryOverFile() throws {
        let commit = Self.commit("etcd v2: set", [try Self.removed("/x/y"), try Self.set("/x/y/")])
        #expect(Self.brief(commit) == ["set /x/y/ over a file"])
    }

    @Test("A directory that is removed is one event, with what was below it or without, with a marker or without")
    func removals() throws {
        let below = [try Self.removed("/d/a", created: 7), try Self.removed("/d/b/c")]
        let whole = Self.commit("etcd v2: delete /d", below + [try Self.removed("/d/"), try Self.removed("/d/b/")])
        #expect(Self.brief(whole) == ["delete /d/ over a directory"])
        let bare = Self.commit("etcd v2: delete /d", below)
        #expect(Self.brief(bare) == ["delete /d/ over a directory"])
        #expect(bare.directoryEvents[0].node.created == 7, "the first key tells")
        #expect(Self.brief(Self.commit("etcd v2: delete /d", [below[1]])) == ["delete /d/ over a directory"])
        #expect(
            Self.brief(Self.commit("etcd v2: delete /d", [try Self.removed("/d/")])) == ["delete /d/ over a directory"])
        #expect(Self.brief(Self.commit("etcd v2: delete /f", [try Self.removed("/f")])) == ["delete /f over a file"])
        #expect(Self.brief(Self.commit("etcd v2: delete", [try Self.removed("/f")])) == ["delete /f over a file"])
        let compared = Self.commit("etcd v2: compareAndDelete", [try Self.removed("/f")])
        #expect(Self.brief(compared) == ["compareAndDelete /f over a file"])
    }

    @Test("A refresh is no event, but only if all values are what they were")
    func refresh() throws {
        func kept(_ key: String) throws -> Change {
            .set(try Self.item(key, "same", modified: 9), previous: try Self.item(key, "same"))
        }
        #expect(Self.brief(Self.commit("etcd v2: refresh", [try kept("/a")])).isEmpty)
        #expect(Self.brief(Self.commit("etcd v2: refresh", [try kept("/d/")])).isEmpty)
        #expect(Self.brief(Self.commit("etcd v2: refresh", [try Self.set("/d/")])).isEmpty, "a marker for its end")
        let changed = try Self.set("/a", over: true)
        #expect(Self.brief(Self.commit("etcd v2: refresh", [changed])) == ["set /a over a file"])
        #expect(Self.brief(Self.commit("etcd v2: refresh", [changed, try kept("/b")])).count == 2)
        #expect(Self.brief(Self.commit("etcd v2: refresh", [try Self.set("/new")])) == ["set /new"])
        #expect(Self.brief(Self.commit("etcd v2: refresh", [try Self.removed("/a")])) == ["delete /a over a file"])
    }

    @Test("A commit of REST, v3 or the command line is an event for each key that has a path")
    func foreignCommits() throws {
        let changes = [
            try Self.set("/a", over: true), try Self.set("/a/b"), try Self.removed("/c"), try Self.set("/d/"),
            try Self.set("no path"), try Self.removed("/e", .expire),
        ]
        let brief = ["set /a over a file", "set /a/b", "delete /c over a file", "set /d/", "expire /e over a file"]
        for message in ["", "etcd", "etcd v2: ", "etcd v2: nonsense"] {
            #expect(Self.brief(Self.commit(message, changes)) == brief)
        }
    }

    @Test("A message that says more than the changes bear out is not believed")
    func hostileMessages() throws {
        let sets = [try Self.set("/a"), try Self.set("/a/b")]
        #expect(Self.brief(Self.commit("etcd v2: set", sets)) == ["set /a", "set /a/b"])
        let removal = [try Self.removed("/a"), try Self.set("/ab")]
        #expect(Self.brief(Self.commit("etcd v2: set", removal)) == ["delete /a over a file", "set /ab"])
        let directory = [try Self.removed("/a/"), try Self.set("/a/b/")]
        #expect(Self.brief(Self.commit("etcd v2: set", directory)) == ["set /a/b/"])
        let unrelated = [try Self.set("/a"), try Self.set("/b/c")]
        #expect(Self.brief(Self.commit("etcd v2: set", unrelated)) == ["set /a", "set /b/c"])
        let removals = [try Self.removed("/a"), try Self.removed("/b")]
        for message in [
            "etcd v2: delete", "etcd v2: delete /a", "etcd v2: delete /../x", "etcd v2: expire", "etcd v2: set",
        ] {
            #expect(Self.brief(Self.commit(message, removals)).count == 2, "\(message)")
        }
        #expect(Self.commit("etcd v2: set", []).directoryEvents.isEmpty)
    }

    @Test("What expires is an event by itself, a directory with all that is below it")
    func expiry() throws {
        let directory = [try Self.removed("/d/", .expire), try Self.removed("/d/a", .expire)]
        #expect(Self.brief(Self.commit("", directory)) == ["expire /d/ over a directory"])
        #expect(Self.brief(Self.commit("", [directory[1]])) == ["expire /d/a over a file"])
        let several = [try Self.removed("/a", .expire), try Self.removed("/b", .expire)]
        #expect(Self.brief(Self.commit("", several)).count == 2, "as when a lease ends")
    }

    /// What a watcher sees of a commit, in short.
    static func brief(_ commit: Commit, at path: String, isRecursive: Bool = false) throws -> [String] {
        let watch = DirectoryWatch(try DirectoryPathTests.path(path), isRecursive: isRecursive)
        return watch.events(of: commit).map { "\($0.action) \($0.node.path)\($0.node.isDirectory ? "/" : "")" }
    }

    @Test("A directory whose marker is removed while a key below it is set is still there")
    func removedMarker() throws {
        let rollback = Self.commit("rollback to revision 3", [try Self.removed("/d/"), try Self.set("/d/k")])
        #expect(Self.brief(rollback) == ["set /d/k"])
        #expect(try Self.brief(rollback, at: "/d/k") == ["set /d/k"])
        #expect(try Self.brief(rollback, at: "/d", isRecursive: true) == ["set /d/k"])
        #expect(try Self.brief(rollback, at: "/d").isEmpty)
        let sets = try ["/d/s/k", "/dd", "/e0"].map { try Self.set($0) }
        let removals = try ["/d/", "/d/s/", "/d/t/", "/e/"].map { try Self.removed($0) }
        #expect(
            Self.brief(Self.commit("", sets + removals)) == [
                "set /d/s/k", "delete /d/t/ over a directory", "set /dd", "delete /e/ over a directory", "set /e0",
            ])
    }

    @Test("A watcher of a key that is removed together with a marker above it sees the key's removal")
    func removedTogether() throws {
        // Other keys may be left in the directory: only a v2 write, or its expiry, takes all of it.
        let commit = Self.commit("rollback to revision 3", [try Self.removed("/d/"), try Self.removed("/d/k")])
        #expect(try Self.brief(commit, at: "/d/k") == ["delete /d/k"])
        #expect(try Self.brief(commit, at: "/d") == ["delete /d/"])
        #expect(try Self.brief(commit, at: "/d", isRecursive: true) == ["delete /d/", "delete /d/k"])
        let whole = Self.commit("etcd v2: delete /d", commit.changes)
        #expect(try Self.brief(whole, at: "/d/k") == ["delete /d/"])
    }

    @Test("An event has the index of its commit, and what was there before has its own")
    func indexes() throws {
        let marker = Item(
            key: try Key(bytes: "/d/".utf8), value: Value(bytes: Array("4".utf8), contentType: Value.directory),
            created: 4, modified: 9, modifiedAt: Self.time)
        var previous = marker
        (previous.value.bytes, previous.modified) = ([], 4)
        let event = try #require(
            Self.commit("etcd v2: update", [.set(marker, previous: previous)]).directoryEvents.first)
        #expect(event.node.modified == 9 && event.node.created == 4 && event.previous?.modified == 4)
        #expect(DirectoryNode(marker, at: event.node.path).modified == 4, "a new end is no change of the directory")
        let removal = try #require(Self.commit("etcd v2: delete /d", [.removed(marker)]).directoryEvents.first)
        #expect(removal.node.modified == 9 && removal.node.created == 4 && removal.previous?.modified == 4)
    }

    @Test(
        "A watcher sees its path, recursively what is below it and not hidden, and the end of a directory above it",
        arguments: [
            ("/a", false, "set /a", true), ("/a", false, "set /a/b", false), ("/a", true, "set /a/b/c", true),
            ("/a", true, "set /ab", false), ("/a", true, "set /a/_b", false), ("/a", true, "set /a/_b/c", false),
            ("/a/_b", false, "set /a/_b", true), ("/a/_b", true, "set /a/_b/c", true), ("/", true, "set /x", true),
            ("/", true, "set /_x", false), ("/", false, "set /x", false), ("/a/b", false, "set /a/b/c", false),
            ("/d/k", false, "delete /d", true), ("/d/k", true, "delete /d", true),
            ("/d/none", false, "delete /d", false),
            ("/d", false, "delete /d", true), ("/d/s", true, "delete /d", true), ("/d/s/k", false, "delete /d", true),
            ("/d/s", false, "delete /d", true), ("/dd", false, "delete /d", false), ("/", true, "delete /d", true),
        ] as [(String, Bool, String, Bool)])
    func watchers(path: String, isRecursive: Bool, what: String, isSeen: Bool) throws {
        let watch = DirectoryWatch(try DirectoryPathTests.path(path), isRecursive: isRecursive)
        let words = what.split(separator: " ").map(String.init)
        let changes =
            words[0] == "set"
            ? [try Self.set(words[1])] : try ["/d/", "/d/k", "/d/s/", "/d/s/k"].map { try Self.removed($0) }
        let message = words[0] == "set" ? "etcd v2: set" : "etcd v2: delete \(words[1])"
        let seen = watch.events(of: Self.commit(message, changes))
        #expect(seen.isEmpty == !isSeen)
        #expect(seen.allSatisfy { $0.node.path.description == words[1] })
    }
}
