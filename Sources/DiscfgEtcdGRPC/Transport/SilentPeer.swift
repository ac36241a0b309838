#if EtcdGRPC
import NIOCore

/// Closes a connection from which nothing was read for too long.
///
/// The transport's keepalive only begins a graceful close when a ping is not answered, and that waits for the answer
/// to another ping. A peer that is gone, or that never spoke HTTP/2, would so keep its connection.
final class SilentPeer: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let patience: TimeAmount
    private var lastRead = NIODeadline.now()
    private var check: Scheduled<Void>?

    init(patience: TimeAmount) {
        self.patience = patience
    }

    func handlerAdded(context: ChannelHandlerContext) {
        look(context, in: patience)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        check?.cancel()
        check = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        lastRead = .now()
        context.fireChannelRead(data)
    }

    func channelInactive(context: ChannelHandlerContext) {
        check?.cancel()
        check = nil
        context.fireChannelInactive()
    }

    /// One timer for each connection, not one for each read.
    private func look(_ context: ChannelHandlerContext, in delay: TimeAmount) {
        check = context.eventLoop.assumeIsolated().scheduleTask(in: delay) { [self] in
            let left = lastRead + patience - .now()
            if left > .nanoseconds(0) {
                look(context, in: left)
            } else {
                context.close(promise: nil)
            }
        }
    }
}
#endif
