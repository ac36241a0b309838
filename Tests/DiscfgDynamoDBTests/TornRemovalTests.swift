import DiscfgCore
import DiscfgDynamoDB
import DynamoDBPatternsTesting
import Testing

@Suite("A config whose removal is being committed is there or gone, and nothing between")
struct TornRemovalTests {
    @Test("A key of a config whose record is marked as removed is not read from what is left of it")
    func removedConfig() async throws {
        let world = try await TornWorld(config: ConfigName("team"))
        let key = try Key(path: "/k")
        _ = try await world.set("/k", "1", by: world.a)
        _ = try await world.b.get(key, in: world.config, at: nil, consistency: .strong)
        let (error, _) = try await world.whileCommitting(
            showing: { $0.revision == nil }, of: { try await world.first.removeConfig(world.config) }
        ) {
            await #expect(throws: DiscfgError.self) {
                try await world.b.get(key, in: world.config, at: nil, consistency: .strong)
            }
        }
        #expect(error?.code == .configNotFound)
    }

    @Test("A config whose log has ended is told to be gone once its record is marked")
    func endedLog() async throws {
        let world = try await TornWorld(config: ConfigName("team"))
        let (found, _) = try await world.whileCommitting(
            showing: { $0.revision != nil }, of: { try await world.first.removeConfig(world.config) }
        ) {
            await #expect(throws: DiscfgError.self) { try await world.second.tail(of: world.config) }
            return try await world.second.config(world.config)
        }
        #expect(found == nil)
    }
}
