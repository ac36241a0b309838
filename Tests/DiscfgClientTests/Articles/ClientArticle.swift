import DiscfgClient
import DiscfgModel
import Logging

enum ClientArticle {
    struct Program {
        static func main() async throws {
            let store = try RemoteConfigStore(
                url: "http://127.0.0.1:8899", author: "ada", logger: Logger(label: "program"))
            do {
                try await run(on: store)
            } catch {
                // A store that is not shut down keeps its connections.
                try await store.shutdown()
                throw error
            }
            try await store.shutdown()
        }

        static func run(on store: RemoteConfigStore) async throws {
            let host = try Key(path: "/db/host")
            let change = Transaction(then: [.set(host, Value("db1.internal"))], author: "ada", message: "move")
            var position = try await store.commit(change, to: .default).revision - 1
            while !Task.isCancelled {
                let query = ChangesQuery(after: position, wait: .seconds(30))
                let page = try await store.changes(query, in: .default)
                for commit in page.commits { print(commit.revision, commit.author, commit.message) }
                position = page.scanned
            }
        }
    }
}
