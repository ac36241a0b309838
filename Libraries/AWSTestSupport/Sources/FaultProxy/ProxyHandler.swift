import NIOCore
import NIOHTTP1

/// Answers the requests of one connection, one after the other, as the faults have it.
///
/// It forwards on a connection of its own, which runs on the same event loop and lasts as long.
final class ProxyHandler: ChannelInboundHandler {
    typealias InboundIn = NIOHTTPServerRequestFull
    typealias OutboundOut = HTTPServerResponsePart

    /// How long the server may take to answer, and a client to read what it is sent.
    private static let patience = TimeAmount.seconds(60)

    private let proxy: FaultProxy
    private var upstream: HTTPConnection?
    private var isBusy = false

    init(_ proxy: FaultProxy) { self.proxy = proxy }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        // Clients that send before they are answered are not served.
        guard !isBusy else { return context.close(promise: nil) }
        isBusy = true
        let request = ProxiedRequest(Self.unwrapInboundIn(data))
        let draw = proxy.receive(request)
        if let draw, !draw.fault.takesEffect {
            guard let answer = ForgedAnswer(draw.fault, for: request, position: draw.position) else {
                return context.close(promise: nil)
            }
            return send(answer.response, to: request, context)
        }
        forward(request, context).assumeIsolated().whenComplete { result in
            switch result {
            // As if there were no proxy: where the server does not answer, neither does the proxy.
            case .failure: context.close(promise: nil)
            case .success(let answer):
                self.proxy.record(answer, to: request)
                self.finish(answer, to: request, draw, context)
            }
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        upstream?.close()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    /// Sends what the server answered, or what has become of it.
    private func finish(
        _ answer: NIOHTTPClientResponseFull, to request: ProxiedRequest, _ draw: FaultSequence.Draw?,
        _ context: ChannelHandlerContext
    ) {
        switch draw?.fault {
        case nil: send(answer, to: request, context)
        case .lostReply: context.close(promise: nil)
        case .cut: sendHalf(of: answer, context)
        case .silent: close(after: TimeAmount(proxy.silence), context)
        case .slow:
            context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(proxy.delay)) {
                self.send(answer, to: request, context)
            }
        case .crcMismatch:
            var answer = answer
            let sum = answer.head.headers.first(name: "x-amz-crc32").flatMap { UInt32($0) } ?? 0
            answer.head.headers.replaceOrAdd(name: "x-amz-crc32", value: "\(sum ^ 1)")
            send(answer, to: request, context)
        case let fault?:
            guard let forged = ForgedAnswer(fault, for: request, position: draw?.position ?? 0) else {
                return context.close(promise: nil)
            }
            send(forged.response, to: request, context)
        }
    }

    /// Sends a request on to the server.
    private func forward(_ request: ProxiedRequest, _ context: ChannelHandlerContext)
        -> EventLoopFuture<NIOHTTPClientResponseFull>
    {
        var head = request.head
        for name in ["Connection", "Keep-Alive", "Transfer-Encoding", "Expect", "Content-Length"] {
            head.headers.remove(name: name)
        }
        if let body = request.body { head.headers.add(name: "Content-Length", value: "\(body.readableBytes)") }
        if let upstream, upstream.isOpen { return upstream.send(head, request.body, patience: Self.patience) }
        return HTTPConnection.open(to: proxy.endpoint, on: context.eventLoop).assumeIsolated().flatMap { connection in
            self.upstream = connection
            if !context.channel.isActive { connection.close() }
            return connection.send(head, request.body, patience: Self.patience)
        }.nonisolated()
    }

    /// Sends an answer; then the next request may come, if the client wants to keep the connection.
    private func send(
        _ answer: NIOHTTPClientResponseFull, to request: ProxiedRequest, _ context: ChannelHandlerContext
    ) {
        let isLast = !request.head.isKeepAlive
        var head = response(answer)
        if isLast { head.headers.add(name: "Connection", value: "close") }
        context.write(Self.wrapOutboundOut(.head(head)), promise: nil)
        if let body = answer.body { context.write(Self.wrapOutboundOut(.body(.byteBuffer(body))), promise: nil) }
        // A client that does not read is given up, as one that does not write is by the server.
        let alarm = close(after: Self.patience, context)
        context.writeAndFlush(Self.wrapOutboundOut(.end(nil))).assumeIsolated().whenComplete { _ in
            alarm.cancel()
            self.isBusy = false
            if isLast { context.close(promise: nil) }
        }
    }

    /// Sends the head of an answer and the first half of its body.
    private func sendHalf(of answer: NIOHTTPClientResponseFull, _ context: ChannelHandlerContext) {
        let body = answer.body ?? ByteBuffer()
        let half = body.getSlice(at: body.readerIndex, length: body.readableBytes / 2) ?? ByteBuffer()
        context.write(Self.wrapOutboundOut(.head(response(answer))), promise: nil)
        close(after: Self.patience, context)
        context.writeAndFlush(Self.wrapOutboundOut(.body(.byteBuffer(half)))).assumeIsolated().whenComplete { _ in
            context.close(promise: nil)
        }
    }

    /// The head of an answer, for this connection, with the length of all of the body.
    private func response(_ answer: NIOHTTPClientResponseFull) -> HTTPResponseHead {
        var head = HTTPResponseHead(version: .http1_1, status: answer.head.status, headers: answer.head.headers)
        for name in ["Connection", "Keep-Alive", "Transfer-Encoding"] { head.headers.remove(name: name) }
        head.headers.replaceOrAdd(name: "Content-Length", value: "\(answer.body?.readableBytes ?? 0)")
        let offset = proxy.clockOffset
        if offset != .zero {
            head.headers.replaceOrAdd(name: "Date", value: HTTPDate.text(secondsFromNow: offset.components.seconds))
        }
        return head
    }

    @discardableResult
    private func close(after time: TimeAmount, _ context: ChannelHandlerContext) -> Scheduled<Void> {
        let channel = context.channel
        return context.eventLoop.scheduleTask(in: time) { channel.close(promise: nil) }
    }
}
