import AWSClient
import DiscfgCore
import DiscfgDynamoDB
import DiscfgDynamoDBTestSupport
import DynamoDBPatterns
import DynamoDBPatternsTesting
import Synchronization
import Testing

@Suite("What the engine makes of lost answers, cancellation, removed configs and sleep")
struct InProcessFaultTests {
    private let config: ConfigName

    init() throws { config = try ConfigName("app") }

    /// A store with a config that has the key `/k`.
    private func store() async throws -> InProcessDynamoDB {
        let store = InProcessDynamoDB()
        try await store.engine().manager.make()
        let service = TornWorld.service(store.engine())
        _ = try await service.createConfig(config, settings: ConfigSettings(), author: "")
        _ = try await service.commit(
            Transaction(then: [.set(Key(path: "/k"), Value("secret"))]), to: config)
        return store
    }

    @Test("Settings that were replaced by a try whose answer was lost count as replaced")
    func lostSettings() async throws {
        let store = try await store()
        let engine = store.engine {
            FaultyDynamoDB($0, plan: .at(call: 1, .lostReplyThenRetried).where { $0.operation == .updateItem })
        }
        var settings = ConfigSettings()
        settings.retention.revisions = 77
        #expect(try await engine.updateConfig(config, settings: settings, replacing: ConfigSettings()))
        #expect(try await engine.config(config)?.settings.retention.revisions == 77)
        #expect(try await !engine.updateConfig(config, settings: settings, replacing: ConfigSettings()))
    }

    @Test("Keys of a removed config are not served while the purge has not come to them")
    func removedConfig() async throws {
        let store = try await store()
        let key = try Key(path: "/k")
        let reader = store.engine()
        #expect(try await reader.items([key], in: config, consistency: .eventual).items.count == 1)
        let remover = store.engine {
            FaultyDynamoDB($0, plan: .random(percent: 100, faults: [.notSent]).where { $0.operation == .deleteItem })
        }
        _ = try? await remover.removeConfig(config)
        // It looks at the config's record once.
        #expect(try await reader.config(config) == nil)
        for engine in [remover, reader, store.engine()] {
            for consistency in [Consistency.strong, .eventual] {
                await #expect { try await engine.items([key], in: config, consistency: consistency) } throws: {
                    ($0 as? DiscfgError)?.code == .configNotFound
                }
                await #expect {
                    try await engine.items(.all, in: config, limit: 10, values: true, consistency: consistency)
                } throws: {
                    ($0 as? DiscfgError)?.code == .configNotFound
                }
            }
        }
    }

    @Test("A reader that knows a config finds within ten seconds that it was removed")
    func removedByOthers() async throws {
        let store = try await store()
        let key = try Key(path: "/k")
        let now = Mutex(TimeSource.system.now())
        let time = TimeSource(now: { now.withLock { $0 } }, sleep: TimeSource.system.sleep)
        let readers = (0..<2).map { _ in store.engine(options: .init(time: time)) }
        for reader in readers {
            #expect(try await reader.items([key], in: config, consistency: .eventual).items.count == 1)
        }
        let remover = store.engine {
            FaultyDynamoDB($0, plan: .random(percent: 100, faults: [.notSent]).where { $0.operation == .deleteItem })
        }
        #expect(try await remover.removeConfig(config))
        now.withLock { $0 = $0 + .seconds(10) }
        await #expect { try await readers[0].items([key], in: config, consistency: .eventual) } throws: {
            ($0 as? DiscfgError)?.code == .configNotFound
        }
        await #expect {
            try await readers[1].items(.all, in: config, limit: 10, values: true, consistency: .eventual)
        } throws: {
            ($0 as? DiscfgError)?.code == .configNotFound
        }
    }

    @Test("A config that is made again has none of the keys of the one before, and can set them")
    func madeAgain() async throws {
        let store = try await store()
        let key = try Key(path: "/k")
        let replica = Replica()
        let service = TornWorld.service(store.engine { StaleDynamoDB(base: $0, replica: replica) })
        #expect(try await service.get(key, in: config).item.value.text == "secret")
        replica.isBehind.withLock { $0 = true }
        try await service.deleteConfig(config)
        _ = try await service.createConfig(config, settings: ConfigSettings(), author: "")
        await #expect { try await service.get(key, in: config, at: nil, consistency: .eventual) } throws: {
            ($0 as? DiscfgError)?.code == .keyNotFound
        }
        let result = try await service.commit(Transaction(then: [.set(key, Value("new"))]), to: config)
        #expect(result.outcomes.first?.item?.version == 1)
        #expect(try await service.get(key, in: config).item.value.text == "new")
    }

    @Test("A read that began before a commit of the same process was visible does not call the key absent afterwards")
    func readBesideCommit() async throws {
        let world = try await TornWorld()
        let (key, reading) = (try Key(path: "/k"), CallGate())
        let engine = world.store.engine { HeldReads(base: $0, gate: reading) }
        world.gate.hold(showing: { $0.revision != nil })
        let writer = Task { try await world.set("/k", "1", by: TornWorld.service(engine)) }
        await world.gate.untilHeld()
        let reader = Task {
            let tail = try await engine.tail(of: .default).revision
            return (tail, try await engine.items([key], in: .default, consistency: .strong).items[key])
        }
        await reading.untilReached()
        world.gate.release()
        let revision = try await writer.value.revision
        reading.open()
        let (tail, item) = try await reader.value
        #expect(tail == revision)
        #expect(item?.modified == revision)
    }

    /// A write of the storage seam other than `append`.
    enum Write: CaseIterable {
        case createConfig, updateConfig, removeConfig, createLease, endLease, removeLease, replaceCell, trim

        /// Carries it out; the config has a lease 5, which is ending for `removeLease`, and the revisions 1 and 2.
        func callAsFunction(on engine: DynamoDBEngine, _ config: ConfigName) async throws -> Bool {
            let now = TimeSource.system.now()
            switch self {
            case .createConfig:
                let first = Commit(revision: 1, time: now, author: "", message: "", changes: [])
                try await engine.createConfig(ConfigName("new"), settings: ConfigSettings(), first: first)
                return true
            case .updateConfig:
                var settings = ConfigSettings()
                settings.retention.revisions = 77
                return try await engine.updateConfig(config, settings: settings, replacing: ConfigSettings())
            case .removeConfig: return try await engine.removeConfig(config)
            case .createLease:
                return try await engine.createLease(Lease(id: 6, ttl: .seconds(60), expiry: now), in: config)
            case .endLease: return try await engine.endLease(5, in: config, ifUnchanged: nil) != nil
            case .removeLease:
                try await engine.removeLease(5, generation: nil, in: config)
                return true
            case .replaceCell: return try await engine.replaceCell("name", with: [1], version: 0, in: config)
            case .trim: return try await engine.trim(config, through: 2, keepingSince: now + .seconds(60))
            }
        }

        /// Whether the store has it.
        func isDone(in engine: DynamoDBEngine, _ config: ConfigName) async throws -> Bool {
            switch self {
            case .createConfig: try await engine.config(ConfigName("new")) != nil
            case .updateConfig: try await engine.config(config)?.settings.retention.revisions == 77
            case .removeConfig: try await engine.config(config) == nil
            case .createLease: try await engine.lease(6, in: config) != nil
            case .endLease: try await engine.lease(5, in: config)?.isEnding == true
            case .removeLease: try await engine.lease(5, in: config) == nil
            case .replaceCell: try await engine.cell("name", in: config)?.bytes == [1]
            case .trim: try await engine.tail(of: config).trimmed == 2
            }
        }
    }

    @Test("A write that is under way is finished although its task is cancelled", arguments: Write.allCases)
    func cancelled(write: Write) async throws {
        let store = try await store()
        let plain = store.engine()
        _ = try await TornWorld.service(plain).grantLease(5, ttl: .seconds(60), in: config)
        if write == .removeLease { _ = try await plain.endLease(5, in: config, ifUnchanged: nil) }
        #expect(try await !write.isDone(in: store.engine(), config))
        let gate = CallGate()
        let engine = store.engine { GatedDynamoDB(base: $0, gate: gate) }
        let config = config
        let writer = Task { try await write(on: engine, config) }
        await gate.untilReached()
        writer.cancel()
        gate.open()
        #expect(try await writer.value)
        #expect(try await write.isDone(in: store.engine(), config))
    }

    @Test("After a sleep that only the clock on the wall shows, an append looks at the config's record first")
    func sleep() async throws {
        let store = try await store()
        let now = Mutex(TimeSource.system.now())
        let requests = Mutex(0)
        let options = DynamoDBEngine.Options(
            meter: { _ in requests.withLock { $0 += 1 } },
            time: TimeSource(now: { now.withLock { $0 } }, sleep: TimeSource.system.sleep))
        let engine = store.engine(options: options)
        let tail = try await engine.tail(of: config)
        var counts: [Int] = []
        for step in 1...3 {
            if step == 3 { now.withLock { $0 = $0 + .seconds(8 * 86_400) } }
            requests.withLock { $0 = 0 }
            let commit = Commit(
                revision: tail.revision + Int64(step), time: tail.time, author: "", message: "", changes: [])
            #expect(try await engine.append([commit], to: config, incarnation: tail.incarnation) == .appended)
            counts.append(requests.withLock { $0 })
        }
        #expect(counts == [1, 1, 2])
    }
}

/// Stops a call until a test lets it go on.
private final class CallGate: Sendable {
    private let state = Mutex((isReached: false, isOpen: false))

    func open() { state.withLock { $0.isOpen = true } }

    func untilReached() async {
        while !state.withLock(\.isReached) { await CommitGate.pause() }
    }

    func pass() async {
        state.withLock { $0.isReached = true }
        while !state.withLock(\.isOpen) { await Task.yield() }
    }
}

/// A DynamoDB whose writes wait, and are not carried out in a task that is cancelled.
private struct GatedDynamoDB: DynamoDBDecorator {
    let base: any DynamoDBAPI
    let gate: CallGate

    func around<Answer: Sendable>(
        _ call: DynamoDBCall, _ carryOut: () async throws -> Answer
    ) async throws -> Answer {
        guard call.isWrite else { return try await carryOut() }
        await gate.pass()
        try Task.checkCancellation()
        return try await carryOut()
    }
}

/// A DynamoDB whose answers for single keys wait.
private struct HeldReads: DynamoDBDecorator {
    let base: any DynamoDBAPI
    let gate: CallGate

    func getItem(_ request: GetItemRequest) async throws -> GetItemResponse {
        let answer = try await base.getItem(request)
        if request.key.partitionKind == "K" { await gate.pass() }
        return answer
    }
}

/// The replica of which eventually consistent reads of single items are answered.
private final class Replica: Sendable {
    let isBehind = Mutex(false)
    let items = Mutex<[[String: AttributeValue]: GetItemResponse]>([:])
}

/// A DynamoDB whose eventually consistent reads of single items stop to change when its replica falls behind.
private struct StaleDynamoDB: DynamoDBDecorator {
    let base: any DynamoDBAPI
    let replica: Replica

    func getItem(_ request: GetItemRequest) async throws -> GetItemResponse {
        if request.consistentRead == true { return try await base.getItem(request) }
        if replica.isBehind.withLock({ $0 }), let old = replica.items.withLock({ $0[request.key] }) { return old }
        let answer = try await base.getItem(request)
        replica.items.withLock { $0[request.key] = answer }
        return answer
    }
}
