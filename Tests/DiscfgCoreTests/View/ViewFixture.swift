@testable import DiscfgCore
import DiscfgTestSupport
import Synchronization

/// An engine that counts what is asked of it, and can be made to wait or fail before it answers for the end of a log.
final class CountingEngine: EngineWrapper {
    struct Counts: Equatable {
        var tails = 0
        var items = 0
        var logs = 0
        var histories = 0
    }

    let engine: any StorageEngine
    private let state = Mutex(Counts())
    private let beforeTail = Mutex<(@Sendable () async throws -> Void)?>(nil)

    init(_ engine: any StorageEngine = MemoryEngine()) { self.engine = engine }

    var counts: Counts { state.withLock { $0 } }

    func reset() { state.withLock { $0 = Counts() } }

    /// Runs before each answer for the end of a log, from now on.
    func beforeEachTail(_ body: (@Sendable () async throws -> Void)?) { beforeTail.withLock { $0 = body } }

    func tail(of config: ConfigName, knowing known: LogTail?) async throws -> LogTail {
        state.withLock { $0.tails += 1 }
        try await beforeTail.withLock { $0 }?()
        return try await engine.tail(of: config, knowing: known)
    }

    func items(_ keys: [Key], in config: ConfigName, consistency: Consistency) async throws -> ItemBatch {
        state.withLock { $0.items += 1 }
        return try await engine.items(keys, in: config, consistency: consistency)
    }

    func items(
        _ range: KeyRange, in config: ConfigName, limit: Int, values: Bool, consistency: Consistency
    ) async throws -> ItemPage {
        state.withLock { $0.items += 1 }
        return try await engine.items(range, in: config, limit: limit, values: values, consistency: consistency)
    }

    func log(
        of config: ConfigName, after: Revision, limit: Int, incarnation: String?, consistency: Consistency
    ) async throws -> LogPage {
        state.withLock { $0.logs += 1 }
        return try await engine.log(
            of: config, after: after, limit: limit, incarnation: incarnation, consistency: consistency)
    }

    func history(
        of config: ConfigName, selection: KeySelection, _ part: LogPart, limit: Int
    ) async throws -> HistoryPage {
        state.withLock { $0.histories += 1 }
        return try await engine.history(of: config, selection: selection, part, limit: limit)
    }
}

extension ConfigService {
    /// A service that answers reads from memory, if it has so much.
    static func viewing(
        _ engine: any StorageEngine, memory: Int = 64 << 20, clock: TestClock = TestClock()
    ) -> ConfigService {
        let time = TimeSource(
            now: { clock.now }, sleep: { try await Task.sleep(for: $0) }, instant: { clock.instant })
        return ConfigService(
            engine: engine, options: .init(time: time, viewMemory: memory), logger: LogCapture().logger)
    }

    func set(_ path: String, _ text: String, in config: ConfigName = .default) async throws {
        _ = try await commit(Transaction(then: [.set(Key(path: path), Value(text))]), to: config)
    }

    func text(_ path: String, at revision: Revision? = nil, in config: ConfigName = .default) async throws -> String? {
        do {
            let item = try await get(Key(path: path), in: config, at: revision, consistency: .strong).item
            return String(decoding: item.value.bytes, as: UTF8.self)
        } catch let error as DiscfgError where error.code == .keyNotFound {
            return nil
        }
    }
}
