import DiscfgCore
import DiscfgDynamoDB
import DiscfgDynamoDBTestSupport
import DiscfgTestSupport
import DynamoDBPatternsTesting
import Testing

/// Without a server: these run wherever tests run.
@Suite("The engine keeps its contract on a DynamoDB in this process")
struct InProcessConformanceTests {
    /// The conformance suites write with clocks that stand still in 2026; to a clock at 0 every entry of a log is recent.
    static let options = DynamoDBEngine.Options(
        pollInterval: .milliseconds(1) ... .milliseconds(5),
        time: TimeSource(now: { Timestamp(milliseconds: 0) }, sleep: { try await Task.sleep(for: $0) }))

    /// Opens engines on one store that has the table.
    private func open(_ store: InProcessDynamoDB) async throws -> @Sendable () -> DynamoDBEngine {
        try await store.engine().manager.make()
        return { store.engine(options: Self.options) }
    }

    @Test("Storage conforms", arguments: StorageConformance.cases)
    func storageConforms(_ testCase: StorageConformance.Case) async throws {
        try await StorageConformance { try await open(InProcessDynamoDB())() }.run(testCase)
    }

    @Test("Storage conforms while transactions become visible item by item", arguments: StorageConformance.cases)
    func storageConformsItemByItem(_ testCase: StorageConformance.Case) async throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        try await StorageConformance(seed: seed) {
            try await open(InProcessDynamoDB(ItemByItemDynamoDB(seed: seed)))()
        }.run(testCase)
    }

    @Test(
        "The service's rules hold while transactions become visible item by item",
        arguments: ServiceConformance.cases)
    func serviceConformsItemByItem(_ testCase: ServiceConformance.Case) async throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        try await ServiceConformance(seed: seed) {
            try await open(InProcessDynamoDB(ItemByItemDynamoDB(seed: seed)))
        }.run(testCase)
    }

    @Test(
        "The service's rules hold item by item when reads are answered from memory",
        arguments: ServiceConformance.cases)
    func serviceConformsWithViews(_ testCase: ServiceConformance.Case) async throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        try await ServiceConformance(seed: seed, viewMemory: 64 << 20) {
            try await open(InProcessDynamoDB(ItemByItemDynamoDB(seed: seed)))
        }.run(testCase)
    }
}
