import GRPCServing
import HummingbirdCore
import Logging
import NIOCore

/// HTTP/1.1 and gRPC on one address: the first bytes of a connection tell which it speaks.
///
/// A client that knows that a server speaks HTTP/2 begins with the connection preface, which is no request of HTTP/1.1.
/// Source: RFC 9113, section 3.3.
struct OnePort: ServerChildChannel {
    let http1: HTTP1Channel
    /// What serves gRPC; `nil` if there is none.
    let gRPC: GRPCConnections?
    /// How long a client may take to say which protocol it speaks.
    var patience = TimeAmount.seconds(120)

    /// A connection, and what it turns out to speak.
    struct Value: ServerChildChannelValue {
        let channel: any Channel
        /// `nil` if it is gRPC.
        let http1: EventLoopFuture<HTTP1Channel.Value?>
    }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        guard let gRPC else {
            return http1.setup(channel: channel, logger: logger).map { http1 in
                Value(channel: channel, http1: channel.eventLoop.makeSucceededFuture(http1))
            }
        }
        return channel.eventLoop.makeCompletedFuture {
            let promise = channel.eventLoop.makePromise(of: HTTP1Channel.Value?.self)
            let first = FirstBytes(patience: patience, unknown: { promise.fail(ChannelError.eof) }) { isHTTP2 in
                guard isHTTP2 else {
                    return http1.setup(channel: channel, logger: logger).map { $0 }.cascade(to: promise)
                }
                promise.completeWith(
                    Result {
                        try gRPC.add(channel)
                        return nil
                    })
            }
            try channel.pipeline.syncOperations.addHandler(first)
            return Value(channel: channel, http1: promise.futureResult)
        }
    }

    func handle(value: Value, logger: Logger) async {
        await withTaskCancellationHandler {
            do {
                if let connection = try await value.http1.get() {
                    await http1.handle(value: connection, logger: logger)
                } else {
                    try await value.channel.closeFuture.get()
                }
            } catch {
                value.channel.close(promise: nil)
            }
        } onCancel: {
            value.channel.close(promise: nil)
        }
    }
}

/// Holds back the bytes of a connection until they tell which protocol it speaks; then it goes away.
final class FirstBytes: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

    private let patience: TimeAmount
    private let unknown: () -> Void
    private let choose: (Bool) -> Void
    private var bytes = ByteBuffer()
    private var timer: Scheduled<Void>?
    private var isKnown = false

    /// - Parameters:
    ///   - patience: How long the bytes may take to come before the connection is closed.
    ///   - unknown: Is called if the connection ends before.
    ///   - choose: Adds the handlers for HTTP/2, or else for HTTP/1.1.
    init(patience: TimeAmount, unknown: @escaping () -> Void, choose: @escaping (Bool) -> Void) {
        (self.patience, self.unknown, self.choose) = (patience, unknown, choose)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: patience) { context.close(promise: nil) }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        timer?.cancel()
        timer = nil
        if !isKnown { unknown() }
        isKnown = true
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isKnown else { return context.fireChannelRead(data) }
        let more = unwrapInboundIn(data)
        if bytes.readableBytes == 0 { bytes = more } else { bytes.writeImmutableBuffer(more) }
        let count = min(bytes.readableBytes, Self.preface.count)
        let isPreface = bytes.readableBytesView.prefix(count).elementsEqual(Self.preface.prefix(count))
        guard !isPreface || count == Self.preface.count else { return }
        isKnown = true
        choose(isPreface)
        let all = bytes
        bytes = ByteBuffer()
        context.fireChannelRead(wrapInboundOut(all))
        context.pipeline.syncOperations.removeHandler(self, promise: nil)
    }

    /// A client that says nothing more, or a server that stops, needs no protocol.
    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case ChannelEvent.inputClosed where !isKnown: context.close(promise: nil)
        case is ChannelShouldQuiesceEvent where !isKnown: context.close(promise: nil)
        default: context.fireUserInboundEventTriggered(event)
        }
    }
}
