#if EtcdGRPC
import DiscfgCore
package import DiscfgEtcd
import GRPCServing
package import Logging
package import NIOCore
import NIOPosix
public import ServiceLifecycle

/// etcd's v3 API over gRPC, on an address of its own, without TLS.
///
/// `run()` listens and serves until it is cancelled or the group it runs in shuts down gracefully. Then no new
/// connection is accepted, calls under way are answered, and streams (watch, keepalive, observe) and calls that wait
/// (lock, campaign) end with etcd's "server stopped", upon which clients of etcd connect again. What has not ended
/// when the limit `drain` is over is cut off.
public final class EtcdGRPCServer: Service {
    private let host: String
    private let port: Int
    private let limits: EtcdGRPCLimits
    private let connections: GRPCConnections
    private let onListening: (@Sendable (any Channel) throws -> Void)?
    private let listener: EventLoopPromise<any Channel>
    private let group: MultiThreadedEventLoopGroup

    /// A server that answers for the config of the API, and for any other that a call's metadata names.
    ///
    /// - Parameters:
    ///   - api: What the calls are answered by.
    ///   - host: The address to listen on.
    ///   - port: The port; 0 for one that the system chooses, which `address` tells.
    ///   - limits: How much a client may ask.
    ///   - logger: Where calls that fail inside the server are noted.
    ///   - onListening: Is given the channel that accepts connections, before it does.
    package init(
        api: EtcdAPI, host: String, port: Int, limits: EtcdGRPCLimits = EtcdGRPCLimits(), logger: Logger,
        onListening: (@Sendable (any Channel) throws -> Void)? = nil
    ) {
        (self.host, self.port, self.limits, self.onListening) = (host, port, limits, onListening)
        group = .singletonMultiThreadedEventLoopGroup
        listener = group.next().makePromise()
        connections = GRPCConnections(
            methods: EtcdCalls(api: api, messageBytes: limits.requestBytes).methods,
            options: Self.options(limits, ErrorAnswers(logger: logger)))
    }

    /// Where the server listens, as soon as it does; `nil` when it cannot listen, or has stopped.
    ///
    /// The port is the one that the system chose where 0 was asked for.
    public var address: (host: String, port: Int)? {
        get async {
            guard let channel = try? await listener.futureResult.get(), channel.isActive,
                let address = channel.localAddress, let host = address.ipAddress, let port = address.port
            else { return nil }
            return (host, port)
        }
    }

    public func run() async throws {
        let channel: any Channel
        do {
            channel = try await listen()
            listener.succeed(channel)
        } catch {
            listener.fail(error)
            throw error
        }
        await withTaskCancellationHandler {
            await withGracefulShutdownHandler {
                await serve(channel)
            } onGracefulShutdown: {
                channel.close(promise: nil)
            }
        } onCancel: {
            channel.close(promise: nil)
            connections.cutOff()
        }
    }

    /// Serves until the listener is closed and all calls have ended, or they had their time.
    private func serve(_ channel: any Channel) async {
        try? await channel.closeFuture.get()
        connections.stop()
        await withTaskGroup(of: Void.self) { tasks in
            tasks.addTask { [connections, drain = limits.drain] in
                if (try? await Task.sleep(for: drain)) != nil { connections.cutOff() }
            }
            await connections.ended()
            tasks.cancelAll()
        }
    }

    private func listen() async throws -> any Channel {
        try await ServerBootstrap(group: group)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .serverChannelOption(.backlog, value: 256)
            .serverChannelInitializer { [limits, onListening] channel in
                channel.eventLoop.makeCompletedFuture {
                    try onListening?(channel)
                    try channel.pipeline.syncOperations.addHandler(ConnectionLimit(limits.connections))
                }
            }
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { [connections] channel in
                channel.eventLoop.makeCompletedFuture { try connections.add(channel) }
            }
            .bind(host: host, port: port).get()
    }

    private static func options(_ limits: EtcdGRPCLimits, _ errors: ErrorAnswers) -> GRPCOptions {
        var options = GRPCOptions(
            requests: CallMemory(of: limits.requests.bodies), answers: CallMemory(of: limits.requests.answers))
        options.callsPerConnection = limits.callsPerConnection
        options.pace = { [pace = limits.requests.pace] in TimeAmount(pace.patience(after: $0)) }
        options.readingPatience = TimeAmount(limits.requests.readingPatience)
        options.overloaded = GRPCStatus(EtcdError.tooManyRequests)
        options.stopped = GRPCStatus(EtcdError.stopped)
        options.status = errors.answer(to:of:)
        return options
    }
}

/// What the calls of a server hold of a budget that others share.
private struct CallMemory: GRPCMemory {
    private let budget: MemoryBudget
    private let hold: MemoryHold

    init(of budget: MemoryBudget) { (self.budget, hold) = (budget, MemoryHold(of: budget)) }

    var isExhausted: Bool { budget.isExhausted }
    func take(_ bytes: Int) -> Bool { hold.take(bytes) }
    func overdraw(_ bytes: Int) { hold.overdraw(bytes) }
    func giveBack(_ bytes: Int) { hold.giveBack(bytes) }
}
#endif
