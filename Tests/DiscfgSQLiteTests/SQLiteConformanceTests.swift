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
}
