import DiscfgCore
import DiscfgTestSupport
import Testing

@testable import DiscfgNotifications

/// A store, a clock that stands still, a sender that records, and a notifier between them.
struct Bench: Sendable {
    static let queue = "sqs:https://sqs.eu-west-1.amazonaws.com/123456789012/queue"

    let engine: any StorageEngine
    let clock: TestClock
    let service: ConfigService
    let sender: RecordingSender
    let notifier: Notifier
    let log = LogCapture()
    let config: ConfigName

    /// A bench whose config has the revision 1; refused notifications pause for ten seconds times the number of tries.
    init(
        _ engine: any StorageEngine = MemoryEngine(), clock: TestClock = TestClock(),
        sender: RecordingSender = RecordingSender(), time: TimeSource? = nil,
        options: @Sendable (inout Notifier.Options) -> Void = { _ in }
    ) async throws {
        self.engine = engine
        self.clock = clock
        self.sender = sender
        service = ConfigService(engine: engine, options: .init(time: time ?? clock.steadySource), logger: log.logger)
        notifier = Self.notifier(service, sender, log, options)
        config = try ConfigName("shop")
        if try await engine.config(config) == nil {
            _ = try await service.createConfig(config, settings: ConfigSettings(), author: "")
        }
    }

    /// Another notifier on the same store, as another process would have it.
    func another(
        sender: RecordingSender? = nil, options: (inout Notifier.Options) -> Void = { _ in }
    ) -> Notifier {
        let service = ConfigService(engine: engine, options: .init(time: clock.steadySource), logger: log.logger)
        return Self.notifier(service, sender ?? self.sender, log, options)
    }

    private static func notifier(
        _ service: ConfigService, _ sender: RecordingSender, _ log: LogCapture,
        _ change: (inout Notifier.Options) -> Void
    ) -> Notifier {
        var options = Notifier.Options()
        options.pause = { .seconds(10 * $0) }
        change(&options)
        return Notifier(service: service, sender: sender, options: options, logger: log.logger)
    }

    /// Adds a rule whose target is a queue.
    @discardableResult
    func add(_ id: String = "r", prefix: String = "/", withValues: Bool = false, after: Revision? = nil) async throws
        -> NotificationRule
    {
        let rule = try NotificationRule(
            id: id, to: NotificationTarget(Self.queue), prefix: prefix, withValues: withValues, after: after)
        return try await notifier.addNotification(rule, to: config)
    }

    /// Commits one value for each key; returns the revision.
    @discardableResult
    func set(_ keys: String..., to value: Value = Value("SECRET"), author: String = "ann", message: String = "why")
        async throws -> Revision
    {
        let operations = try keys.map { Operation.set(try Key(path: $0), value) }
        return try await service.commit(Transaction(then: operations, author: author, message: message), to: config)
            .revision
    }

    @discardableResult
    func deliver() async throws -> Notifier.Outcome { try await notifier.deliver(in: config) }

    /// What is told of a rule.
    func status(_ id: String = "r") async throws -> NotificationStatus {
        try #require(try await notifier.notifications(of: config).first { $0.rule.id == id })
    }

    /// What is kept of how far a rule has come.
    func state(_ id: String = "r") async throws -> DeliveryState? {
        let record = try #require(try await engine.config(config))
        let rule = try #require(record.settings.notifications.first { $0.id == id })
        return try await engine.cell(DeliveryState.cellName(of: rule), in: config)
            .flatMap { DeliveryState($0, of: rule, log: record.tail.incarnation) }
    }
}

/// Waits until a condition holds; a test that waits in vain ends by its time limit.
func eventually(_ condition: () async throws -> Bool) async throws {
    // What is awaited is in another task or thread, and cannot call back.
    while try await !condition() { try await Task.sleep(for: .milliseconds(2)) }
}

/// The `DiscfgError` that a call throws.
func failure<Result>(
    _ code: DiscfgError.Code, sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> Result
) async throws -> DiscfgError {
    let error = await #expect(throws: DiscfgError.self, sourceLocation: sourceLocation) { _ = try await body() }
    #expect(error?.code == code, sourceLocation: sourceLocation)
    return try #require(error, sourceLocation: sourceLocation)
}
