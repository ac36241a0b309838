public import AWSClient
public import DiscfgCore

/// The distributed engine: configs in one DynamoDB table, which any number of processes may use at the same time.
///
/// A commit is one transaction: the log's next entry, which must not exist yet, and one write for each changed key. A
/// set costs one request and four write units if the process knows the config, otherwise one request more. A read of
/// one key costs half a unit, or one with strong consistency. docs/cost.md has all costs.
public final class DynamoDBEngine: StorageEngine {
    /// The options of an engine.
    public struct Options: Sendable {
        /// Gets the units that each request consumed.
        public var meter: @Sendable (ConsumedCapacity) -> Void
        /// Gets a sentence that describes each wait for the table to be created or changed.
        public var progress: @Sendable (String) -> Void
        /// The age from which a large value that nothing refers to is removed.
        public var orphanAge: Duration
        /// The interval of polling a watched log: right after commits were found, and after a while without any.
        public var pollInterval: ClosedRange<Duration>
        /// The time.
        public var time: TimeSource

        /// An engine's options with the intervals that docs/cost.md assumes, except for what is given.
        public init(
            meter: @escaping @Sendable (ConsumedCapacity) -> Void = { _ in },
            progress: @escaping @Sendable (String) -> Void = { _ in }, orphanAge: Duration = .seconds(3600),
            pollInterval: ClosedRange<Duration> = .milliseconds(200) ... .seconds(1), time: TimeSource = .system
        ) {
            self.meter = meter
            self.progress = progress
            self.orphanAge = orphanAge
            self.pollInterval = pollInterval
            self.time = time
        }
    }

    /// What the engine does itself, and how it is best used.
    public let traits: StorageTraits

    let table: Table
    let options: Options
    let known: KnownLogs
    let recent = RecentEntries()
    let blobs: BlobStore
    /// Creates, describes, changes and deletes the table itself.
    public let manager: TableManager

    /// An engine on a table, which need not exist yet.
    public convenience init(table: String, client: AWSClient, options: Options = Options()) {
        self.init(table: table, region: client.region, calls: DynamoDB(client), options: options)
    }

    /// An engine that sends its calls to `calls`.
    package init(table: String, region: String, calls: any TableCalls, options: Options = Options()) {
        self.table = Table(
            name: table, region: region, dynamoDB: calls, meter: options.meter, time: options.time)
        self.options = options
        // A transaction has at most one hundred actions. The first commit is one of them, and so is each lease to which
        // keys are newly attached.
        traits = StorageTraits(
            StorageDescription(name: "dynamodb", options: ["table": table, "region": region]),
            limits: StorageLimits(changes: 99, bytes: 4 << 20), readsTellTail: false,
            pollInterval: options.pollInterval, sweepInterval: .seconds(5), pageLength: 1000, hasSettings: true)
        known = KnownLogs(time: options.time)
        blobs = BlobStore(table: self.table, time: options.time, orphanAge: options.orphanAge)
        manager = TableManager(table: self.table, progress: options.progress, time: options.time)
    }

    func layout(_ config: ConfigName) -> TableLayout { TableLayout(config: config) }

    // MARK: Configs

    /// One transaction; creates the table first if it does not exist.
    public func createConfig(_ name: ConfigName, settings: ConfigSettings, first: Commit) async throws {
        let throughput = try TableThroughput(settings.store)
        try await table.finishing { try await self.make(name, settings: settings, throughput, first: first) }
    }

    private func make(
        _ name: ConfigName, settings: ConfigSettings, _ throughput: TableThroughput?, first: Commit
    ) async throws {
        let incarnation = String(options.time.random(), radix: 36)
        let record = StoredConfig.make(name, settings: settings, first: first, incarnation: incarnation)
        let layout = layout(name)
        let entry = CommitAttributes.make(first, key: layout.entry(first.revision, incarnation), blobs: [:])
        let catalogEntry = layout.catalogEntry.merging([Name.log: .string(incarnation)]) { $1 }
        let isAbsent = "attribute_not_exists(\(Name.partition))"
        var (hasMadeTable, isInDoubt) = (false, false)
        for _ in 0..<10 {
            do {
                try await table.transact([
                    .put(
                        .init(
                            tableName: table.name, item: record, conditionExpression: isAbsent,
                            returnValuesOnConditionCheckFailure: .allOld)),
                    .put(.init(tableName: table.name, item: catalogEntry)),
                    .put(.init(tableName: table.name, item: entry)),
                ])
                known.forget(name)
                guard !hasMadeTable, let throughput else { return }
                return try await afterWrite(
                    "The config “\(name)” was created, but the throughput of the table could not be changed",
                    hint: "Change it with “discfg cfg update \(name)”."
                ) { try await manager.change(to: throughput) }
            } catch let error as AWSError where error.code == .resourceNotFound && !hasMadeTable {
                try await manager.make(throughput ?? .onDemand)
                hasMadeTable = true
            } catch let error as AWSError where error.code == .transactionCanceled {
                isInDoubt = isInDoubt || error.mayHaveTakenEffect
                guard let found = error.cancellationReasons.first?.item else { throw table.translate(error) }
                let other = try await table.call { try StoredConfig(found) }
                // Our own record, written by an attempt whose answer was lost.
                if other.incarnation == incarnation { return known.forget(name) }
                guard other.isRemoved else {
                    throw DiscfgError(
                        .configExists, "There is a config named “\(name)” already.", hint: "Choose another name.")
                }
                try await purge(other)
            } catch let error as AWSError {
                throw table.translate(error)
            }
        }
        let others = "Others make or remove the config “\(name)” at the same time."
        guard isInDoubt else { throw DiscfgError(.storeUnavailable, others, hint: "Try again in a moment.") }
        throw DiscfgError(.outcomeUnknown, others, hint: "See with “discfg cfgs” whether it was made.")
            .overHTTP("See with GET /v1/cfgs whether it was made.")
    }

    /// Reads the config's record and the newest entry of its log, each with strong consistency.
    public func config(_ name: ConfigName) async throws -> ConfigRecord? {
        guard let record = try await record(of: name) else { return nil }
        let tail = try await newest(of: record)
        let hasRemains = record.hasKept || record.purged < min(record.trimmed, tail.revision - 1)
        return ConfigRecord(
            name: name, settings: record.settings, created: record.created, tail: tail, hasRemains: hasRemains)
    }

    /// The names of the configs after `after`, in order, at most `limit`.
    public func configNames(after: ConfigName?, limit: Int) async throws -> [ConfigName] {
        var query = PartitionQuery(partition: TableLayout.catalog, limit: limit, attributes: [Name.sort])
        if let after {
            query.condition = "#s > :a"
            query.values = [":a": .binary(Array(after.description.utf8))]
        }
        let answer = try await table.query(query)
        return try (answer.items ?? []).map {
            try ConfigName(String(decoding: $0[Name.sort]?.binary ?? [], as: UTF8.self))
        }
    }

    /// Sets the throughput of the table if there is one, and then the settings with one conditional `UpdateItem`.
    public func updateConfig(
        _ name: ConfigName, settings: ConfigSettings, replacing old: ConfigSettings
    ) async throws -> Bool {
        try await table.finishing { try await self.replaceSettings(of: name, with: settings, replacing: old) }
    }

    private func replaceSettings(
        of name: ConfigName, with settings: ConfigSettings, replacing old: ConfigSettings
    ) async throws -> Bool {
        if let throughput = try TableThroughput(settings.store) { try await manager.change(to: throughput) }
        let (updated, isInDoubt) = try await table.tryUpdate(
            RecordUpdate(
                key: layout(name).record, expression: "SET #settings = :new",
                condition: "#settings = :old AND attribute_not_exists(#removed)", names: [Name.settings, Name.removed],
                values: [":new": .string(settings.storedText), ":old": .string(old.storedText)]))
        if updated != nil { return true }
        let record = try await requireRecord(of: name)
        // Our own write, whose answer was lost.
        return isInDoubt && record.settings.storedText == settings.storedText
    }

    // MARK: Records

    /// The config's record, strongly consistent; `nil` if there is none, or only the rest of a removed config.
    func record(of name: ConfigName) async throws -> StoredConfig? {
        let attributes = try await table.get(layout(name).record, consistency: .strong)
        return try await table.call {
            guard let record = try attributes.map({ try StoredConfig($0) }), !record.isRemoved else {
                known.forget(name)
                return nil
            }
            known.note(record)
            return record
        }
    }

    /// - Throws: `configNotFound`.
    func requireRecord(of name: ConfigName) async throws -> StoredConfig {
        guard let record = try await record(of: name) else { throw DiscfgError.noConfig(name) }
        return record
    }
}
