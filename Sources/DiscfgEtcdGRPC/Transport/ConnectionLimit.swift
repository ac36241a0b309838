#if EtcdGRPC
import NIOCore

/// Accepts no further connection while as many are open as there may be; those that wait stay in the system's queue.
///
/// A few more than the limit can be accepted, because one read of the listening socket accepts several connections.
final class ConnectionLimit: ChannelDuplexHandler {
    typealias InboundIn = any Channel
    typealias InboundOut = any Channel
    typealias OutboundIn = Never

    private let limit: Int
    private var open = 0
    /// A read was asked for while the limit was reached.
    private var isReadDue = false

    init(_ limit: Int) {
        self.limit = limit
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let channel = unwrapInboundIn(data)
        open += 1
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        channel.closeFuture.hop(to: context.eventLoop).whenComplete { _ in
            let (handler, context) = bound.value
            handler.connectionClosed(context)
        }
        context.fireChannelRead(data)
    }

    func read(context: ChannelHandlerContext) {
        if open < limit {
            context.read()
        } else {
            isReadDue = true
        }
    }

    private func connectionClosed(_ context: ChannelHandlerContext) {
        open -= 1
        if isReadDue, open < limit {
            isReadDue = false
            context.read()
        }
    }
}
#endif
