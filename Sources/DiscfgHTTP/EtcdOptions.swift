package import DiscfgCore
package import DiscfgEtcd

/// What the doors for etcd's clients need.
public struct EtcdOptions: Sendable {
    /// The store; only one in this process can be reached by etcd's clients.
    let store: ConfigService
    /// etcd's v3 API on the config behind the paths that name none.
    let service: EtcdService

    /// The doors on a store, for the config that the service is about.
    package init(store: ConfigService, service: EtcdService) {
        self.store = store
        self.service = service
    }
}
