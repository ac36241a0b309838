import NIOCore
import NIOHTTP1

/// A response of the runtime API.
struct RuntimeAnswer: Sendable {
    var status: UInt
    var headers: HTTPHeaders = [:]
    /// The body; empty if it is too large.
    var body: [UInt8] = []
    /// Whether the body exceeded the maximum and was discarded.
    var isTooLarge = false
}

/// A request, and the promise of its answer.
struct Exchange: Sendable {
    let head: HTTPRequestHead
    let body: ByteBuffer?
    let answer: EventLoopPromise<RuntimeAnswer>
}

/// Sends requests, and completes the promise of each with its answer.
final class ExchangeHandler: ChannelDuplexHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = Never
    typealias OutboundIn = Exchange
    typealias OutboundOut = HTTPClientRequestPart

    private let maximumBody: Int
    private var pending: EventLoopPromise<RuntimeAnswer>?
    private var head: HTTPResponseHead?
    private var body = ByteBuffer()
    private var isTooLarge = false

    init(maximumBody: Int) { self.maximumBody = maximumBody }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let exchange = Self.unwrapOutboundIn(data)
        pending = exchange.answer
        context.write(Self.wrapOutboundOut(.head(exchange.head)), promise: nil)
        if let body = exchange.body { context.write(Self.wrapOutboundOut(.body(.byteBuffer(body))), promise: nil) }
        context.write(Self.wrapOutboundOut(.end(nil)), promise: promise)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch Self.unwrapInboundIn(data) {
        case .head(let head):
            self.head = head
            body = ByteBuffer()
            isTooLarge = false
        case .body(var part):
            // The rest is read all the same, so that the connection can be used again and the invocation can be
            // answered.
            isTooLarge = isTooLarge || body.readableBytes + part.readableBytes > maximumBody
            if isTooLarge { body = ByteBuffer() } else { body.writeBuffer(&part) }
        case .end: complete(context)
        }
    }

    private func complete(_ context: ChannelHandlerContext) {
        guard let head, let pending else { return }
        let answer = RuntimeAnswer(
            status: head.status.code, headers: head.headers, body: Array(body.readableBytesView),
            isTooLarge: isTooLarge)
        self.head = nil
        self.pending = nil
        body = ByteBuffer()
        // Before the promise, so that the next request finds the connection closed and opens another.
        if !head.isKeepAlive { context.close(promise: nil) }
        pending.succeed(answer)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        fail(error)
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        fail(ConnectionClosed())
        context.fireChannelInactive()
    }

    private func fail(_ error: any Error) {
        pending?.fail(error)
        pending = nil
    }
}
