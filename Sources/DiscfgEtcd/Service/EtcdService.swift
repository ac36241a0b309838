package import DiscfgCore
import Logging

/// etcd's v3 API on one config for one caller, independent of the transport: one function for each of etcd's calls.
///
/// A transport decodes a request, calls the function, and encodes its result. Every function throws `EtcdError` only; a
/// cancellation is an `EtcdError` with the code `canceled`. Streams (`WatchStream`, `ElectionObserver`, `EtcdSnapshot`)
/// are pulled: a transport requests the next answer when it has sent the previous one, so a slow client does not slow
/// down others. Source: etcd 3.4, `etcdserver/etcdserverpb/rpc.proto` and the servers in `etcdserver/api`.
package struct EtcdService: Sendable {
    /// The options of the service.
    package struct Options: Sendable {
        /// The version that clients get: they choose their requests by it.
        package var version = "3.4.23"
        /// The interval of progress notifications for a watch without events, if it requested them.
        package var progressInterval: Duration = .seconds(600)
        /// The size of the store in bytes, if the store reports it.
        package var storeSize: @Sendable () async -> Int64 = { 0 }
        /// The clock.
        package var time: TimeSource

        package init(time: TimeSource = .system) { self.time = time }
    }

    /// The Raft term, which never changes.
    static let raftTerm: UInt64 = 1

    private let api: EtcdAPI
    let store: CallerService
    /// The config of the service.
    package let config: ConfigName

    package var identity: EtcdIdentity { api.identity }
    package var options: Options { api.options }
    var hubs: WatchHubs { api.hubs }
    var logger: Logger { api.logger }

    /// The service of a config; `EtcdAPI` creates it for a caller.
    init(_ api: EtcdAPI, store: CallerService, config: ConfigName) {
        self.api = api
        self.store = store
        self.config = config
    }

    /// The same service for another config, which may not exist.
    package func of(_ config: ConfigName) -> EtcdService { EtcdService(api, store: store, config: config) }
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

    /// Does the work, and throws its errors as etcd's; logs the errors that an operator has to fix.
    func answer<Result>(_ work: () async throws -> Result) async throws(EtcdError) -> Result {
        do {
            return try await work()
        } catch let error as EtcdError {
            throw error
        } catch {
            let answer = EtcdError(answering: error)
            if answer.code == .unknown || answer.code == .unavailable {
                // Of foreign errors only the type: their text may contain a value.
                let said = (error as? DiscfgError).map { "\($0)" } ?? "\(type(of: error))"
                logger.warning("A call of etcd's API failed", metadata: ["config": "\(config)", "error": "\(said)"])
            }
            throw answer
        }
    }
}

extension LogTail {
    /// etcd's compacted revision: the lowest that can be read and watched; 0 if nothing was compacted.
    ///
    /// For the revision to which it compacts, etcd keeps the state and the commit; discfg's trimming keeps only the
    /// state. So etcd's compaction to N is discfg's up to N - 1.
    var compacted: Revision { trimmed > 0 ? trimmed + 1 : 0 }
}
