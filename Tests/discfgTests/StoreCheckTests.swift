import ArgumentParser
import DiscfgCore
import DiscfgTestSupport
import Testing

@testable import discfg

@Suite("What a server reports of its store at its start")
struct StoreCheckTests {
    /// An engine whose table is missing.
    private struct NoTable: EngineWrapper {
        let engine: any StorageEngine = MemoryEngine()

        func tail(of config: ConfigName, knowing known: LogTail?) async throws -> LogTail {
            throw DiscfgError(
                .storeUnusable, "There is no table “shop”.", hint: "Create it with “discfg store init”.")
        }
    }

    private func problem(with engine: any StorageEngine) async throws -> String? {
        let options = try GlobalOptions.parse(["--store", "dynamodb:shop?region=eu-west-1"])
        let settings = try Settings(options, environment: [:], directory: "/")
        let service = ConfigService(engine: engine, logger: LogCapture().logger)
        return await StoreCheck.problem(with: service, settings)
    }

    @Test("A store that cannot be read is named, with the error and a hint that can be copied")
    func unusable() async throws {
        #expect(
            try await problem(with: NoTable()) == """
                warning: the store dynamodb:shop?region=eu-west-1 cannot be used now: There is no table “shop”.
                hint: Create it with “discfg store init --store 'dynamodb:shop?region=eu-west-1'”.
                note: the server runs, and tries again with each request
                """)
    }

    @Test("Nothing is reported of a store that can be read")
    func usable() async throws {
        #expect(try await problem(with: MemoryEngine()) == nil)
    }
}
