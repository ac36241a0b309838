import DiscfgTestSupport
import Testing

@testable import DiscfgCore

@Suite("Deleting a config")
struct DeletionTests {
    /// Removes a config, and then fails as a store does whose answer was lost.
    private struct LosingEngine: EngineWrapper {
        let engine: any StorageEngine = MemoryEngine()

        func removeConfig(_ name: ConfigName) async throws -> Bool {
            _ = try await engine.removeConfig(name)
            throw DiscfgError(.outcomeUnknown, "The answer was lost.")
        }
    }

    @Test("What was known of a config is forgotten also if its deletion fails")
    func forgets() async throws {
        let service = ConfigService(engine: LosingEngine(), logger: LogCapture().logger)
        let name = try ConfigName("other")
        _ = try await service.createConfig(name, settings: ConfigSettings(), author: "")
        _ = try await service.commit(Transaction(then: [.set(try Key(path: "/a"), Value("x"))]), to: name)
        #expect(service.existing(name) != nil)
        await #expect(throws: DiscfgError.self) { try await service.deleteConfig(name) }
        #expect(service.existing(name) == nil)
    }

    @Test("A deletion notes how far the log may come before it removes anything")
    func notes() async throws {
        let engine = MemoryEngine()
        let service = ConfigService(engine: engine, logger: LogCapture().logger)
        let name = try ConfigName("other")
        let first = try await service.createConfig(name, settings: ConfigSettings(), author: "")
        #expect(first.revision == 1 && first.oldest == 1)
        try await service.deleteConfig(name)
        let again = try await service.createConfig(name, settings: ConfigSettings(), author: "")
        #expect(again.revision == 10_002 && again.oldest == 10_001)
        #expect(try await service.list(ListQuery(at: again.oldest), in: name).entries.isEmpty)
        let beside = try await service.createConfig(ConfigName("others"), settings: ConfigSettings(), author: "")
        #expect(beside.revision == 1)
        try await service.deleteConfig(name)
        #expect(
            try await service.createConfig(name, settings: ConfigSettings(), author: "").revision == 20_003)
        #expect(
            try await engine.cells(of: .default, prefix: "", after: nil, limit: 9).map(\.name)
                == [EndedLogs.cellName(name)])
    }

    @Test("Configs of many names, each created and deleted once, leave a limited number of cells")
    func manyNames() async throws {
        let engine = MemoryEngine()
        let service = ConfigService(engine: engine, logger: LogCapture().logger)
        #expect(try EndedLogs.cellName(ConfigName("a")) == "ended/\(0xE40C_292C as UInt32 % EndedLogs.maximumCells)")
        for number in 0..<5000 {
            let name = try ConfigName("job-\(number)")
            _ = try await service.createConfig(name, settings: ConfigSettings(), author: "")
            try await service.deleteConfig(name)
        }
        let cells = try await engine.cells(of: .default, prefix: "", after: nil, limit: 5000)
        #expect(cells.count <= 4096)
    }
}
