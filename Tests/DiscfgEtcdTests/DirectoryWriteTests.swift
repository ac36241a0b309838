import Testing

@testable import DiscfgCore
@testable import DiscfgEtcd

/// What v2 writes do, worked out without a store.
@Suite("Writes of etcd's v2 API")
struct DirectoryWriteTests {
    static func evaluator(_ items: [Item] = [], isWhole: Bool = true) throws -> Evaluator {
        let tail = LogTail(revision: 9, time: DirectoryEventTests.time, trimmed: 0, incarnation: "1")
        return Evaluator(items, ranges: isWhole ? [.all] : [], tail: tail, now: DirectoryEventTests.time)
    }

    /// A file `/f`, directories `/d` and `/e` of which one is empty, and keys that have no markers.
    static func tree() throws -> [Item] {
        try ["/f", "/d/", "/d/k", "/e/", "/r/s/k", "/both", "/both/k"].map { try DirectoryEventTests.item($0) }
    }

    static func write(_ path: String, _ operation: DirectoryWrite.Operation, ttl: Duration? = nil) throws
        -> DirectoryWrite
    {
        DirectoryWrite(operation, at: try DirectoryPathTests.path(path), timeToLive: ttl)
    }

    static let file = DirectoryWrite.Content.file(Value("new"))
    static let value = Value("new")
    static func condition(_ value: String?, _ revision: UInt64? = nil) -> DirectoryWrite.Condition {
        .init(value: value.map { Array($0.utf8) }, revision: revision)
    }

    @Test(
        "What cannot be done is refused with etcd's reason and cause, and changes nothing",
        arguments: [
            ("/", .set(file, isRefresh: false), .rootIsReadOnly, "/"), ("/", .create(.directory), .rootIsReadOnly, "/"),
            ("/", .update(value, isRefresh: false), .rootIsReadOnly, "/"),
            ("/", .compareAndSwap(condition("v"), value, isRefresh: false), .rootIsReadOnly, "/"),
            ("/", .delete(isDirectory: true, isRecursive: true), .rootIsReadOnly, "/"),
            ("/", .compareAndDelete(condition("v")), .notAFile, ""),
            ("/d", .set(file, isRefresh: false), .notAFile, "/d"),
            ("/d", .set(.directory, isRefresh: false), .notAFile, "/d"),
            ("/r", .set(file, isRefresh: false), .notAFile, "/r"), ("/r/s", .create(file), .alreadyExists, "/r/s"),
            ("/f/x/y", .set(file, isRefresh: false), .notADirectory, "/f"),
            ("/f/x", .create(file), .notADirectory, "/f"),
            ("/f", .append(file), .notADirectory, "/f"),
            ("/both/new", .set(file, isRefresh: false), .notADirectory, "/both"),
            ("/none/x", .set(file, isRefresh: true), .keyNotFound, "/none"),
            ("/d/none", .update(value, isRefresh: false), .keyNotFound, "/d/none"),
            ("/r/none/x", .update(value, isRefresh: false), .keyNotFound, "/r/none"),
            ("/f/x", .delete(isDirectory: false, isRecursive: false), .notADirectory, "/f"),
            ("/d", .update(value, isRefresh: false), .notAFile, "/d"),
            ("/d", .compareAndSwap(condition("v"), value, isRefresh: false), .notAFile, "/d"),
            ("/d", .compareAndDelete(condition("v")), .notAFile, "/d"),
            ("/d", .delete(isDirectory: false, isRecursive: false), .notAFile, "/d"),
            ("/d", .delete(isDirectory: true, isRecursive: false), .notEmpty, "/d"),
            ("/r", .delete(isDirectory: true, isRecursive: false), .notEmpty, "/r"),
            ("/f", .create(file), .alreadyExists, "/f"), ("/e", .create(.directory), .alreadyExists, "/e"),
            ("/f", .compareAndSwap(condition("x"), value, isRefresh: false), .compareFailed, "[x != v]"),
            ("/f", .compareAndSwap(condition(nil, 5), value, isRefresh: false), .compareFailed, "[5 != 3]"),
            ("/f", .compareAndDelete(condition("x", 5)), .compareFailed, "[x != v] [5 != 3]"),
        ] as [(String, DirectoryWrite.Operation, DirectoryRefusal.Reason, String)])
    func refusals(
        path: String, operation: DirectoryWrite.Operation, reason: DirectoryRefusal.Reason, cause: String
    ) throws {
        var evaluator = try Self.evaluator(try Self.tree())
        let result = try evaluator.evaluate(try Self.write(path, operation))
        #expect(result == .failure(DirectoryRefusal(reason: reason, cause: cause, revision: 9)))
        #expect(evaluator.proposed.isEmpty && evaluator.missing.isEmpty)
    }

    @Test(
        "What is answered is what watchers will read in the log",
        arguments: [
            ("/f", .set(file, isRefresh: false)), ("/f", .set(.directory, isRefresh: false)),
            ("/n/m/o", .set(file, isRefresh: false)), ("/n/m", .create(.directory)), ("/d", .append(file)),
            ("/d", .append(.directory)), ("/f", .update(value, isRefresh: false)),
            ("/d", .update(Value(""), isRefresh: false)), ("/d", .delete(isDirectory: true, isRecursive: true)),
            ("/f", .compareAndSwap(condition("v", 3), value, isRefresh: false)),
            ("/f", .compareAndDelete(condition(nil, 3))),
            ("/f", .delete(isDirectory: false, isRecursive: true)),
            ("/e", .delete(isDirectory: true, isRecursive: false)),
            ("/r", .delete(isDirectory: false, isRecursive: true)), ("/r/s/k", .set(file, isRefresh: false)),
            ("/both", .delete(isDirectory: false, isRecursive: true)), ("/both/k", .update(value, isRefresh: false)),
        ] as [(String, DirectoryWrite.Operation)])
    func events(path: String, operation: DirectoryWrite.Operation) throws {
        var evaluator = try Self.evaluator(try Self.tree())
        let event = try evaluator.evaluate(try Self.write(path, operation, ttl: .seconds(60))).get()
        let commit = try #require(evaluator.proposed.first)
        #expect(commit.directoryEvents == [event] && evaluator.missing.isEmpty)
        #expect(event.revision == 10 && event.node.modified == 10)
    }

    @Test("A set begins anew, a change goes on; either may replace, give or take away the time to live")
    func lineage() throws {
        var evaluator = try Self.evaluator(try Self.tree())
        let end = DirectoryEventTests.time + .seconds(5)
        _ = try evaluator.evaluate(try Self.write("/f", .update(Self.value, isRefresh: false), ttl: .seconds(5)))
        let key = try Key(path: "/f")
        let updated = try #require(evaluator.committedItem(key))
        #expect(updated.created == 2 && updated.version == 2 && updated.expiry == end && updated.modified == 10)
        _ = try evaluator.evaluate(try Self.write("/f", .set(Self.file, isRefresh: false)))
        let replaced = try #require(evaluator.committedItem(key))
        #expect(replaced.created == 11 && replaced.version == 1 && replaced.expiry == nil)
        let short = try evaluator.evaluate(try Self.write("/f", .set(Self.file, isRefresh: true), ttl: .seconds(1)))
        #expect(try short.get().node.value == Array("new".utf8))
        let forever = try evaluator.evaluate(
            try Self.write("/f", .set(Self.file, isRefresh: false), ttl: .seconds(Int64.max)))
        #expect(try forever.get().node.expiry == nil)
    }

    @Test("Every directory on the way comes to be with the same commit, and is left as it is afterwards")
    func parents() throws {
        var evaluator = try Self.evaluator()
        for path in ["/a/b/c", "/a/b/d"] {
            _ = try evaluator.evaluate(try Self.write(path, .set(Self.file, isRefresh: false)))
        }
        #expect(
            evaluator.proposed.map { $0.changes.map(\.key.text) } == [["/a/", "/a/b/", "/a/b/c"], ["/a/b/d"]])
        let marker = try #require(evaluator.committedItem(try Key(bytes: Array("/a/b/".utf8))))
        #expect(marker.created == 10 && marker.isDirectory && marker.expiry == nil)
    }

    @Test("A file that is there, or was removed lately, is written without anything more to be read")
    func warmWrites() throws {
        var evaluator = try Self.evaluator(try Self.tree(), isWhole: false)
        let write = try Self.write("/d/k", .set(Self.file, isRefresh: false))
        var touched = Touched()
        write.touch(&touched)
        #expect(Set(touched.keys.map(\.text)) == ["/d", "/d/", "/d/k", "/d/k/"] && touched.ranges.isEmpty)
        var absent: [Key: Item?] = [:]
        for key in touched.keys where evaluator.items[key] == nil { absent[key] = .some(nil) }
        evaluator.learn(absent, ranges: [], recent: nil, now: evaluator.now)
        _ = try evaluator.evaluate(write)
        #expect(evaluator.missing.isEmpty && evaluator.proposed.count == 1)
    }

    @Test("What is new is looked for once: whether something is below it; what is made in order, once for all")
    func probes() throws {
        var evaluator = try Self.evaluator(isWhole: false)
        _ = try evaluator.evaluate(try Self.write("/n", .create(Self.file)))
        #expect(evaluator.takeMissing().probes == [try DirectoryPathTests.path("/n").below])
        for _ in 0..<3 { _ = try evaluator.evaluate(try Self.write("/q", .append(Self.file))) }
        let asked = evaluator.takeMissing()
        let first = try #require(asked.probes.min { $0.lower.lexicographicallyPrecedes($1.lower) })
        #expect(asked.probes.count == 3 && asked.probes.allSatisfy { first.covers($0) })
        evaluator.learn([:], ranges: [first], recent: nil, now: evaluator.now)
        for _ in 0..<3 { _ = try evaluator.evaluate(try Self.write("/q", .append(Self.file))) }
        #expect(evaluator.takeMissing().probes.isEmpty)
    }

    @Test("What is made in order is named by its revision, beyond names that others gave")
    func appending() throws {
        let taken = "/q/00000000000000000011"
        var evaluator = try Self.evaluator([try DirectoryEventTests.item(taken)])
        let results = try (0..<3).map { _ in try evaluator.evaluate(try Self.write("/q", .append(Self.file))) }
        #expect(try results[0].get().node.path.description == "/q/00000000000000000010")
        #expect(results[1] == .failure(DirectoryRefusal(reason: .alreadyExists, cause: taken, revision: 10)))
        let long = String(repeating: "x", count: 1005)
        #expect(throws: DiscfgError.self) { try evaluator.evaluate(try Self.write("/" + long, .append(Self.file))) }
    }

    @Test("A new end of a directory changes nothing else, and a directory without a marker gets one")
    func directoryEnds() throws {
        var evaluator = try Self.evaluator(try Self.tree())
        for seconds in [5, 6] {
            let update = DirectoryWrite.Operation.update(Value(""), isRefresh: false)
            let event = try evaluator.evaluate(try Self.write("/d", update, ttl: .seconds(seconds))).get()
            #expect(event.previous?.modified == 3 && event.previous?.created == 2 && event.node.created == 2)
        }
        let path = try DirectoryPathTests.path("/d")
        let node = DirectoryNode(try #require(evaluator.committedItem(path.directory)), at: path)
        #expect(node.modified == 3 && node.expiry == DirectoryEventTests.time + .seconds(6))
        let implied = try evaluator.evaluate(try Self.write("/r", .update(Value(""), isRefresh: false))).get()
        let marker = evaluator.committedItem(try DirectoryPathTests.path("/r").directory)
        #expect(implied.previous?.created == 2 && marker?.created == 12)
    }

    @Test("A key of v3 that looks like a directory but holds something is not lost when it becomes one")
    func foreignMarker() throws {
        var foreign = try DirectoryEventTests.item("/v3/")
        foreign.value = Value("precious")
        var evaluator = try Self.evaluator([foreign])
        _ = try evaluator.evaluate(try Self.write("/v3/k", .set(Self.file, isRefresh: false)))
        _ = try evaluator.evaluate(try Self.write("/v3", .update(Value(""), isRefresh: false), ttl: .seconds(5)))
        #expect(evaluator.committedItem(foreign.key)?.value == Value("precious"))
    }
}
