public import DiscfgCore

/// An engine around another: what it does not do itself, the other does.
public protocol EngineWrapper: StorageEngine {
    /// The engine inside.
    var engine: any StorageEngine { get }
}

extension EngineWrapper {
    public var description: StorageDescription { engine.description }
    public var limits: StorageLimits { engine.limits }

    public func append(_ commits: [Commit], to config: ConfigName) async throws -> AppendOutcome {
        try await engine.append(commits, to: config)
    }

    public func createConfig(_ name: ConfigName, settings: ConfigSettings, first: Commit) async throws {
        try await engine.createConfig(name, settings: settings, first: first)
    }

    public func config(_ name: ConfigName) async throws -> ConfigRecord? { try await engine.config(name) }

    public func configs(after: ConfigName?, limit: Int) async throws -> [ConfigRecord] {
        try await engine.configs(after: after, limit: limit)
    }

    public func updateConfig(
        _ name: ConfigName, settings: ConfigSettings, replacing old: ConfigSettings
    ) async throws -> Bool {
        try await engine.updateConfig(name, settings: settings, replacing: old)
    }

    public func removeConfig(_ name: ConfigName) async throws -> Bool { try await engine.removeConfig(name) }

    public func tail(of config: ConfigName) async throws -> LogTail { try await engine.tail(of: config) }

    public func entries(of config: ConfigName, after: Revision, limit: Int) async throws -> [Commit] {
        try await engine.entries(of: config, after: after, limit: limit)
    }

    public func history(of config: ConfigName, key: Key?, through: Revision, limit: Int) async throws -> [Commit] {
        try await engine.history(of: config, key: key, through: through, limit: limit)
    }

    public func firstChange(to key: Key, in config: ConfigName, after: Revision) async throws -> Change? {
        try await engine.firstChange(to: key, in: config, after: after)
    }

    public func trim(_ config: ConfigName, through: Revision) async throws -> Bool {
        try await engine.trim(config, through: through)
    }

    public func items(_ keys: [Key], in config: ConfigName, consistency: Consistency) async throws -> ItemBatch {
        try await engine.items(keys, in: config, consistency: consistency)
    }

    public func items(
        _ range: KeyRange, in config: ConfigName, limit: Int, values: Bool, consistency: Consistency
    ) async throws -> ItemPage {
        try await engine.items(range, in: config, limit: limit, values: values, consistency: consistency)
    }

    public func overdueKeys(in config: ConfigName, at now: Timestamp, limit: Int) async throws -> [Key] {
        try await engine.overdueKeys(in: config, at: now, limit: limit)
    }

    public func lastRevision(of config: ConfigName, before time: Timestamp) async throws -> Revision {
        try await engine.lastRevision(of: config, before: time)
    }
}
