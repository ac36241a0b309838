@testable import DiscfgCore
import DiscfgTestSupport
import Testing

/// Services that answer from memory, beside one that asks the store each time: the same questions must have the same answers.
@Suite("Views answer as the store does")
struct ViewDifferentialTests {
    static let seed = UInt64.random(in: 0...UInt64.max)

    /// Three services on one store, of which two have views; one of those has hardly any memory.
    struct World {
        let clock = TestClock()
        let store: ConfigService
        let services: [ConfigService]
        var random: SeededGenerator

        init(seed: UInt64) {
            let engine = MemoryEngine()
            let clock = clock
            store = ConfigService.viewing(engine, memory: 0, clock: clock)
            services = [
                ConfigService.viewing(engine, clock: clock), .viewing(engine, memory: 30_000, clock: clock), store,
            ]
            random = SeededGenerator(seed: seed)
        }

        mutating func key() throws -> Key {
            let names = ["/a", "/a/b", "/a/b/c", "/d/", "/e/f", "bare"]
            let name = names[Int.random(in: 0..<names.count, using: &random)]
            return try Key(bytes: Array("\(name)\(Int.random(in: 0..<12, using: &random))".utf8))
        }

        mutating func operation() throws -> DiscfgCore.Operation {
            switch Int.random(in: 0..<10, using: &random) {
            case 0: return .delete(try key())
            case 1: return .deleteAll(.range(.prefix(Array(try key().bytes.dropLast()))))
            case 2: return .set(try key(), Value("t"), expiry: .after(.seconds(Int.random(in: 1...20, using: &random))))
            case 3: return .get(try key())
            case 4: return .getAll(.prefix(Array("/a".utf8)))
            default:
                let length = Int.random(in: 0..<400, using: &random)
                return .set(try key(), Value(String(repeating: "v", count: length)))
            }
        }

        mutating func transaction() throws -> Transaction {
            var preconditions: [Precondition] = []
            if Int.random(in: 0..<3, using: &random) == 0 {
                preconditions = [Precondition(try key(), .version(Int64.random(in: 0...2, using: &random)))]
            }
            return Transaction(
                if: preconditions, then: try (0..<Int.random(in: 1...4, using: &random)).map { _ in try operation() },
                else: [try operation()])
        }
    }

    @Test("The same answers at every revision, also while memory is short", arguments: 0..<4 as Range<UInt64>)
    func agree(run: UInt64) async throws {
        let seed = Self.seed &+ run
        var world = World(seed: seed)
        for service in world.services { try await service.loadNow(.default) }
        for step in 0..<300 {
            let writer = world.services[Int.random(in: 0..<3, using: &world.random)]
            let transaction = try world.transaction()
            _ = try? await writer.commit(transaction, to: .default)
            if step % 40 == 39 { world.clock.advance(by: .seconds(Int.random(in: 1...90, using: &world.random))) }
            if step == 150 { _ = try await writer.compact(.default, keeping: .through(60)) }
            let tail = try await world.store.tail(of: .default)
            let revision =
                Bool.random(using: &world.random)
                ? nil : Revision.random(in: 0...tail.revision + 2, using: &world.random)
            let (key, limit) = (try world.key(), Int.random(in: 1...20, using: &world.random))
            for service in world.services.dropLast() {
                let note: Comment = "seed \(seed), step \(step)"
                await expect(note, service, world.store) { try await $0.tail(of: .default) }
                await expect(note, service, world.store) {
                    try await $0.get(key, in: .default, at: revision, consistency: .strong)
                }
                await expect(note, service, world.store) {
                    try await $0.range(RangeQuery(.all, at: revision, limit: limit), in: .default)
                }
                await expect(note, service, world.store) {
                    try await $0.list(ListQuery("/a", at: revision, limit: limit, consistency: .strong), in: .default)
                }
                await expect(note, service, world.store) {
                    try await $0.changes(ChangesQuery(after: revision ?? tail.trimmed), in: .default)
                }
            }
        }
    }

    /// Expects the same answer, or an error with the same code and text.
    private func expect<Answer: Equatable & Sendable>(
        _ note: Comment, _ service: ConfigService, _ store: ConfigService,
        _ ask: @Sendable (ConfigService) async throws -> Answer
    ) async {
        func outcome(_ service: ConfigService) async -> Result<Answer, DiscfgError> {
            do {
                return .success(try await ask(service))
            } catch let error as DiscfgError {
                return .failure(error)
            } catch {
                return .failure(DiscfgError(.internalError, "\(error)"))
            }
        }
        switch (await outcome(service), await outcome(store)) {
        case (.success(let answer), .success(let expected)): #expect(answer == expected, note)
        case (.failure(let error), .failure(let expected)): #expect(error.message == expected.message, note)
        case (let answer, let expected): Issue.record("\(answer) instead of \(expected): \(note)")
        }
    }
}
