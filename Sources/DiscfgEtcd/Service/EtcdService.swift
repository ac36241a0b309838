package import DiscfgCore
package import Logging

/// etcd's v3 API on one config, without any wire: one function for each of etcd's calls.
///
/// Doors decode a request, call the function, and encode what it returns. Every function throws `EtcdError` only; what was
/// cancelled is `EtcdError` with the code `canceled`. Streams (`WatchStream`, `ElectionObserver`, `EtcdSnapshot`) are pulled:
/// a door asks for the next answer when it has sent the one before, and so a slow client slows down nobody else.
/// Source: etcd 3.4, `etcdserver/etcdserverpb/rpc.proto` and the servers in `etcdserver/api`.
package struct EtcdService: Sendable {
    /// How the service behaves.
    package struct Options: Sendable {
        /// The version that clients are told: they choose by it what they ask.
        package var version = "3.4.23"
        /// How often a quiet watch is told how far everything was delivered, where it asked for that.
        package var progressInterval: Duration = .seconds(600)
        /// The bytes that the store takes, where it can tell.
        package var storeSize: @Sendable () async -> Int64 = { 0 }
        /// The time, and waiting.
        package var time: TimeSource

        package init(time: TimeSource = .system) { self.time = time }
    }

    /// The term of a Raft that never has an election.
    static let raftTerm: UInt64 = 1

    let store: ConfigService
    /// The config that the service is about.
    package let config: ConfigName
    package let identity: EtcdIdentity
    package let options: Options
    let hubs: WatchHubs
    let logger: Logger

    /// The service of a config.
    package init(
        service: ConfigService, config: ConfigName, identity: EtcdIdentity, options: Options = Options(), logger: Logger
    ) {
        self.init(
            store: service, config: config, identity: identity, options: options,
            hubs: WatchHubs(store: service, time: options.time), logger: logger)
    }

    private init(
        store: ConfigService, config: ConfigName, identity: EtcdIdentity, options: Options, hubs: WatchHubs,
        logger: Logger
    ) {
        self.store = store
        self.config = config
        self.identity = identity
        self.options = options
        self.hubs = hubs
        self.logger = logger
    }

    /// The same service of another config, which may not exist.
    package func of(_ config: ConfigName) -> EtcdService {
        EtcdService(
            store: store, config: config, identity: identity, options: options, hubs: hubs, logger: logger)
    }
}

extension EtcdService {
    func header(_ revision: Int64) -> ResponseHeader {
        ResponseHeader(
            clusterID: identity.clusterID, memberID: identity.memberID, revision: revision, raftTerm: Self.raftTerm)
    }

    /// A header with the config's current revision.
    func currentHeader() async throws -> ResponseHeader { header(try await store.tail(of: config).revision) }

    /// Commits operations that have no conditions.
    func commit(_ operations: [Operation]) async throws -> TransactionResult {
        try await store.commit(Transaction(then: operations), to: config)
    }

    /// Does the work, and throws what it throws as etcd would say it; the log is told what an operator has to fix.
    func answer<Result>(_ work: () async throws -> Result) async throws(EtcdError) -> Result {
        do {
            return try await work()
        } catch let error as EtcdError {
            throw error
        } catch {
            let answer = EtcdError(answering: error)
            if answer.code == .unknown || answer.code == .unavailable {
                // Of errors that are not our own the type only: what they say may hold a value.
                let said = (error as? DiscfgError).map { "\($0)" } ?? "\(type(of: error))"
                logger.warning("A call of etcd's API failed", metadata: ["config": "\(config)", "error": "\(said)"])
            }
            throw answer
        }
    }
}

extension LogTail {
    /// What etcd would call the compacted revision: the least that can be read and watched; 0 where nothing was compacted.
    ///
    /// etcd keeps the state at the revision that it compacts to and the commit of that revision, discfg's trimming only the
    /// state. So etcd's compaction to N is discfg's up to N - 1.
    var compacted: Revision { trimmed > 0 ? trimmed + 1 : 0 }
}
