public import NIOCore

/// Closes a connection whose client reads nothing of an answer for too long; goes into the pipeline of every connection.
///
/// What the system's buffers do not take waits in memory, for as long as the connection lives.
public final class StalledReader: ChannelInboundHandler, RemovableChannelHandler {
    /// The handler passes on every message as it is.
    public typealias InboundIn = NIOAny

    /// How long a client may read nothing.
    public static let standardPatience = TimeAmount.seconds(120)

    private let patience: TimeAmount
    private var check: Scheduled<Void>?

    /// A handler that closes a connection after its client has read nothing for this time.
    public init(patience: TimeAmount = standardPatience) { self.patience = patience }

    /// Starts the timer if the client does not take what is sent, and stops it if it does.
    public func channelWritabilityChanged(context: ChannelHandlerContext) {
        check?.cancel()
        check = nil
        if !context.channel.isWritable { look(context) }
        context.fireChannelWritabilityChanged()
    }

    /// Stops the timer of a connection that is closed.
    public func channelInactive(context: ChannelHandlerContext) {
        check?.cancel()
        check = nil
        context.fireChannelInactive()
    }

    /// Stops the timer of a connection whose pipeline is taken apart.
    public func handlerRemoved(context: ChannelHandlerContext) {
        check?.cancel()
        check = nil
    }

    private func look(_ context: ChannelHandlerContext) {
        let waiting = Self.waiting(context)
        check = context.eventLoop.assumeIsolated().scheduleTask(in: patience) { [self] in
            check = nil
            // Nothing is added while the connection is not writable, so any change means that the client reads.
            if Self.waiting(context) == waiting { context.close(promise: nil) } else { look(context) }
        }
    }

    /// The bytes that wait to be sent.
    private static func waiting(_ context: ChannelHandlerContext) -> Int? {
        try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)
    }
}
