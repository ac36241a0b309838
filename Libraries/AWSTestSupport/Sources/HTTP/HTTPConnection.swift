import NIOCore
import NIOHTTP1
import NIOPosix

/// A connection to a server, for one request after the other.
final class HTTPConnection: Sendable {
    /// The most bytes of a body in either direction: the largest answer of AWS has 16 MB, its base64 a third more.
    static let maximumBody = 32 << 20

    private let channel: any Channel

    private init(_ channel: any Channel) { self.channel = channel }

    /// Connects, on the event loop of the caller where it has one.
    static func open(to endpoint: Endpoint, on group: any EventLoopGroup) -> EventLoopFuture<HTTPConnection> {
        ClientBootstrap(group: group)
            .connectTimeout(.seconds(5))
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHTTPClientHandlers()
                    try pipeline.addHandler(NIOHTTPClientResponseAggregator(maxContentLength: maximumBody))
                    try pipeline.addHandler(ExchangeHandler())
                }
            }
            .connect(host: endpoint.host, port: endpoint.port)
            .map(HTTPConnection.init)
    }

    /// Whether another request can be sent.
    var isOpen: Bool { channel.isActive }

    /// Sends a request, and waits for its whole answer; then the next one may be sent.
    ///
    /// - Parameters:
    ///   - head: The request's head; it says itself how long the body is.
    ///   - body: The body.
    ///   - patience: How long to wait; after that the connection is closed.
    /// - Returns: The answer, whatever its status. Fails when the connection is closed before it is complete.
    func send(_ head: HTTPRequestHead, _ body: ByteBuffer?, patience: TimeAmount)
        -> EventLoopFuture<NIOHTTPClientResponseFull>
    {
        let answer = channel.eventLoop.makePromise(of: NIOHTTPClientResponseFull.self)
        let alarm = channel.eventLoop.scheduleTask(in: patience) { [channel] in channel.close(promise: nil) }
        answer.futureResult.whenComplete { _ in alarm.cancel() }
        channel.writeAndFlush(Exchange(head: head, body: body, answer: answer)).cascadeFailure(to: answer)
        return answer.futureResult
    }

    /// Closes the connection; a request under way fails.
    func close() { channel.close(promise: nil) }
}

/// The connection was closed before the answer was complete.
struct ConnectionClosed: Error {}

/// A request, and who waits for its answer.
private struct Exchange: Sendable {
    let head: HTTPRequestHead
    let body: ByteBuffer?
    let answer: EventLoopPromise<NIOHTTPClientResponseFull>
}

/// Sends requests, and hands each answer to who waits for it.
private final class ExchangeHandler: ChannelDuplexHandler {
    typealias InboundIn = NIOHTTPClientResponseFull
    typealias InboundOut = Never
    typealias OutboundIn = Exchange
    typealias OutboundOut = HTTPClientRequestPart

    private var pending: EventLoopPromise<NIOHTTPClientResponseFull>?

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let exchange = Self.unwrapOutboundIn(data)
        pending = exchange.answer
        context.write(Self.wrapOutboundOut(.head(exchange.head)), promise: nil)
        if let body = exchange.body { context.write(Self.wrapOutboundOut(.body(.byteBuffer(body))), promise: nil) }
        context.write(Self.wrapOutboundOut(.end(nil)), promise: promise)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let response = Self.unwrapInboundIn(data)
        pending?.succeed(response)
        pending = nil
        if !response.head.isKeepAlive { context.close(promise: nil) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        pending?.fail(error)
        pending = nil
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        pending?.fail(ConnectionClosed())
        pending = nil
        context.fireChannelInactive()
    }
}
