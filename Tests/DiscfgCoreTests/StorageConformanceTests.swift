import DiscfgCore
import DiscfgTestSupport
import Testing

@Suite("The engine in memory keeps the contract of storage engines")
struct StorageConformanceTests {
    @Test("It conforms", arguments: StorageConformance.cases)
    func conforms(_ testCase: StorageConformance.Case) async throws {
        try await StorageConformance { MemoryEngine() }.run(testCase)
    }
}
