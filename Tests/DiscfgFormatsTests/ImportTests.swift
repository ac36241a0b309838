import DiscfgCore
import DiscfgFormats
import DiscfgTestSupport
import Testing

@Suite("Imports beside other writers")
struct ImportTests {
    private let store = MemoryEngine()

    private func service(_ engine: any StorageEngine) -> ConfigService {
        ConfigService(engine: engine, logger: LogCapture().logger)
    }

    private func leaves(_ text: String) async throws -> [Leaf] {
        try await ConfigFormat.json.leaves(of: Array(text.utf8))
    }

    private func set(_ path: String, _ text: String) async throws {
        _ = try await service(store).commit(Transaction(then: [.set(Key(path: path), Value(text))]), to: .default)
    }

    private func values() async throws -> [String: String] {
        let items = try await service(store).items(below: "/", in: .default, at: nil)
        return Dictionary(uniqueKeysWithValues: items.map { ($0.key.description, $0.value.value.text ?? "") })
    }

    @Test(
        "An export names every key that it leaves out",
        arguments: [
            ("/", ["/b"]), ("", ["/b"]), ("bare:", ["bare:app/x"]), ("/b", []),
            ("bytes:///b%2F", ["bytes:///b/%2Fc/d"]),
        ])
    func leftOut(prefix: String, inside: [String]) async throws {
        let names = [
            "/b", "bytes:///b%2F", "bytes:///b/%2Fc/d", "bytes:///b/%FF", "bare:app/x", "bytes://app%2F", "bytes://%FF",
        ]
        for name in names { try await set(name, "v") }
        for format in ConfigFormat.allCases {
            let file = try await service(store).export(as: format, below: prefix, in: .default, at: nil)
            let all = try await service(store).items(below: prefix, in: .default, at: nil).keys.map(\.name)
            #expect(Set(all) == Set(inside + file.leftOut.map(\.name)) && file.keys == inside.count)
            #expect(all.count == file.keys + file.leftOut.count && file.leftOut == file.leftOut.sorted())
        }
    }

    @Test("What is exported of the keys without a leading slash is imported to them again")
    func bareFile() async throws {
        try await set("bare:app/name", "svc")
        try await set("/app/name", "other")
        let file = try await service(store).export(as: .yaml, below: "bare:", in: .default, at: nil)
        _ = try await service(store).commit(Transaction(then: [.deleteAll(.bare)]), to: .default)
        #expect(try await values() == ["/app/name": "other"])
        let outcome = try await service(store).importLeaves(
            ConfigFormat.json.leaves(of: Array(#"{"app":{"name":"svc"}}"#.utf8), yaml: nil),
            as: ImportRequest(prefix: "bare:", prunes: true), in: .default)
        #expect(outcome.counts.added == 1)
        #expect(try await values() == ["/app/name": "other", "bare:app/name": "svc"])
        #expect(String(decoding: file.bytes, as: UTF8.self) == "app:\n  name: svc\n")
    }

    @Test("A key that was equal when the import looked, and then changed, is set again")
    func changedMeanwhile() async throws {
        let engine = HookedEngine(store)
        try await set("/p/same", "1")
        engine.before(.append) { [self] in try await set("/p/same", "2") }
        let outcome = try await service(engine).importLeaves(
            leaves(#"{"new":"n","same":"1"}"#), as: ImportRequest(prefix: "/p"), in: .default)
        #expect(try await values() == ["/p/same": "1", "/p/new": "n"])
        #expect(outcome.commits == 1 && outcome.revision == 4)
        #expect(outcome.counts == ImportCounts(added: 1, changed: 1))
    }

    @Test("Another writer's key beside those of the file does not make an import begin again")
    func unrelated() async throws {
        let engine = HookedEngine(store)
        engine.before(.append) { [self] in try await set("/p/other", "1") }
        let outcome = try await service(engine).importLeaves(
            leaves(#"{"new":"n"}"#), as: ImportRequest(prefix: "/p"), in: .default)
        #expect(outcome.revision == 3)
        #expect(try await values() == ["/p/other": "1", "/p/new": "n"])
    }

    @Test("What is pruned is what a new look finds, so that a revision holds the file and nothing else")
    func prune() async throws {
        let engine = HookedEngine(store)
        try await set("/p/old", "1")
        engine.before(.append) { [self] in try await set("/p/late", "1") }
        let outcome = try await service(engine).importLeaves(
            leaves(#"{"new":"n"}"#), as: ImportRequest(prefix: "/p", prunes: true), in: .default)
        #expect(outcome.counts == ImportCounts(added: 1, removed: 2) && outcome.commits == 1)
        #expect(try await values() == ["/p/new": "n"])
    }

    @Test("An import in several commits that others interrupt counts each key once")
    func several() async throws {
        let engine = HookedEngine(store, maximumChanges: 1)
        engine.before(.append) { [self] in
            engine.before(.append) { [self] in try await set("/p/a", "theirs") }
        }
        let outcome = try await service(engine).importLeaves(
            leaves(#"{"a":"1","b":"2"}"#), as: ImportRequest(prefix: "/p"), in: .default)
        #expect(try await values() == ["/p/a": "1", "/p/b": "2"])
        #expect(outcome.commits == 3)
        #expect(outcome.counts == ImportCounts(added: 1, changed: 1))
    }

    @Test("An import for a revision is refused when the config has moved on, before or while it is carried out")
    func ifRevision() async throws {
        let engine = HookedEngine(store)
        try await set("/p/a", "1")
        let leaves = try await leaves(#"{"a":"2"}"#)
        let service = service(engine)
        var error = await #expect(throws: DiscfgError.self) {
            try await service.planImport(of: leaves, as: ImportRequest(ifRevision: 1), in: .default)
        }
        #expect(error?.code == .conditionFailed)
        engine.before(.append) { [self] in try await set("/elsewhere", "1") }
        error = await #expect(throws: DiscfgError.self) {
            try await service.importLeaves(leaves, as: ImportRequest(prefix: "/p", ifRevision: 2), in: .default)
        }
        #expect(error?.code == .conditionFailed)
        #expect(try await values() == ["/p/a": "1", "/elsewhere": "1"])
        let outcome = try await service.importLeaves(
            leaves, as: ImportRequest(prefix: "/p", ifRevision: 3), in: .default)
        #expect(outcome.revision == 4)
    }

    @Test(
        "A key that has a lease is neither set nor removed by an import, nor part of an export",
        arguments: [false, true])
    func leased(prunes: Bool) async throws {
        let service = service(store)
        for id in [1, 2] as [Int64] {
            _ = try await service.grantLease(id, ttl: .seconds(60), in: .default)
            let operation = Operation.set(try Key(path: "/p/held\(id)"), Value("\(id)"), expiry: .lease(id))
            _ = try await service.commit(Transaction(then: [operation]), to: .default)
        }
        try await set("/p/free", "1")
        let file = try await service.export(as: .json, below: "/p", in: .default, at: nil)
        #expect(try await ConfigFormat.json.leaves(of: file.bytes).map(\.path) == ["free"])

        let outcome = try await service.importLeaves(
            leaves(#"{"a":"1","held1":"theirs"}"#), as: ImportRequest(prefix: "/p", prunes: prunes), in: .default)
        #expect(outcome.counts.leftOut == (prunes ? 2 : 1))
        #expect(outcome.counts.added == 1 && outcome.counts.changed == 0)
        let items = try await service.items(below: "/p", in: .default, at: nil)
        for id in [1, 2] as [Int64] {
            let item = items[try Key(path: "/p/held\(id)")]
            #expect(item?.lease == id && item?.value == Value("\(id)"))
        }
        #expect(items.count == (prunes ? 3 : 4))

        _ = try await service.revokeLease(1, in: .default)
        let again = try await service.importLeaves(
            await ConfigFormat.json.leaves(of: file.bytes), as: ImportRequest(prefix: "/p", prunes: true), in: .default)
        #expect(again.counts.leftOut == 1)
        #expect(try await values() == ["/p/free": "1", "/p/held2": "2"])
    }

    @Test("An import is carried out although others change its keys each time before it is committed")
    func contended() async throws {
        let engine = HookedEngine(store)
        @Sendable func interfere(_ times: Int) async throws {
            try await set("/p/a", "theirs \(times)")
            if times > 1 { engine.before(.append) { try await interfere(times - 1) } }
        }
        engine.before(.append) { try await interfere(5) }
        let outcome = try await service(engine).importLeaves(
            leaves(#"{"a":"1"}"#), as: ImportRequest(prefix: "/p"), in: .default)
        #expect(outcome == ImportOutcome(counts: ImportCounts(changed: 1), revision: 7, commits: 1))
        #expect(try await values() == ["/p/a": "1"])
    }

    @Test("An import that fails between two commits says how far it came, and an import for a revision stops there")
    func interrupted() async throws {
        let engine = HookedEngine(store, maximumChanges: 1)
        engine.before(.append) {
            engine.before(.append) { [self] in try await set("/elsewhere", "1") }
        }
        let error = await #expect(throws: DiscfgError.self) {
            try await service(engine).importLeaves(
                leaves(#"{"a":"1","b":"2"}"#), as: ImportRequest(prefix: "/p", ifRevision: 1), in: .default)
        }
        #expect(error?.code == .conditionFailed)
        #expect(error?.hint?.hasSuffix(" 1 of 2 keys are imported; import again to continue.") == true)
        #expect(try await values() == ["/p/a": "1", "/elsewhere": "1"])
    }

    @Test("An import in several commits is not begun again because of keys that it does not set")
    func severalBesideOthers() async throws {
        let engine = HookedEngine(store, maximumChanges: 1)
        engine.before(.append) {
            engine.before(.append) { [self] in try await set("/p/aa", "theirs") }
        }
        let outcome = try await service(engine).importLeaves(
            leaves(#"{"a":"1","b":"2"}"#), as: ImportRequest(prefix: "/p"), in: .default)
        #expect(outcome == ImportOutcome(counts: ImportCounts(added: 2), revision: 4, commits: 2))
    }

    @Test("More than a proposal reads is pruned in parts")
    func largePrune() async throws {
        let value = String(repeating: "x", count: Value.maximumLength)
        for number in 0..<50 { try await set("/p/old\(number)", value) }
        try await set("/q", "kept")
        let outcome = try await service(store).importLeaves(
            leaves(#"{"new":"n"}"#), as: ImportRequest(prefix: "/p", prunes: true), in: .default)
        #expect(outcome.counts == ImportCounts(added: 1, removed: 50) && outcome.commits > 1)
        #expect(try await values() == ["/p/new": "n", "/q": "kept"])
    }

    @Test("More items than one step compares are removed in several commits")
    func manyItems() async throws {
        for part in 0..<11 {
            let set = try (0..<20_000).map { Operation.set(try Key(path: "/p/\(part)/\($0)"), Value("v")) }
            _ = try await service(store).commit(Transaction(then: set), to: .default)
        }
        let outcome = try await service(store).importLeaves(
            leaves(#"{"new":"n"}"#), as: ImportRequest(prefix: "/p", prunes: true), in: .default)
        #expect(outcome.counts == ImportCounts(added: 1, removed: 220_000) && outcome.commits > 10)
        #expect(try await values() == ["/p/new": "n"])
    }

    @Test("More than 20,000 changes are several commits, and what does not differ is not counted")
    func manyKeys() async throws {
        let all = (0..<25_000).map { "\"k\($0)\":\"v\"" }
        let first = try await service(store).importLeaves(
            leaves("{" + all.prefix(100).joined(separator: ",") + "}"), as: ImportRequest(prefix: "/p"), in: .default)
        #expect(first.commits == 1)
        let outcome = try await service(store).importLeaves(
            leaves("{" + all.joined(separator: ",") + "}"), as: ImportRequest(prefix: "/p"), in: .default)
        #expect(outcome.counts == ImportCounts(added: 24_900, unchanged: 100) && outcome.commits == 2)
    }
}
