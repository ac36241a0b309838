import DiscfgCore
import DiscfgSQLite
import Foundation
import Logging
import Testing

// docs/swift.md has the lines between the markers word for word.

// guide
/// Calls `handle` for each commit after a revision, in order, until the task is cancelled.
func follow(
    _ store: any ConfigStore, after revision: Revision, handle: (Commit) async throws -> Void
) async throws {
    var (after, log): (Revision, String?) = (revision, nil)
    while !Task.isCancelled {
        let query = ChangesQuery(after: after, wait: .seconds(30), log: log)
        let page = try await store.changes(query, in: .default)
        for commit in page.commits { try await handle(commit) }
        (after, log) = (page.scanned, page.log)
    }
}
// end

@Suite("The guide for Swift")
struct GuideTests {
    private struct IsSeen: Error {}

    @Test("The code of the guide sets, reads and follows a key")
    func guide() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file()
        // guide
        let engine = try SQLiteEngine(path: path)
        let store: any ConfigStore = ConfigService(engine: engine, logger: Logger(label: "discfg"))
        let host = try Key(path: "/db/host")

        // Set the key, if it is absent.
        let change = Transaction(
            if: [Precondition(host, .absent)], then: [.set(host, Value("db1.internal"))], author: "ada",
            message: "first database")
        let result = try await store.commit(change, to: .default)
        if result.failed != nil { print("The key exists already.") }

        // Read it.
        let reading = try await store.get(host, in: .default)
        print(reading.item.value.text ?? "", reading.item.version, reading.revision)
        // end
        #expect(result.failed == nil)
        #expect(reading.item.value == Value("db1.internal"))
        #expect(reading.item.version == 1)
        #expect(reading.revision == result.revision)
        #expect(try await store.commit(change, to: .default).failed == change.preconditions[0])

        await #expect(throws: IsSeen.self) {
            try await follow(store, after: result.revision - 1) { commit in
                #expect(commit.revision == result.revision)
                #expect(commit.changes.map(\.key) == [host])
                throw IsSeen()
            }
        }
    }

    @Test("docs/swift.md has exactly the code that is tested here")
    func page() throws {
        let source = try String(contentsOfFile: #filePath, encoding: .utf8)
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let page = try String(contentsOf: root.appending(path: "docs/swift.md"), encoding: .utf8)
        let parts = source.components(separatedBy: "// guide\n").dropFirst()
        #expect(parts.count == 2)
        for part in parts {
            let lines = part.components(separatedBy: "// end")[0].components(separatedBy: "\n").dropLast()
            let indent = lines.first?.prefix { $0 == " " }.count ?? 0
            let code = lines.map { $0.dropFirst(indent) }.joined(separator: "\n")
            #expect(page.contains("\n\(code)\n"), "docs/swift.md lacks:\n\(code)")
        }
    }
}
