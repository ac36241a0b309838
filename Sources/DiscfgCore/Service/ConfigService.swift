public import Logging
public import Metrics
import Synchronization

/// Configs on a storage engine: the one place where discfg's rules are carried out.
///
/// Preconditions, versions, expiry, history, rollback, watching and group commit are written here once, above the engines.
/// One service is meant to be made for each store and process; it can be used from any number of tasks.
public final class ConfigService: Sendable {
    /// How a service behaves.
    public struct Options: Sendable {
        /// The time between two looks at a watched log: right after something was found, and after a while of nothing.
        ///
        /// It is for what other processes append; `nil` for what the engine says.
        public var pollInterval: ClosedRange<Duration>?
        /// The time, and waiting.
        public var time: TimeSource
        /// Where what the service counts goes.
        public var metricsFactory: any MetricsFactory
        /// By when the store must have answered the writes of a task.
        public var writeDeadline: WriteDeadline
        /// How old a commit must be before compaction removes it from the store.
        ///
        /// Watchers in other processes that were not told of it yet can still read it. It is far longer than `pollInterval`.
        package var compactionDelay: Duration = Self.standardCompactionDelay

        private static let standardCompactionDelay: Duration = .seconds(60)

        /// The longest `pollInterval` with which a watcher reads every commit before compaction may remove it, also if some looks fail.
        public static let maximumPollInterval: Duration = standardCompactionDelay / 6

        public init(
            pollInterval: ClosedRange<Duration>? = nil, time: TimeSource = .system,
            metricsFactory: any MetricsFactory = MetricsSystem.factory, writeDeadline: WriteDeadline = .none
        ) {
            self.pollInterval = pollInterval
            self.time = time
            self.metricsFactory = metricsFactory
            self.writeDeadline = writeDeadline
        }
    }

    /// What the service keeps for a config that is in use.
    struct Lane: Sendable {
        let pipeline: CommitPipeline
        let follower: LogFollower
        let ownWrites: OwnWrites
        let leases = LeaseObservations()
    }

    let engine: any StorageEngine
    /// How far the logs of deleted configs came.
    let endedLogs: EndedLogs
    let time: TimeSource
    let logger: Logger
    let metrics: ServiceMetrics
    let expiryCount = ExpiryCount()
    /// The configs of which a revision that is a multiple of a hundred was committed here, for whoever keeps the store tidy.
    let hundreds = AsyncStream<ConfigName>.makeStream(bufferingPolicy: .bufferingNewest(64))
    let compactionDelay: Duration
    private let pollInterval: ClosedRange<Duration>
    private let writeDeadline: WriteDeadline
    private let lanes = Mutex<[ConfigName: Lane]>([:])

    /// A service on an engine.
    public init(engine: any StorageEngine, options: Options = Options(), logger: Logger) {
        let defaultEngine = DefaultConfigEngine(engine: engine, time: options.time)
        self.engine = defaultEngine
        self.endedLogs = EndedLogs(engine: defaultEngine)
        self.time = options.time
        self.pollInterval = options.pollInterval ?? engine.traits.pollInterval
        self.metrics = ServiceMetrics(factory: options.metricsFactory)
        self.logger = logger
        self.writeDeadline = options.writeDeadline
        self.compactionDelay = options.compactionDelay
    }

    /// The lane of a config that was written or watched in this process.
    func existingLane(_ config: ConfigName) -> Lane? { lanes.withLock { $0[config] } }

    func lane(_ config: ConfigName) -> Lane {
        lanes.withLock { lanes in
            if let lane = lanes[config] { return lane }
            let (ownWrites, memory) = (OwnWrites(time: time), WriterMemorySlot())
            let follower = LogFollower(pace: pollInterval, time: time) { [engine] revision, incarnation in
                let page = try await engine.log(
                    of: config, after: revision, limit: 1000, incarnation: incarnation, consistency: .eventual)
                memory.learn(page)
                return page
            }
            let pipeline = CommitPipeline(
                config: config, engine: engine, time: time, metrics: metrics, ownWrites: ownWrites, memory: memory,
                deadline: writeDeadline
            ) { [expiryCount] page in
                expiryCount.note(page.commits)
                follower.note(page)
            } hundredth: { [hundreds] in
                hundreds.continuation.yield(config)
            }
            let lane = Lane(pipeline: pipeline, follower: follower, ownWrites: ownWrites)
            lanes[config] = lane
            return lane
        }
    }

    /// Whoever asks for names that there are not must not make us keep them.
    func forget(_ config: ConfigName) { lanes.withLock { $0[config] = nil } }

    private func describe(_ record: ConfigRecord, in storage: StorageDescription) -> ConfigInfo {
        ConfigInfo(
            name: record.name, settings: record.settings, created: record.created, revision: record.tail.revision,
            modified: record.tail.time, oldest: record.tail.oldest, storage: storage, log: record.tail.incarnation)
    }
}

extension ConfigService: ConfigStore {
    public func configs() async throws -> [ConfigInfo] {
        var records: [ConfigRecord] = []
        while true {
            let page = try await engine.configs(after: records.last?.name, limit: 1000)
            records += page
            if page.isEmpty { return records.map { describe($0, in: engine.description) } }
        }
    }

    public func info(of config: ConfigName) async throws -> ConfigInfo {
        guard let record = try await engine.config(config) else { throw DiscfgError.noConfig(config) }
        return describe(record, in: try await engine.status())
    }

    public func revision(of config: ConfigName) async throws -> Revision {
        try await engine.tail(of: config).revision
    }

    public func createConfig(_ name: ConfigName, settings: ConfigSettings, author: String) async throws -> ConfigInfo {
        try Transaction(then: [], author: author).validate()
        let first = Commit.creation(by: author, at: time.now(), after: try await endedLogs.revision(of: name))
        var settings = settings
        try complete(&settings, replacing: ConfigSettings(), at: first.revision)
        try await engine.createConfig(name, settings: settings, first: first)
        logger.info("config created", metadata: ["discfg.config": "\(name)"])
        return try await afterWrite("The config “\(name)” was created, but cannot be read") {
            try await info(of: name)
        }
    }

    public func updateConfig(_ name: ConfigName, patch: JSONValue) async throws -> ConfigInfo {
        try await changeSettings(of: name) { settings in
            settings = try ConfigSettings(json: settings.json.merging(patch))
        }
        return try await afterWrite("The settings of config “\(name)” were changed, but cannot be read") {
            try await info(of: name)
        }
    }

    /// Replaces the settings of a config by what `change` makes of them, as often as others are first.
    ///
    /// - Returns: The settings as they are kept.
    /// - Throws: `configNotFound`, what the settings cannot be, and what `change` throws.
    @discardableResult
    package func changeSettings(
        of config: ConfigName, _ change: (inout ConfigSettings) throws -> Void
    ) async throws -> ConfigSettings {
        while true {
            try Task.checkCancellation()
            let record = try await record(of: config)
            var new = record.settings
            try change(&new)
            try complete(&new, replacing: record.settings, at: record.tail.revision)
            if try await engine.updateConfig(config, settings: new, replacing: record.settings) { return new }
        }
    }

    /// Checks settings that are to be kept, and notes from which revision on new notifications are sent.
    private func complete(
        _ settings: inout ConfigSettings, replacing earlier: ConfigSettings, at revision: Revision
    ) throws(DiscfgError) {
        try settings.restoreHiddenTargets(from: earlier)
        for index in settings.notifications.indices {
            let rule = settings.notifications[index]
            if case .webhook = rule.target, rule.secret == nil {
                throw .invalid(
                    "The notification “\(rule.id)” is a webhook without a secret.",
                    hint: "Give it one to be signed with; “discfg notify add” makes one.")
            }
            guard rule.after ?? 0 <= revision else {
                throw .invalid(
                    "The notification “\(rule.id)” is to begin after revision \(rule.after ?? 0), which is not there yet.",
                    hint: "Leave out “after” to begin with the next change; the config is at \(revision).")
            }
            settings.notifications[index].after = rule.after ?? revision
        }
        guard settings.capacity == nil || engine.traits.hasCapacity else {
            throw DiscfgError(
                .unsupported, "The store “\(engine.description.name)” has no throughput that could be set.",
                hint: "Leave out ReadCapacityUnits, WriteCapacityUnits and BillingMode, or use a dynamodb: store.")
        }
    }

    public func deleteConfig(_ name: ConfigName) async throws {
        guard name != .default else {
            throw DiscfgError.invalid(
                "The config “default” always exists and cannot be deleted.",
                hint: "Delete its keys with “discfg delete --prefix /”.")
        }
        // Also after an error: the config may be gone all the same.
        defer { forget(name) }
        try await endedLogs.note(name)
        guard try await engine.removeConfig(name) else { throw DiscfgError.noConfig(name) }
        logger.info("config deleted", metadata: ["discfg.config": "\(name)"])
    }

    public func commit(_ transaction: Transaction, to config: ConfigName) async throws -> TransactionResult {
        try transaction.validate()
        // Before anything is read for it.
        let most = max(transaction.success.settingKeys.count, transaction.failure.settingKeys.count)
        if most > engine.limits.changes { throw lane(config).pipeline.tooLarge(changes: most) }
        do {
            return try await lane(config).pipeline.submit(transaction)
        } catch let error as DiscfgError where error.code == .configNotFound {
            forget(config)
            throw error
        }
    }
}

extension [Operation] {
    /// The keys that are changed in any case.
    fileprivate var settingKeys: Set<Key> {
        Set(
            compactMap { operation in
                switch operation {
                case .set(let key, _, _), .patch(let key, _), .touch(let key, _): key
                case .delete, .deleteAll, .get, .getAll, .transaction, .fail: nil
                }
            })
    }
}

extension Transaction {
    static let maximumOperations = 100_000
    static let maximumDepth = 8

    /// Checks what can be checked without a store.
    ///
    /// - Throws: `DiscfgError` with code `tooLarge` or `invalidRequest`.
    package func validate(depth: Int = 1) throws(DiscfgError) {
        guard message.utf8.count <= 1024 else {
            throw DiscfgError(
                .tooLarge, "The message has \(message.utf8.count) bytes; the most is 1024.", hint: "Shorten it.")
        }
        guard author.utf8.count <= 256 else {
            throw DiscfgError(
                .tooLarge, "The author has \(author.utf8.count) bytes; the most is 256.", hint: "Shorten it.")
        }
        try validateCount()
        guard depth <= Self.maximumDepth else {
            throw DiscfgError(
                .tooLarge, "Transactions are nested more than \(Self.maximumDepth) deep.", hint: "Nest fewer of them.")
        }
        for operation in success + failure { try operation.validate(depth: depth) }
    }

    /// Checks how many conditions and operations there are.
    func validateCount() throws(DiscfgError) {
        guard preconditions.count + success.count + failure.count <= Self.maximumOperations else {
            throw DiscfgError(
                .tooLarge, "The transaction has more than \(Self.maximumOperations) conditions and operations.",
                hint: "Split it into smaller ones.")
        }
    }
}

extension Operation {
    fileprivate func validate(depth: Int) throws(DiscfgError) {
        switch self {
        case .set(_, let value, let expiry):
            try value.validate()
            try expiry.validate()
        case .touch(_, let expiry): try expiry.validate()
        case .transaction(let transaction): try transaction.validate(depth: depth + 1)
        case .patch, .delete, .deleteAll, .get, .getAll, .fail: break
        }
    }
}

extension Operation.Expiry {
    fileprivate func validate() throws(DiscfgError) {
        if case .after(let duration) = self, duration <= .zero {
            throw .invalid(
                "A time to live of \(duration) is not positive.", hint: "Give a duration such as 30s, or none.")
        }
    }
}
