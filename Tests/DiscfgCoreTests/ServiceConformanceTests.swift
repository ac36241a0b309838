import DiscfgCore
import DiscfgTestSupport
import Testing

@Suite("The service keeps discfg's rules on the engine in memory")
struct ServiceConformanceTests {
    @Test("It conforms", arguments: ServiceConformance.cases)
    func conforms(_ testCase: ServiceConformance.Case) async throws {
        try await ServiceConformance {
            let engine = MemoryEngine()
            return { engine }
        }.run(testCase)
    }

    @Test("It conforms when reads are answered from memory", arguments: ServiceConformance.cases)
    func conformsWithViews(_ testCase: ServiceConformance.Case) async throws {
        try await ServiceConformance(viewMemory: 64 << 20) {
            let engine = MemoryEngine()
            return { engine }
        }.run(testCase)
    }

    @Test("It conforms when configs hardly fit into memory", arguments: ServiceConformance.cases)
    func conformsWithLittleMemory(_ testCase: ServiceConformance.Case) async throws {
        try await ServiceConformance(viewMemory: 2048) {
            let engine = MemoryEngine()
            return { engine }
        }.run(testCase)
    }
}
