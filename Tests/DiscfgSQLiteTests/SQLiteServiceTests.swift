import DiscfgCore
import DiscfgSQLite
import DiscfgTestSupport
import Testing

@Suite("The service keeps discfg's rules on SQLite")
struct SQLiteServiceTests {
    @Test("It conforms, with two engines on one file", arguments: ServiceConformance.cases)
    func conforms(_ testCase: ServiceConformance.Case) async throws {
        let folder = try TemporaryFolder()
        try await ServiceConformance { { try SQLiteEngine(path: folder.file()) } }.run(testCase)
        try checkIntegrity(of: folder.file())
    }

    @Test("It conforms when reads are answered from memory", arguments: ServiceConformance.cases)
    func conformsWithViews(_ testCase: ServiceConformance.Case) async throws {
        let folder = try TemporaryFolder()
        try await ServiceConformance(viewMemory: 64 << 20) { { try SQLiteEngine(path: folder.file()) } }.run(testCase)
        try checkIntegrity(of: folder.file())
    }

    @Test(
        "It conforms when replies and requests are lost",
        arguments: ServiceConformance.cases.filter { !$0.bringsFaults })
    func conformsWithLostReplies(_ testCase: ServiceConformance.Case) async throws {
        let folder = try TemporaryFolder()
        let seed = UInt64.random(in: 0...UInt64.max)
        let plan = FaultyEngine.Plan([.lostReply, .lostRequest, .delay], seed: seed)
        try await ServiceConformance(seed: seed) {
            { FaultyEngine(try SQLiteEngine(path: folder.file()), plan: plan) }
        }.run(testCase)
        try checkIntegrity(of: folder.file())
    }
}
