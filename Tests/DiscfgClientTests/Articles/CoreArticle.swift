import DiscfgCore
import Logging

enum CoreArticle {
    struct Program {
        static func main() async throws {
            // SQLiteEngine(path:) of DiscfgSQLite or DynamoDBEngine(table:client:) of DiscfgDynamoDB keep what is written.
            let store = ConfigService(engine: MemoryEngine(), logger: Logger(label: "discfg"))
            let host = try Key(path: "/db/host")
            let change = Transaction(
                if: [Precondition(host, .absent)], then: [.set(host, Value("db1.internal"))], author: "ada",
                message: "first database")
            let result = try await store.commit(change, to: .default)
            print(result.failed == nil ? "Set at revision \(result.revision)." : "The key exists already.")

            async let page = store.changes(
                ChangesQuery(after: result.revision, selection: .key(host), wait: .seconds(30)), in: .default)
            let move = Transaction(then: [.set(host, Value("db2.internal"))], author: "ada", message: "move")
            _ = try await store.commit(move, to: .default)
            for commit in try await page.commits { print(commit.revision, commit.author, commit.message) }
        }
    }
}
