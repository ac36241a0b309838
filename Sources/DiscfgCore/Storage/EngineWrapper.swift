/// An engine around another: what it does not do itself, the other does.
public protocol EngineWrapper: StorageEngine {
    /// The engine inside.
    var engine: any StorageEngine { get }

    /// Carries out a call that concerns a config; every call that is passed on goes through here.
    func perform<Result: Sendable>(
        on config: ConfigName, _ call: @Sendable () async throws -> Result
    ) async throws -> Result
}

// Each member passes its call to `engine`; `StorageEngine` documents them.
// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
extension EngineWrapper {
    public var traits: StorageTraits { engine.traits }

    public func perform<Result: Sendable>(
        on config: ConfigName, _ call: @Sendable () async throws -> Result
    ) async throws -> Result {
        try await call()
    }

    public func createConfig(_ name: ConfigName, settings: ConfigSettings, first: Commit) async throws {
        try await engine.createConfig(name, settings: settings, first: first)
    }

    public func config(_ name: ConfigName) async throws -> ConfigRecord? { try await engine.config(name) }

    public func configNames(after: ConfigName?, limit: Int) async throws -> [ConfigName] {
        try await engine.configNames(after: after, limit: limit)
    }

    public func updateConfig(
        _ name: ConfigName, settings: ConfigSettings, replacing old: ConfigSettings
    ) async throws -> Bool {
        try await perform(on: name) { try await engine.updateConfig(name, settings: settings, replacing: old) }
    }

    public func removeConfig(_ name: ConfigName) async throws -> Bool { try await engine.removeConfig(name) }

    public func tail(of config: ConfigName, knowing known: LogTail?) async throws -> LogTail {
        try await perform(on: config) { try await engine.tail(of: config, knowing: known) }
    }

    public func append(_ commits: [Commit], to config: ConfigName, incarnation: String?) async throws -> AppendOutcome {
        try await perform(on: config) { try await engine.append(commits, to: config, incarnation: incarnation) }
    }

    public func basis(for keys: [Key], in config: ConfigName) async throws -> WriteBasis {
        try await perform(on: config) { try await engine.basis(for: keys, in: config) }
    }

    public func log(
        of config: ConfigName, after: Revision, limit: Int, incarnation: String?, consistency: Consistency
    ) async throws -> LogPage {
        try await perform(on: config) {
            try await engine.log(
                of: config, after: after, limit: limit, incarnation: incarnation, consistency: consistency)
        }
    }

    public func history(
        of config: ConfigName, selection: KeySelection, _ part: LogPart, limit: Int
    ) async throws -> HistoryPage {
        try await perform(on: config) {
            try await engine.history(of: config, selection: selection, part, limit: limit)
        }
    }

    public func trim(_ config: ConfigName, through: Revision, keepingSince moment: Timestamp) async throws -> Bool {
        try await perform(on: config) { try await engine.trim(config, through: through, keepingSince: moment) }
    }

    public func items(_ keys: [Key], in config: ConfigName, consistency: Consistency) async throws -> ItemBatch {
        try await perform(on: config) { try await engine.items(keys, in: config, consistency: consistency) }
    }

    public func items(
        _ range: KeyRange, in config: ConfigName, limit: Int, values: Bool, consistency: Consistency
    ) async throws -> ItemPage {
        try await perform(on: config) {
            try await engine.items(range, in: config, limit: limit, values: values, consistency: consistency)
        }
    }

    public func overdueKeys(in config: ConfigName, at now: Timestamp, limit: Int) async throws -> [Key] {
        try await perform(on: config) { try await engine.overdueKeys(in: config, at: now, limit: limit) }
    }

    public func lastRevision(of config: ConfigName, before time: Timestamp) async throws -> Revision {
        try await perform(on: config) { try await engine.lastRevision(of: config, before: time) }
    }

    public func leases(_ selection: LeaseSelection, of config: ConfigName) async throws -> [StoredLease] {
        try await perform(on: config) { try await engine.leases(selection, of: config) }
    }

    public func changeLease(_ change: LeaseChange, in config: ConfigName) async throws -> StoredLease? {
        try await perform(on: config) { try await engine.changeLease(change, in: config) }
    }

    public func cells(
        of config: ConfigName, from first: String, through last: String, limit: Int
    ) async throws -> [Cell] {
        try await perform(on: config) { try await engine.cells(of: config, from: first, through: last, limit: limit) }
    }

    public func replaceCell(
        _ name: String, with bytes: [UInt8]?, version: Int64, in config: ConfigName
    ) async throws -> Bool {
        try await perform(on: config) {
            try await engine.replaceCell(name, with: bytes, version: version, in: config)
        }
    }
}
