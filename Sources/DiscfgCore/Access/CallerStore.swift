/// A store on behalf of one caller.
///
/// The caller is the author of every commit: an author in a transaction or a request is replaced.
public struct CallerStore: Sendable {
    private let store: any ConfigStore
    /// The caller.
    public let caller: Caller

    init(_ store: any ConfigStore, caller: Caller) {
        self.store = store
        self.caller = caller
    }

    /// The same store for another caller.
    public func acting(as caller: Caller) -> CallerStore { CallerStore(store, caller: caller) }
}

extension ConfigStore {
    /// The store on behalf of a caller; copies a struct, and allocates nothing.
    public func acting(as caller: Caller) -> CallerStore { CallerStore(self, caller: caller) }
}

extension CallerStore: ConfigStore {
    /// Reads the configs of the store.
    public func configs() async throws -> [ConfigInfo] { try await store.configs() }

    /// Reads the description from the store.
    public func info(of config: ConfigName) async throws -> ConfigInfo { try await store.info(of: config) }

    /// Reads the revision from the store.
    public func revision(of config: ConfigName) async throws -> Revision { try await store.revision(of: config) }

    /// Creates a config; `author` is replaced by the caller's.
    public func createConfig(_ name: ConfigName, settings: ConfigSettings, author: String) async throws -> ConfigInfo {
        try await store.createConfig(name, settings: settings, author: caller.author)
    }

    /// Changes the settings in the store; the change has no author.
    public func updateConfig(_ name: ConfigName, patch: JSONValue) async throws -> ConfigInfo {
        try await store.updateConfig(name, patch: patch)
    }

    /// Deletes the config in the store; the deletion has no author.
    public func deleteConfig(_ name: ConfigName) async throws { try await store.deleteConfig(name) }

    /// Reads the key from the store.
    public func get(
        _ key: Key, in config: ConfigName, at revision: Revision?, consistency: Consistency
    ) async throws -> Reading {
        try await store.get(key, in: config, at: revision, consistency: consistency)
    }

    /// Reads the page from the store.
    public func list(_ query: ListQuery, in config: ConfigName) async throws -> Listing {
        try await store.list(query, in: config)
    }

    /// Commits the transaction with the caller as its author.
    public func commit(_ transaction: Transaction, to config: ConfigName) async throws -> TransactionResult {
        var transaction = transaction
        transaction.author = caller.author
        return try await store.commit(transaction, to: config)
    }

    /// Reads the commits from the store.
    public func changes(_ query: ChangesQuery, in config: ConfigName) async throws -> ChangePage {
        try await store.changes(query, in: config)
    }

    /// Reads the commits from the store.
    public func history(_ query: HistoryQuery, in config: ConfigName) async throws -> ChangePage {
        try await store.history(query, in: config)
    }

    /// Compares the revisions in the store.
    public func diff(_ query: DiffQuery, in config: ConfigName) async throws -> Difference {
        try await store.diff(query, in: config)
    }

    /// Rolls back with the caller as the author of the commits.
    public func rollback(_ request: RollbackRequest, in config: ConfigName) async throws -> RollbackResult {
        var request = request
        request.author = caller.author
        return try await store.rollback(request, in: config)
    }

    /// Imports with the caller as the author of the commits.
    public func importValues(
        _ values: ImportedValues, in config: ConfigName, progress: (_ done: Int, _ total: Int) async -> Void
    ) async throws -> ImportOutcome {
        try await store.importValues(values.authored(by: caller.author), in: config, progress: progress)
    }

    /// Compacts the history in the store; the compaction has no author.
    public func compact(_ config: ConfigName, keeping request: CompactionRequest) async throws -> Revision {
        try await store.compact(config, keeping: request)
    }
}
