public import Logging
public import Metrics

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
        /// Describes the store, and does its periodic work; `nil` for a store without either, such as memory.
        public var administration: (any StoreAdministration)?
        /// The time, and waiting.
        public var time: TimeSource
        /// Where what the service counts goes.
        public var metricsFactory: any MetricsFactory
        /// By when the store must have answered the writes of a task.
        public var writeDeadline: WriteDeadline
        /// The bytes that loaded configs may take in memory together, about; 0 loads none, and every read asks the store.
        ///
        /// For a process that runs long enough to read a config many times.
        public var viewMemory: Int
        /// How old a commit must be before compaction removes it from the store.
        ///
        /// Watchers in other processes that were not told of it yet can still read it. It is far longer than `pollInterval`.
        package var compactionDelay: Duration = Self.standardCompactionDelay

        private static let standardCompactionDelay: Duration = .seconds(60)

        /// The longest `pollInterval` with which a watcher reads every commit before compaction may remove it, also if some looks fail.
        public static let maximumPollInterval: Duration = standardCompactionDelay / 6

        /// Options of a service that keeps no items in memory, as commands and Lambda use it, except for what is given.
        public init(
            pollInterval: ClosedRange<Duration>? = nil, administration: (any StoreAdministration)? = nil,
            time: TimeSource = .system, metricsFactory: any MetricsFactory = MetricsSystem.factory,
            writeDeadline: WriteDeadline = .none, viewMemory: Int = 0
        ) {
            self.pollInterval = pollInterval
            self.administration = administration
            self.time = time
            self.metricsFactory = metricsFactory
            self.writeDeadline = writeDeadline
            self.viewMemory = viewMemory
        }
    }

    /// What the service keeps for a config that is in use.
    let engine: any StorageEngine
    /// Describes the store, and does its periodic work.
    let administration: (any StoreAdministration)?
    /// The engine as it was given, on which `default` may be missing.
    let storage: any StorageEngine
    /// How far the logs of deleted configs came.
    let endedLogs: EndedLogs
    package let time: TimeSource
    let logger: Logger
    let metrics: ServiceMetrics
    let viewMetrics: ViewMetrics
    let expiryCount = ExpiryCount()
    /// How many keys and directories this process has removed because their time was over.
    public var expirations: Int { expiryCount.value }
    /// The configs of which a revision that is a multiple of a hundred was committed here, for whoever keeps the store tidy.
    let hundreds = AsyncStream<ConfigName>.makeStream(bufferingPolicy: .bufferingNewest(64))
    let compactionDelay: Duration
    let viewMemory: ViewMemory
    private let pollInterval: ClosedRange<Duration>
    private let writeDeadline: WriteDeadline
    private let active = ActiveConfigs()

    /// A service on an engine.
    public init(engine: any StorageEngine, options: Options = Options(), logger: Logger) {
        let defaultEngine = DefaultConfigEngine(engine: engine, time: options.time) {
            [weak active] in active?[$0]?.view
        }
        self.engine = defaultEngine
        self.administration = options.administration
        self.storage = engine
        self.endedLogs = EndedLogs(engine: defaultEngine)
        self.time = options.time
        self.pollInterval = options.pollInterval ?? engine.traits.pollInterval
        self.metrics = ServiceMetrics(factory: options.metricsFactory)
        self.viewMetrics = ViewMetrics(factory: options.metricsFactory)
        self.viewMemory = ViewMemory(
            limit: options.viewMemory, engine: defaultEngine, time: options.time, metrics: viewMetrics)
        self.logger = logger
        self.writeDeadline = options.writeDeadline
        self.compactionDelay = options.compactionDelay
    }

    /// What is kept for a config that was written, watched or loaded in this process; `nil` for others.
    func existing(_ config: ConfigName) -> ActiveConfig? { active[config] }

    /// What is kept for a config, from now on.
    func active(_ config: ConfigName) -> ActiveConfig { active.config(config) { activate(config) } }

    private func activate(_ config: ConfigName) -> ActiveConfig {
        let view = ConfigView(config: config, engine: engine, time: time, metrics: viewMetrics) { [weak viewMemory] in
            viewMemory?.noteGrowth($0)
        }
        let follower = LogFollower(view: view, pace: pollInterval, time: time) { [engine] revision, incarnation in
            try await engine.log(
                of: config, after: revision, limit: 1000, incarnation: incarnation, consistency: .eventual)
        }
        let pipeline = CommitPipeline(view: view, time: time, metrics: metrics, deadline: writeDeadline) {
            [expiryCount] commits in
            expiryCount.note(commits)
        } published: {
            follower.wake()
        } hundredth: { [hundreds] in
            hundreds.continuation.yield(config)
        }
        return ActiveConfig(view: view, pipeline: pipeline, follower: follower)
    }

    /// Forgets what is kept for a config that is gone, so that requests for names that do not exist take no memory.
    func forget(_ config: ConfigName) {
        active.remove(config)
        viewMemory.forget(config)
    }

    private func describe(_ record: ConfigRecord, in storage: StorageDescription) -> ConfigInfo {
        ConfigInfo(
            name: record.name, settings: record.settings, created: record.created, revision: record.tail.revision,
            modified: record.tail.time, oldest: record.tail.oldest, storage: storage, log: record.tail.incarnation)
    }
}

extension ConfigService: ConfigStore {
    /// Reads the configs from the engine, 1000 at a time.
    public func configs() async throws -> [ConfigInfo] {
        let names = Set(try await configNames()).union([.default]).sorted()
        return try await names.concurrently(atMost: 8) { name -> ConfigInfo? in
            do {
                // Reading the record of `default` creates it.
                return try await self.engine.config(name).map { self.describe($0, in: self.engine.description) }
            } catch let error as DiscfgError where error.code == .configNotFound {
                // The config was removed since its name was read.
                return nil
            }
        }.compactMap { $0 }
    }

    /// Reads the config's record and the description of its store.
    public func info(of config: ConfigName) async throws -> ConfigInfo {
        guard let record = try await engine.config(config) else { throw DiscfgError.noConfig(config) }
        return describe(record, in: try await administration?.status() ?? engine.description)
    }

    /// Reads the end of the log; one request of a table.
    public func revision(of config: ConfigName) async throws -> Revision {
        try await engine.tail(of: config).revision
    }

    /// Creates the config; its first revision is after those of an earlier config of this name.
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

    /// Merges the patch into the settings, again if others change them meanwhile.
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
                    hint: "Give it one to be signed with; “discfg notify add” makes one."
                ).overHTTP("Give it one to be signed with, as “secret”.")
            }
            guard rule.after ?? 0 <= revision else {
                throw .invalid(
                    "The notification “\(rule.id)” is to begin after revision \(rule.after ?? 0), which is not there yet.",
                    hint: "Leave out “after” to begin with the next change; the config is at \(revision).")
            }
            settings.notifications[index].after = rule.after ?? revision
        }
        if let name = settings.store.keys.min(), !engine.traits.hasSettings {
            throw DiscfgError(
                .unsupported, "The store “\(engine.description.name)” has no setting “\(name)”.",
                hint: "Leave it out, or use a kind of store that has it.")
        }
    }

    /// Checks settings as a remote engine sends them, which are kept as they are.
    ///
    /// - Throws: `invalidRequest` or `unsupported` for settings that no service keeps.
    func check(_ settings: ConfigSettings, at revision: Revision) throws(DiscfgError) {
        var completed = settings
        try complete(&completed, replacing: settings, at: revision)
    }

    /// Deletes the config with its history; throws `invalidRequest` for `default`, which always exists.
    public func deleteConfig(_ name: ConfigName) async throws {
        guard name != .default else {
            throw DiscfgError.invalid(
                "The config “default” always exists and cannot be deleted.",
                hint: "Delete its keys with “discfg delete --prefix /”."
            ).overHTTP("Delete its keys with DELETE /v1/default/keys/?recursive.")
        }
        // Also after an error: the config may be gone all the same.
        defer { forget(name) }
        try await endedLogs.note(name)
        guard try await engine.removeConfig(name) else { throw DiscfgError.noConfig(name) }
        logger.info("config deleted", metadata: ["discfg.config": "\(name)"])
    }

    /// Checks the transaction, and appends it together with others that wait; throws `overloaded` if too many wait.
    public func commit(_ transaction: Transaction, to config: ConfigName) async throws -> TransactionResult {
        try await LongWork.run(onBytes: transaction.jsonBytes) { _ throws(DiscfgError) in try transaction.validate() }
        // Before anything is read for it.
        let most = max(transaction.success.settingKeys.count, transaction.failure.settingKeys.count)
        if most > engine.limits.changes { throw active(config).pipeline.tooLarge(changes: most) }
        return try await submit(transaction, to: config)
    }

    /// Carries out a proposal on a config; once it is in line, also if the caller's task is cancelled.
    package func submit<P: Proposal>(_ proposal: P, to config: ConfigName) async throws -> P.Outcome {
        let active = active(config)
        do {
            let outcome = try await active.pipeline.submit(proposal)
            load(config, into: active.view)
            return outcome
        } catch let error as DiscfgError where error.code == .configNotFound {
            forget(config)
            throw error
        }
    }

    /// Loads a config, if this process loads configs: from then on reads are answered from memory.
    ///
    /// - Throws: What the store throws; a config that does not fit, or is being loaded already, is no error.
    package func loadNow(_ config: ConfigName) async throws {
        try await viewMemory.loadNow(config) { self.active(config).view }
    }

    /// Loads a config in the background, if that is meant to be and was not done.
    func load(_ config: ConfigName, into view: ConfigView? = nil) {
        guard viewMemory.isEnabled, view.map({ !$0.isLoaded }) ?? true else { return }
        viewMemory.load(config) { self.active(config).view }
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
