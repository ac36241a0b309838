import NIOCore
import NIOPosix

/// A server on a socket of its own that answers every request with the same bytes, or worse.
final class RawServer: Sendable {
    enum Behaviour: Sendable {
        case answer(String)
        /// Sends these bytes, perhaps none, and closes.
        case cut(after: String)
        /// Sends these bytes, perhaps none, and then nothing.
        case stall(after: String)
    }

    /// What came in, request for request.
    let requests: AsyncStream<String>
    private let channel: any Channel
    private let connectionCount: Tally

    var url: String { "http://127.0.0.1:\(channel.localAddress?.port ?? 0)/" }
    var connections: Int { connectionCount.value }

    private init(channel: any Channel, requests: AsyncStream<String>, connectionCount: Tally) {
        self.channel = channel
        self.requests = requests
        self.connectionCount = connectionCount
    }

    /// Runs a test against a server, and closes it.
    static func run(_ behaviour: Behaviour, _ body: (RawServer) async throws -> Void) async throws {
        let (requests, feed) = AsyncStream<String>.makeStream()
        let count = Tally()
        let channel = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .childChannelInitializer { child in
                child.eventLoop.makeCompletedFuture {
                    count.next()
                    try child.pipeline.syncOperations.addHandler(RawHandler(behaviour, feed: feed))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let server = RawServer(channel: channel, requests: requests, connectionCount: count)
        let result = await Result { try await body(server) }
        feed.finish()
        try await channel.close()
        try result.get()
    }
}

private final class RawHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let behaviour: RawServer.Behaviour
    private let feed: AsyncStream<String>.Continuation
    private var received = ""

    init(_ behaviour: RawServer.Behaviour, feed: AsyncStream<String>.Continuation) {
        self.behaviour = behaviour
        self.feed = feed
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        received += String(buffer: unwrapInboundIn(data))
        guard let head = received.firstRange(of: "\r\n\r\n") else { return }
        let length = received.lowercased().firstMatch(of: /content-length: (\d+)/).flatMap { Int($0.1) } ?? 0
        guard received[head.upperBound...].utf8.count >= length else { return }
        feed.yield(received)
        received = ""
        switch behaviour {
        case .answer(let text), .stall(after: let text):
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: text)), promise: nil)
        case .cut(after: let text):
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: text)), promise: nil)
            context.close(promise: nil)
        }
    }
}
