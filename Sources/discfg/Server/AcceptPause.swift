import Logging
import NIOCore

/// Accepts no connection for a while when the system has no descriptor or memory for one; belongs to a listening channel.
///
/// NIO only holds back the next read of such a channel and goes on being woken up, which takes a whole core.
final class AcceptPause: ChannelInboundHandler {
    typealias InboundIn = any Channel

    private let pause: TimeAmount
    private let logger: Logger

    init(pause: TimeAmount = .seconds(1), logger: Logger) {
        self.pause = pause
        self.logger = logger
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let error = error as? IOError else {
            context.fireErrorCaught(error)
            return
        }
        logger.warning(
            "cannot accept connections now",
            metadata: ["error": "\(error)", "pause.ms": "\(pause.nanoseconds / 1_000_000)"])
        // Unlike a read that is held back, this ends the interest in the listening socket.
        try? context.channel.syncOptions?.setOption(.autoRead, value: false)
        context.eventLoop.assumeIsolated().scheduleTask(in: pause) {
            try? context.channel.syncOptions?.setOption(.autoRead, value: true)
        }
    }
}
