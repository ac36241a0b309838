import AWSTestSupport
import DiscfgCore
import Testing

/// The code of the articles about DiscfgModel, DiscfgCore and DiscfgClient, which the files of this folder have word for word.
@Suite("Articles about the modules")
struct ArticleTests {
    @Test(
        "Every Swift snippet of an article is compiled here", arguments: ["DiscfgModel", "DiscfgCore", "DiscfgClient"])
    func snippets(module: String) throws {
        let snippets = try SwiftSnippets(of: "Sources/\(module)/\(module).docc/\(module).md")
        #expect(snippets.all.count == 1)
        for snippet in try snippets.untested() {
            Issue.record("No file of this folder has this code of the article:\n\(snippet)")
        }
    }

    @Test("The counter of DiscfgModel's article loses no increment, in this process and on a server")
    func counter() async throws {
        try await RemoteStoreTests.with { store, service in
            let key = try Key(path: "/visits")
            let numbers = try await withThrowingTaskGroup(of: Int.self) { group in
                for index in 0..<10 {
                    let store: any ConfigStore = index.isMultiple(of: 2) ? store : service
                    group.addTask { try await increment(key, in: store) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(numbers.sorted() == Array(1...10))
        }
    }

    @Test("The program of DiscfgCore's article runs to its end")
    func core() async throws {
        try await CoreArticle.Program.main()
    }

    @Test("The program of DiscfgClient's article sets its key on a server")
    func client() async throws {
        try await RemoteStoreTests.with { store, service in
            let program = Task { try await ClientArticle.Program.run(on: store) }
            let page = try await service.changes(ChangesQuery(after: 1, wait: .seconds(60)), in: .default)
            #expect(page.commits.first?.message == "move")
            program.cancel()
            _ = await program.result
        }
    }
}
