package import DiscfgCore
package import Logging

/// etcd's API on the configs of a store: what a transport holds.
///
/// It answers nothing without a caller: a transport determines the caller of each request, and requests `acting(as:)`.
package final class EtcdAPI: Sendable {
    private let store: ConfigService
    /// The config of requests that name none.
    package let config: ConfigName
    package let identity: EtcdIdentity
    package let options: EtcdService.Options
    /// The watches of all callers share one reader of each log.
    let hubs: WatchHubs
    let logger: Logger

    /// The API on a store.
    package init(
        store: ConfigService, config: ConfigName, identity: EtcdIdentity,
        options: EtcdService.Options = EtcdService.Options(), logger: Logger
    ) {
        self.store = store
        self.config = config
        self.identity = identity
        self.options = options
        self.hubs = WatchHubs(store: store, time: options.time)
        self.logger = logger
    }

    /// The v3 API for a caller, on the API's config or on another, which may not exist.
    package func acting(as caller: Caller, in config: ConfigName? = nil) -> EtcdService {
        EtcdService(self, store: store(as: caller), config: config ?? self.config)
    }

    /// The store for a caller, as the v2 API needs it.
    package func store(as caller: Caller) -> CallerService { store.service(as: caller) }
}
