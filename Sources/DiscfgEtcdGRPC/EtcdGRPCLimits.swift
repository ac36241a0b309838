#if EtcdGRPC
package import DiscfgCore

/// How much a client may ask of the server.
public struct EtcdGRPCLimits: Sendable {
    /// Calls at the same time on one connection; a client's library holds back the ones beyond.
    public var callsPerConnection = 2048
    /// Bytes of one request: etcd's limit of 1.5 MiB and the 512 KiB that it adds for what surrounds a request.
    public var requestBytes = (1536 + 512) * 1024
    /// What calls may hold, together with the requests of other APIs.
    package var requests = RequestLimits()
    /// How long calls may take to end once the server is told to stop.
    public var drain = Duration.seconds(10)

    /// Etcd's limits where it has them.
    public init() {}
}
#endif
