import DiscfgCore
import NIOCore
import NIOHTTP1

/// Refuses requests that two readers could understand in two ways, answers `Expect: 100-continue`, and reads what a client still
/// sends after its last answer.
///
/// It goes right behind NIO's decoder, because the version and repeated fields are not there any more later on.
/// Source: RFC 9110, section 10.1.1; RFC 9112, sections 3.2, 6.1 and 9.6.
final class RequestCheck: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// Requests that are not answered yet.
    private var open = 0
    private var isRefused = false
    /// Whether the body of the newest request is still coming.
    private var isBodyComing = false
    /// Whether the last answer was sent, so that nothing is passed on any more.
    private var isClosing = false
    /// What a client sends of a request that is answered already, or after its last answer; `nil` if there is nothing.
    private var drain: Drain?
    private let pace: BodyPace

    init(pace: BodyPace) { self.pace = pace }

    private struct Drain {
        let start = ContinuousClock.now
        var bytes = 0
        var next: Scheduled<Void>?
    }

    /// Maximum number of bytes that are read after an answer before the connection is closed all the same.
    private static let maximumDrained = 256 << 20

    /// Adds the check to the pipeline of a connection that speaks HTTP/1.
    static func add(to pipeline: ChannelPipeline.SynchronousOperations, pace: BodyPace) {
        guard let decoder = try? pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self) else { return }
        // It fails only where the pipeline is gone.
        try? pipeline.addHandler(RequestCheck(pace: pace), position: .after(decoder))
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isRefused else { return }
        let part = unwrapInboundIn(data)
        if isClosing { return count(part, context) }
        switch part {
        case .head(let head):
            if let status = Self.refusal(of: head) { return refuse(status, context) }
            open += 1
            isBodyComing = true
            if open == 1, head.expectsContinue {
                context.writeAndFlush(
                    wrapOutboundOut(.head(HTTPResponseHead(version: .http1_1, status: .continue))), promise: nil)
            }
        case .body: count(part, context)
        case .end:
            isBodyComing = false
            endDrain()
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data) {
            open -= 1
            // A refused body is still read, so that the next request can be found behind it.
            if open == 0, isBodyComing { beginDrain(context) }
        }
        context.write(data, promise: promise)
    }

    /// Hummingbird closes its side after the last answer and reads no more, but the client may send its whole request before it reads.
    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        context.close(mode: mode, promise: promise)
        guard mode == .output, !isClosing, context.channel.isActive else { return }
        isClosing = true
        beginDrain(context)
        context.read()
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        context.fireChannelReadComplete()
        if isClosing { context.read() }
    }

    func channelInactive(context: ChannelHandlerContext) {
        endDrain()
        context.fireChannelInactive()
    }

    private func beginDrain(_ context: ChannelHandlerContext) {
        guard drain == nil else { return }
        drain = Drain()
        look(context)
    }

    private func endDrain() {
        drain?.next?.cancel()
        drain = nil
    }

    /// Counts what comes after an answer.
    private func count(_ part: HTTPServerRequestPart, _ context: ChannelHandlerContext) {
        guard case .body(let bytes) = part, drain != nil else { return }
        drain?.bytes += bytes.readableBytes
        if drain?.bytes ?? 0 > Self.maximumDrained { context.close(promise: nil) }
    }

    /// Closes the connection if what is left of the request comes too slowly.
    ///
    /// After the last answer, it closes the connection also if the client does not close its side.
    private func look(_ context: ChannelHandlerContext) {
        guard let drain else { return }
        let left = drain.start + pace.patience(after: drain.bytes) - .now
        guard left > .zero else { return context.close(promise: nil) }
        self.drain?.next = context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(left) + .milliseconds(1)) {
            [self] in look(context)
        }
    }

    private func refuse(_ status: HTTPResponseStatus, _ context: ChannelHandlerContext) {
        isRefused = true
        guard open == 0 else {
            // The requests before it are answered first; this is how a malformed request ends as well.
            context.fireErrorCaught(HTTPParserError.invalidHeaderToken)
            return
        }
        let head = HTTPResponseHead(
            version: .http1_1, status: status, headers: ["Connection": "close", "Content-Length": "0"])
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        let loopBound = NIOLoopBound(context, eventLoop: context.eventLoop)
        context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in loopBound.value.close(promise: nil) }
    }

    /// The status by which a request is refused; `nil` if there is nothing wrong with it.
    private static func refusal(of head: HTTPRequestHead) -> HTTPResponseStatus? {
        if head.headers["Host"].count > 1 { return .badRequest }
        let encodings = head.headers[canonicalForm: "Transfer-Encoding"]
        guard !encodings.isEmpty else { return nil }
        if head.version != .http1_1 { return .badRequest }
        return encodings.count == 1 && encodings[0].lowercased() == "chunked" ? nil : .notImplemented
    }
}

extension HTTPRequestHead {
    fileprivate var expectsContinue: Bool {
        version == .http1_1 && headers["Expect"].contains { $0.lowercased() == "100-continue" }
    }
}
