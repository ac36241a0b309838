import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// A server that remembers what reaches it, and answers every request with the same body.
final class StubServer: Sendable {
    private let state = Mutex<(requests: [NIOHTTPServerRequestFull], connections: Int)>(([], 0))
    private let body: String
    private let listener = Mutex<(any Channel)?>(nil)

    private init(_ body: String) { self.body = body }

    static func with<Result>(
        answering body: String = #"{"Count":0}"#, _ test: (StubServer) async throws -> Result
    ) async throws -> Result {
        let server = StubServer(body)
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    server.state.withLock { $0.connections += 1 }
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    try channel.pipeline.syncOperations.addHandler(
                        NIOHTTPServerRequestAggregator(maxContentLength: 64 << 20))
                    try channel.pipeline.syncOperations.addHandler(Handler(server))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
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

    var url: String { "http://127.0.0.1:\(listener.withLock { $0?.localAddress?.port } ?? 0)" }
    var requests: [NIOHTTPServerRequestFull] { state.withLock { $0.requests } }
    var connectionCount: Int { state.withLock { $0.connections } }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = NIOHTTPServerRequestFull
        typealias OutboundOut = HTTPServerResponsePart
        let server: StubServer
        init(_ server: StubServer) { self.server = server }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            server.state.withLock { $0.requests.append(Self.unwrapInboundIn(data)) }
            let head = HTTPResponseHead(
                version: .http1_1, status: .ok,
                headers: [
                    "Content-Length": "\(server.body.utf8.count)", "x-amz-crc32": "12", "X-Stub": "yes",
                ])
            context.write(Self.wrapOutboundOut(.head(head)), promise: nil)
            context.write(Self.wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: server.body)))), promise: nil)
            context.writeAndFlush(Self.wrapOutboundOut(.end(nil)), promise: nil)
        }
    }
}

/// Waits until a condition holds; a test that waits in vain ends by its time limit.
func eventually(_ condition: () async -> Bool) async throws {
    // What is awaited is in another process or thread, and cannot call back.
    while await !condition() { try await Task.sleep(for: .milliseconds(5)) }
}
