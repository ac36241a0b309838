public import DiscfgCore
import Synchronization

/// An engine that runs a test's hook before some calls, and may take less in one commit.
public final class HookedEngine: EngineWrapper {
    /// A call before which the hook runs.
    public enum Call: Sendable { case append, keysOfLease, log, page, removeLease }

    /// The engine inside.
    public let engine: any StorageEngine
    private let maximumChanges: Int?
    private let hook = Mutex<(call: Call, body: @Sendable () async throws -> Void)?>(nil)

    /// An engine around another; with `maximumChanges` one that takes at most so many changes in one append.
    public init(_ engine: any StorageEngine, maximumChanges: Int? = nil) {
        self.engine = engine
        self.maximumChanges = maximumChanges
    }

    /// Those of the inner engine.
    public var traits: StorageTraits {
        engine.traits.with(\.limits.changes, maximumChanges ?? engine.limits.changes)
    }

    /// Runs the hook before the next such call, once.
    public func before(_ call: Call, _ body: @escaping @Sendable () async throws -> Void) {
        hook.withLock { $0 = (call, body) }
    }

    private func run(before call: Call) async throws {
        let body = hook.withLock { hook -> (@Sendable () async throws -> Void)? in
            guard let found = hook, found.call == call else { return nil }
            hook = nil
            return found.body
        }
        try await body?()
    }

    /// Runs the hook of `append`, and appends to the engine inside.
    public func append(_ commits: [Commit], to config: ConfigName, incarnation: String?) async throws -> AppendOutcome {
        try await run(before: .append)
        return try await engine.append(commits, to: config, incarnation: incarnation)
    }

    /// Runs the hook of `page`, and reads a page of the engine inside.
    public func items(
        _ range: KeyRange, in config: ConfigName, limit: Int, values: Bool, consistency: Consistency
    ) async throws -> ItemPage {
        try await run(before: .page)
        return try await engine.items(range, in: config, limit: limit, values: values, consistency: consistency)
    }

    /// Runs the hook of `log`, and reads the log of the engine inside.
    public func log(
        of config: ConfigName, after: Revision, limit: Int, incarnation: String?, consistency: Consistency
    ) async throws -> LogPage {
        try await run(before: .log)
        return try await engine.log(
            of: config, after: after, limit: limit, incarnation: incarnation, consistency: consistency)
    }

    /// Runs the hook for the keys of a lease first, if they are asked for.
    public func leases(_ selection: LeaseSelection, of config: ConfigName) async throws -> [StoredLease] {
        if case .withKeys = selection { try await run(before: .keysOfLease) }
        return try await engine.leases(selection, of: config)
    }

    /// Runs the hook for the removal of a lease first, if it is one.
    public func changeLease(_ change: LeaseChange, in config: ConfigName) async throws -> StoredLease? {
        if case .remove = change { try await run(before: .removeLease) }
        return try await engine.changeLease(change, in: config)
    }
}
