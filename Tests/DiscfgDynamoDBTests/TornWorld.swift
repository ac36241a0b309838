import AWSClient
import DiscfgCore
import DiscfgDynamoDB
import DiscfgDynamoDBTestSupport
import DynamoDBPatternsTesting
import Logging
import Synchronization

/// Two processes on one table, and a way to hold a transaction while some of its items are visible and others are not.
struct TornWorld: Sendable {
    let gate: CommitGate
    let slow: ItemByItemDynamoDB
    let store: InProcessDynamoDB
    let (first, second): (DynamoDBEngine, DynamoDBEngine)
    let (a, b): (ConfigService, ConfigService)
    let config: ConfigName
    private let looks: Looks

    /// How many requests the second process has made.
    private final class Looks: Sendable {
        let count = Mutex(0)
    }

    /// The wall clock of the second process is ahead by a time. A config by another name than `default` is not created by those who find none.
    init(ahead skew: Duration = .zero, config: ConfigName = .default) async throws {
        self.config = config
        let looks = Looks()
        self.looks = looks
        let gate = CommitGate()
        self.gate = gate
        slow = ItemByItemDynamoDB(pause: { await CommitGate.pause() }, onCommit: { await gate.commit($0) })
        store = InProcessDynamoDB(slow)
        try await store.engine().manager.make()
        var time = TimeSource.system
        time.now = { TimeSource.system.now() + skew }
        let counting = DynamoDBEngine.Options(meter: { _ in looks.count.withLock { $0 += 1 } }, time: time)
        (first, second) = (store.engine(), store.engine(options: counting))
        (a, b) = (Self.service(first), Self.service(second))
        _ = try await a.createConfig(config, settings: ConfigSettings(), author: "")
    }

    static func service(_ engine: DynamoDBEngine) -> ConfigService {
        ConfigService(
            engine: engine, options: .init(pollInterval: .milliseconds(1) ... .milliseconds(5)),
            logger: Logger(label: "discfg.test") { _ in SwiftLogNoOpLogHandler() })
    }

    func set(
        _ path: String, _ text: String, expiry: DiscfgCore.Operation.Expiry = .never, by service: ConfigService
    ) async throws -> TransactionResult {
        try await service.commit(
            Transaction(then: [.set(Key(path: path), Value(text), expiry: expiry)]), to: config)
    }

    /// The keys below a directory with their texts, by a strongly consistent list.
    func list(_ directory: String, by service: ConfigService) async throws -> [String: String] {
        let page = try await service.list(
            ListQuery(directory, isRecursive: true, consistency: .strong), in: config)
        return Dictionary(page.items.map { ($0.key.description, $0.value.text ?? "") }) { first, _ in first }
    }

    /// What a service is told of after a revision.
    func changes(after revision: Revision, by service: ConfigService) async throws -> [Commit] {
        try await service.changes(ChangesQuery(after: revision), in: config).commits
    }

    /// Waits for what follows a revision by the second service, whose writer learns of it; returns once the service polls.
    func following(_ revision: Revision) async -> Task<Void, any Error> {
        let before = looks.count.withLock { $0 }
        let follower = Task { [b, config] in
            _ = try await b.changes(ChangesQuery(after: revision, wait: .seconds(60)), in: config)
        }
        while looks.count.withLock({ $0 }) < before + 4 { await CommitGate.pause() }
        return follower
    }

    /// Carries out `write`, and `body` while it is being committed and only what `shown` selects is visible.
    ///
    /// The transaction goes on when `body` has ended, or as soon as another call has met it: that one would wait.
    func whileCommitting<Result: Sendable, Written: Sendable>(
        showing shown: @escaping @Sendable (ItemByItemDynamoDB.Place) -> Bool,
        of write: @escaping @Sendable () async throws -> Written, _ body: () async throws -> Result
    ) async throws -> (result: Result, written: Written) {
        gate.hold(showing: shown)
        let writer = Task { try await write() }
        await gate.untilHeld()
        let before = slow.conflicts
        let releasing = Task { [slow, gate] in
            while slow.conflicts == before, !Task.isCancelled { await CommitGate.pause() }
            gate.release()
        }
        defer { releasing.cancel() }
        let result = try await body()
        gate.release()
        return (result, try await writer.value)
    }
}

/// Holds one transaction that appends to a log.
final class CommitGate: Sendable {
    private struct State {
        var shown: (@Sendable (ItemByItemDynamoDB.Place) -> Bool)?
        var isHeld = false
        var isReleased = false
    }

    private let state = Mutex(State())

    static func pause() async { try? await Task.sleep(for: .milliseconds(1)) }

    func hold(showing shown: @escaping @Sendable (ItemByItemDynamoDB.Place) -> Bool) {
        state.withLock { $0 = State(shown: shown) }
    }

    func release() { state.withLock { $0.isReleased = true } }

    func untilHeld() async {
        while !state.withLock(\.isHeld) { await Self.pause() }
    }

    func commit(_ commit: ItemByItemDynamoDB.Commit) async {
        guard commit.places.contains(where: { $0.revision != nil }) else { return }
        let shown = state.withLock { state in
            defer { state.shown = nil }
            return state.shown
        }
        guard let shown else { return }
        for place in commit.places where shown(place) { commit.show(place) }
        state.withLock { $0.isHeld = true }
        while !state.withLock(\.isReleased) { await Self.pause() }
    }
}

extension ItemByItemDynamoDB.Place {
    /// The revision of an entry of a log; `nil` for everything else.
    var revision: Revision? {
        guard key.partitionKind == "L" else { return nil }
        return key["sk"]?.binary?.reduce(0) { $0 << 8 | Revision($1) }
    }

    var isItem: Bool { key.partitionKind == "K" }
    var isLease: Bool { key.partitionKind == "E" }
}

extension [String: AttributeValue] {
    /// What the partition of a record's key holds: `L` the entries of a log, `K` items, `E` leases.
    var partitionKind: Substring? { self["pk"]?.string?.split(separator: "#").dropFirst(2).first }
}

/// A table whose transactions become visible item by item, in random order.
struct InProcessDynamoDBStore: Sendable {
    private let store: InProcessDynamoDB

    init(seed: UInt64) { store = InProcessDynamoDB(ItemByItemDynamoDB(seed: seed)) }

    func makeTable() async throws { try await store.engine().manager.make() }

    /// A service as a process of its own has it.
    func service() -> ConfigService { TornWorld.service(store.engine()) }
}
