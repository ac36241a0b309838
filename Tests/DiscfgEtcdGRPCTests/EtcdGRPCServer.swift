#if EtcdGRPC
import DiscfgEtcd
import GRPCServing
import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle

@testable import DiscfgEtcdGRPC

/// etcd's v3 API over gRPC on an address of its own, without HTTP/1.1, until it is cancelled or shut down.
final class EtcdGRPCServer: Service {
    private let port: Int
    private let connections: GRPCConnections
    private let group = MultiThreadedEventLoopGroup.singleton
    private let listener: EventLoopPromise<any Channel>

    init(api: EtcdAPI, port: Int, limits: EtcdGRPCLimits, logger: Logger) {
        self.port = port
        connections = GRPCConnections(etcd: api, limits: limits, logger: logger)
        listener = group.next().makePromise()
    }

    /// The port it listens on, as soon as it does; `nil` when it has stopped.
    var address: (host: String, port: Int)? {
        get async {
            guard let channel = try? await listener.futureResult.get(), channel.isActive,
                let address = channel.localAddress, let host = address.ipAddress, let port = address.port
            else { return nil }
            return (host, port)
        }
    }

    func run() async throws {
        let channel: any Channel
        do {
            channel = try await ServerBootstrap(group: group)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .childChannelInitializer { [connections] channel in
                    channel.eventLoop.makeCompletedFuture { try connections.add(channel) }
                }
                .bind(host: "127.0.0.1", port: port).get()
            listener.succeed(channel)
        } catch {
            listener.fail(error)
            throw error
        }
        await withTaskCancellationHandler {
            await withGracefulShutdownHandler {
                try? await channel.closeFuture.get()
                connections.stop()
                await connections.ended()
            } onGracefulShutdown: {
                channel.close(promise: nil)
            }
        } onCancel: {
            channel.close(promise: nil)
            connections.cutOff()
        }
    }
}
#endif
