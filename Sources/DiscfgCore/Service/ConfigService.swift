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
        /// The time between two looks at a log that somebody watches, for what other processes append.
        public var pollInterval: Duration
        /// The time, and waiting.
        public var time: TimeSource
        /// Where what the service counts goes.
        public var metricsFactory: any MetricsFactory

        public init(
            pollInterval: Duration = .milliseconds(50), time: TimeSource = .system,
            metricsFactory: any MetricsFactory = MetricsSystem.factory
        ) {
            self.pollInterval = pollInterval
            self.time = time
            self.metricsFactory = metricsFactory
        }
    }

    /// What the service keeps for a config that is in use.
    struct Lane: Sendable {
        let pipeline: CommitPipeline
        let follower: LogFollower
    }

    let engine: any StorageEngine
    let time: TimeSource
    let logger: Logger
    let metrics: ServiceMetrics
    private let pollInterval: Duration
    private let lanes = Mutex<[ConfigName: Lane]>([:])

    /// A service on an engine; call `prepare()` before anything else.
    public init(engine: any StorageEngine, options: Options = Options(), logger: Logger) {
        self.engine = engine
        self.time = options.time
        self.pollInterval = options.pollInterval
        self.metrics = ServiceMetrics(factory: options.metricsFactory)
        self.logger = logger
    }

    /// Makes the config `default`, which always exists, where it is missing.
    public func prepare() async throws {
        guard try await engine.config(.default) == nil else { return }
        do {
            _ = try await createConfig(.default, settings: ConfigSettings(), author: "")
        } catch let error as DiscfgError where error.code == .configExists {
            // Another process was first.
        }
    }

    func lane(_ config: ConfigName) -> Lane {
        lanes.withLock { lanes in
            if let lane = lanes[config] { return lane }
            let follower = LogFollower(interval: pollInterval, time: time) { [engine] in
                try await engine.tail(of: config).revision
            }
            let pipeline = CommitPipeline(config: config, engine: engine, time: time, metrics: metrics) {
                follower.announce($0)
            }
            let lane = Lane(pipeline: pipeline, follower: follower)
            lanes[config] = lane
            return lane
        }
    }

    private func describe(_ record: ConfigRecord) -> ConfigInfo {
        ConfigInfo(
            name: record.name, settings: record.settings, created: record.created, revision: record.tail.revision,
            modified: record.tail.time, oldest: record.tail.oldest, storage: engine.description)
    }
}

extension ConfigService: ConfigStore {
    public func configs() async throws -> [ConfigInfo] {
        var records: [ConfigRecord] = []
        while true {
            let page = try await engine.configs(after: records.last?.name, limit: 1000)
            records += page
            if page.isEmpty { return records.map(describe) }
        }
    }

    public func info(of config: ConfigName) async throws -> ConfigInfo {
        guard let record = try await engine.config(config) else { throw DiscfgError.noConfig(config) }
        return describe(record)
    }

    public func createConfig(_ name: ConfigName, settings: ConfigSettings, author: String) async throws -> ConfigInfo {
        try Transaction(then: [], author: author).validate()
        let commit = Commit(revision: 1, time: time.now(), author: author, message: "created", changes: [])
        try await engine.createConfig(name, settings: settings, first: commit)
        logger.info("config created", metadata: ["discfg.config": "\(name)"])
        return try await info(of: name)
    }

    public func updateConfig(_ name: ConfigName, patch: JSONValue) async throws -> ConfigInfo {
        while true {
            try Task.checkCancellation()
            let old = try await info(of: name).settings
            let new = try ConfigSettings(json: old.json.merging(patch))
            if try await engine.updateConfig(name, settings: new, replacing: old) { return try await info(of: name) }
        }
    }

    public func deleteConfig(_ name: ConfigName) async throws {
        guard name != .default else {
            throw DiscfgError.invalid(
                "The config “default” always exists and cannot be deleted.",
                hint: "Delete its keys with “discfg delete --prefix /”.")
        }
        guard try await engine.removeConfig(name) else { throw DiscfgError.noConfig(name) }
        lanes.withLock { $0[name] = nil }
        logger.info("config deleted", metadata: ["discfg.config": "\(name)"])
    }

    public func commit(_ transaction: Transaction, to config: ConfigName) async throws -> TransactionResult {
        try transaction.validate()
        do {
            return try await lane(config).pipeline.submit(transaction)
        } catch let error as DiscfgError where error.code == .configNotFound {
            // Whoever asks for names that there are not must not make us keep them.
            lanes.withLock { $0[config] = nil }
            throw error
        }
    }
}

extension Transaction {
    static let maximumOperations = 100_000

    /// Checks what can be checked without a store.
    ///
    /// - Throws: `DiscfgError` with code `tooLarge` or `invalidRequest`.
    func validate() throws(DiscfgError) {
        guard message.utf8.count <= 1024 else {
            throw DiscfgError(
                .tooLarge, "The message has \(message.utf8.count) bytes; the most is 1024.", hint: "Shorten it.")
        }
        guard author.utf8.count <= 256 else {
            throw DiscfgError(
                .tooLarge, "The author has \(author.utf8.count) bytes; the most is 256.", hint: "Shorten it.")
        }
        guard preconditions.count + success.count + failure.count <= Self.maximumOperations else {
            throw DiscfgError(
                .tooLarge, "The transaction has more than \(Self.maximumOperations) conditions and operations.",
                hint: "Split it into smaller ones.")
        }
        for operation in success + failure {
            guard case .set(_, let value, let expiry) = operation else { continue }
            try value.validate()
            if case .after(let duration) = expiry, duration <= .zero {
                throw .invalid(
                    "A time to live of \(duration) is not positive.", hint: "Give a duration such as 30s, or none.")
            }
        }
    }
}
