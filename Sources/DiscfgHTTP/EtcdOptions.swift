package import DiscfgEtcd

/// What the doors for etcd's clients need.
public struct EtcdOptions: Sendable {
    /// etcd's API on a store of this process, and on the config behind the paths that name none.
    let api: EtcdAPI

    /// The doors on the store of the API.
    package init(_ api: EtcdAPI) { self.api = api }
}
