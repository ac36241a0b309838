import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// A server that takes a request of HTTP, and does with it what a test says.
final class HostileServer: Sendable {
    /// What it does when a request is there.
    enum Behaviour: Sendable {
        /// Writes these bytes, and leaves the connection open.
        case write(String)
        case writeBytes([UInt8])
        /// Writes these bytes, and closes.
        case writeAndClose(String)
        case close
        case silence
        /// Writes these bytes for the first request of a connection, and closes it at the second.
        case writeOnce(String)
        /// Writes these bytes for the first request of a connection, and nothing for the others.
        case silenceAfter(String)
        /// Writes the first, and the second again and again for as long as it can.
        case endless(String, String)

        static let ok = Behaviour.write("HTTP/1.1 204 No Content\r\n\r\n")
    }

    private struct State {
        var requests: [NIOHTTPServerRequestFull] = []
        var connections = 0
        var open = 0
    }

    private let behaviour: Behaviour
    private let state = Mutex(State())
    private let listener = Mutex<(any Channel)?>(nil)

    private init(_ behaviour: Behaviour) { self.behaviour = behaviour }

    static func with<Result>(
        _ behaviour: Behaviour, host: String = "127.0.0.1", port: Int = 0,
        _ test: (HostileServer) async throws -> Result
    ) async throws -> Result {
        let server = HostileServer(behaviour)
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    server.state.withLock {
                        $0.connections += 1
                        $0.open += 1
                    }
                    channel.closeFuture.whenComplete { _ in server.state.withLock { $0.open -= 1 } }
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(ByteToMessageHandler(HTTPRequestDecoder()))
                    try pipeline.addHandler(NIOHTTPServerRequestAggregator(maxContentLength: 1 << 20))
                    try pipeline.addHandler(Handler(server))
                }
            }
            .bind(host: host, port: port).get()
        server.listener.withLock { $0 = listener }
        do {
            let result = try await test(server)
            try? await listener.close()
            return result
        } catch {
            try? await listener.close()
            throw error
        }
    }

    var port: Int { listener.withLock { $0?.localAddress?.port } ?? 0 }
    var requests: [NIOHTTPServerRequestFull] { state.withLock { $0.requests } }
    /// How many connections there have been.
    var connectionCount: Int { state.withLock { $0.connections } }
    /// How many connections are open.
    var openCount: Int { state.withLock { $0.open } }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = NIOHTTPServerRequestFull
        let server: HostileServer
        private var hasAnswered = false
        init(_ server: HostileServer) { self.server = server }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            server.state.withLock { $0.requests.append(Self.unwrapInboundIn(data)) }
            let channel = context.channel
            switch server.behaviour {
            case .write(let text): channel.writeAndFlush(ByteBuffer(string: text), promise: nil)
            case .writeBytes(let bytes): channel.writeAndFlush(ByteBuffer(bytes: bytes), promise: nil)
            case .writeAndClose(let text):
                channel.writeAndFlush(ByteBuffer(string: text)).whenComplete { _ in channel.close(promise: nil) }
            case .writeOnce where hasAnswered: channel.close(promise: nil)
            case .silenceAfter where hasAnswered: break
            case .writeOnce(let text), .silenceAfter(let text):
                hasAnswered = true
                channel.writeAndFlush(ByteBuffer(string: text), promise: nil)
            case .close: channel.close(promise: nil)
            case .silence: break
            case .endless(let first, let again):
                channel.writeAndFlush(ByteBuffer(string: first), promise: nil)
                Self.repeated(ByteBuffer(string: again), on: channel)
            }
        }

        private static func repeated(_ bytes: ByteBuffer, on channel: any Channel) {
            channel.writeAndFlush(bytes).whenSuccess { repeated(bytes, on: channel) }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }
}
