#if EtcdGRPC
import GRPCCore
import GRPCNIOTransportHTTP2Posix
import Logging
import NIOCore
import NIOPosix
public import ServiceLifecycle

/// etcd's v3 API over gRPC, on an address of its own, without TLS.
///
/// `run()` listens and serves until it is cancelled or the group it runs in shuts down gracefully. Then no new
/// connection is accepted, calls under way are answered, and streams (watch, keepalive, observe) and calls that wait
/// (lock, campaign) end with etcd's "server stopped", upon which clients of etcd connect again. What has not ended
/// when the limit `drain` is over is cut off.
public final class EtcdGRPCServer: Service {
    private let server: GRPCServer<EtcdTransport>
    private let drain: Duration
    private let connections = OpenConnections()

    /// A server of services; shortcuts are by fully qualified method name.
    init(
        host: String, port: Int, limits: EtcdGRPCLimits,
        services: [any RegistrableRPCService], shortcuts: [String: UnaryShortcut<EtcdTransport.Bytes>],
        errors: ErrorAnswers, group: MultiThreadedEventLoopGroup = .singletonMultiThreadedEventLoopGroup,
        onListening: (@Sendable (any Channel) throws -> Void)? = nil
    ) {
        let keepalive = Self.keepalive
        let listener = PlaintextListener(
            host: host, port: port, maximumConnections: limits.connections,
            patience: TimeAmount(keepalive.time) + TimeAmount(keepalive.timeout) + .seconds(10),
            connections: connections, group: group, onListening: onListening)
        let base = HTTP2ServerTransport.Custom(listenerFactory: listener, config: Self.configuration(limits))
        server = GRPCServer(
            transport: EtcdTransport(base, shortcuts: shortcuts, messageBytes: limits.requestBytes), services: services,
            interceptors: [errors])
        drain = limits.drain
    }

    /// Where the server listens, as soon as it does; `nil` when it cannot listen, or has stopped.
    ///
    /// The port is the one that the system chose where 0 was asked for.
    public var address: (host: String, port: Int)? {
        get async {
            guard let address = await server.transport.listeningAddress else { return nil }
            if let address = address.ipv4 { return (address.host, address.port) }
            if let address = address.ipv6 { return (address.host, address.port) }
            return nil
        }
    }

    /// Serves until a graceful shutdown or a cancellation; throws if the address cannot be listened on.
    public func run() async throws {
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask {
                try await withGracefulShutdownHandler {
                    try await self.serve()
                } onGracefulShutdown: {
                    self.server.beginGracefulShutdown()
                }
            }
            tasks.addTask {
                try await gracefulShutdown()
                try await Task.sleep(for: self.drain)
            }
            // Whichever is first: all calls have ended, or they had their time.
            try await tasks.next()
            tasks.cancelAll()
        }
    }

    /// Serves; an address that cannot be listened on is the error of the system, not grpc-swift's around it.
    private func serve() async throws {
        do {
            try await withTaskCancellationHandler {
                try await server.serve()
            } onCancel: {
                // grpc-swift closes a connection when everything is sent, which a client that reads nothing prevents.
                connections.close()
            }
        } catch let error as RuntimeError where error.code == .transportError {
            throw error.cause ?? error
        }
    }

    /// Our own pings find peers that are gone; those of clients never reach grpc-swift (`ClientFrames`), which would count them.
    private static var keepalive: HTTP2ServerTransport.Config.Keepalive {
        .init(
            time: .seconds(60), timeout: .seconds(20),
            clientBehavior: .init(minPingIntervalWithoutCalls: .zero, allowWithoutCalls: true))
    }

    private static func configuration(_ limits: EtcdGRPCLimits) -> EtcdTransport.Base.Config {
        var config = EtcdTransport.Base.Config.defaults
        config.connection.keepalive = keepalive
        config.connection.flushCoalescing = nil
        config.http2.maxConcurrentStreams = limits.callsPerConnection
        config.rpc.maxRequestPayloadSize = limits.messageBytes
        let requests = limits.requests
        config.channelDebuggingCallbacks.onAcceptHTTP2Stream = { channel in
            channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addHandler(StreamGuard(requests), position: .first)
            }.flatMap { ClientFrames.noteStream(channel) }
        }
        return config
    }
}
#endif
