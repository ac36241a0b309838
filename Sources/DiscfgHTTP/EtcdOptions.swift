package import DiscfgEtcd

/// The settings of etcd's APIs.
public struct EtcdOptions: Sendable {
    /// etcd's API on a store of this process, and on the config behind the paths that name none.
    let api: EtcdAPI

    /// The settings for the store of the API.
    package init(_ api: EtcdAPI) { self.api = api }
}
