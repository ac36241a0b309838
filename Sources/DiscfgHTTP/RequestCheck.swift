import NIOCore
import NIOHTTP1

/// Refuses requests that two readers could understand in two ways, and answers `Expect: 100-continue`.
///
/// It goes right behind NIO's decoder, because the version and repeated fields are not there any more later on.
/// Source: RFC 9110, section 10.1.1; RFC 9112, sections 3.2 and 6.1.
final class RequestCheck: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// Requests that are not answered yet.
    private var open = 0
    private var isRefused = false

    /// Adds the check to the pipeline of a connection that speaks HTTP/1.
    static func add(to pipeline: ChannelPipeline.SynchronousOperations) {
        guard let decoder = try? pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self) else { return }
        // It fails only where the pipeline is gone.
        try? pipeline.addHandler(RequestCheck(), position: .after(decoder))
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isRefused else { return }
        if case .head(let head) = unwrapInboundIn(data) {
            if let status = Self.refusal(of: head) { return refuse(status, context) }
            open += 1
            if open == 1, head.expectsContinue {
                context.writeAndFlush(
                    wrapOutboundOut(.head(HTTPResponseHead(version: .http1_1, status: .continue))), promise: nil)
            }
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data) { open -= 1 }
        context.write(data, promise: promise)
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
