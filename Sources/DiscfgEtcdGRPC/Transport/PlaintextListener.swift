#if EtcdGRPC
import GRPCNIOTransportHTTP2Posix
import NIOCore
import NIOPosix

/// Listens on a TCP address, without TLS, for the transport of grpc-swift.
///
/// `HTTP2ServerTransport.Posix` would do the same, but it asks the connection for a certificate in every call, which
/// costs two hops between threads, and it takes any number of connections.
struct PlaintextListener: HTTP2ServerTransport.ListenerFactory {
    let host: String
    let port: Int
    let maximumConnections: Int
    /// How long a peer may say nothing, not even in answer to a ping.
    let patience: TimeAmount
    let connections: OpenConnections
    let group: MultiThreadedEventLoopGroup
    /// Is given the channel that accepts connections.
    var onListening: (@Sendable (any Channel) throws -> Void)?

    var eventLoopGroup: any EventLoopGroup { group }

    func makeListeningChannel(
        listenerConfigurator: HTTP2ServerTransport.ListenerConfigurator,
        connectionConfigurator: HTTP2ServerTransport.ConnectionConfigurator
    ) async throws -> NIOAsyncChannel<HTTP2ServerTransport.ConnectionConfigurator.ConnectionChannel, Never> {
        try await ServerBootstrap(group: group)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .serverChannelOption(.backlog, value: 256)
            .serverChannelInitializer { [maximumConnections, onListening] channel in
                channel.eventLoop.makeCompletedFuture {
                    try onListening?(channel)
                    try channel.pipeline.syncOperations.addHandler(ConnectionLimit(maximumConnections))
                }.flatMap {
                    listenerConfigurator.configure(channel: channel)
                }
            }
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .bind(host: host, port: port) { [patience, connections] channel in
                channel.eventLoop.makeCompletedFuture {
                    connections.add(channel)
                    try channel.pipeline.syncOperations.addHandlers([SilentPeer(patience: patience), ClientFrames()])
                }.flatMap {
                    connectionConfigurator.configure(channel: channel, tls: .none)
                }
            }
    }
}
#endif
