import DiscfgCore
import DiscfgSQLite
import DiscfgTestSupport
import Testing

@Suite("The engine on SQLite keeps the contract of storage engines")
struct SQLiteConformanceTests {
    @Test("It conforms", arguments: StorageConformance.cases)
    func conforms(_ testCase: StorageConformance.Case) async throws {
        let folder = try TemporaryFolder()
        try await StorageConformance { try SQLiteEngine(path: folder.file()) }.run(testCase)
        try checkIntegrity(of: folder.file())
    }

    @Test("History is the same whether the newest commits have it or the index finds it")
    func history() async throws {
        let folder = try TemporaryFolder()
        let (engine, model) = (try SQLiteEngine(path: folder.file()), MemoryEngine())
        var items: [Key: Item] = [:]
        // More commits than are looked through before the index; the keys of /d change at the ends alone.
        let commits = try (2...700).map { (revision: Revision) in
            let names = revision < 12 || revision > 690 ? ["/d", "/d/\(revision % 3)", "/e"] : ["/c", "/d0", "/e"]
            let time = Timestamp(milliseconds: revision)
            let changes = try names.map { name in
                let previous = items[try Key(path: name)]
                let item = Item(
                    key: try Key(path: name), value: Value("\(revision)"), created: previous?.created ?? revision,
                    modified: revision, modifiedAt: time)
                items[item.key] = item
                return Change.set(item, previous: previous)
            }
            return Commit(revision: revision, time: time, author: "", message: "", changes: changes)
        }
        for engine in [engine, model] as [any StorageEngine] {
            let first = Commit(revision: 1, time: Timestamp(milliseconds: 1), author: "", message: "", changes: [])
            try await engine.createConfig(.default, settings: ConfigSettings(), first: first)
            #expect(try await engine.append(commits, to: .default) == .appended)
            _ = try await engine.trim(.default, through: 5)
        }
        let selections = try [KeySelection.subtree("/d"), .below("/d"), .key(Key(path: "/d")), .subtree("/e"), .bare]
        for selection in selections {
            let parts: [(LogPart, Int)] = [
                (.through(900), 4), (.through(900), 300), (.through(690), 4), (.through(690), 1), (.through(300), 20),
                (.through(8), 20), (.after(5), 4), (.after(5), 300), (.after(8), 1), (.after(300), 20),
            ]
            for (part, limit) in parts {
                let page = try await engine.history(of: .default, selection: selection, part, limit: limit)
                let expected = try await model.history(of: .default, selection: selection, part, limit: limit)
                #expect(page.commits == expected.commits, "\(selection.path) \(part)")
                #expect((page.next == nil) == (expected.next == nil))
            }
        }
    }
}
