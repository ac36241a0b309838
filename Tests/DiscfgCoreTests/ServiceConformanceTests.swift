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
}
