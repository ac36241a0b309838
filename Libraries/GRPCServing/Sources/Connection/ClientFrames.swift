import NIOCore

/// Does what a client's PING and RST_STREAM frames ask, before NIO's HTTP/2 sees and counts them.
///
/// NIO closes a connection on which more than 200 of one kind come within 30 seconds, and a higher limit costs memory for
/// each connection. Clients of etcd in Go send a PING with almost every read, to measure the bandwidth, and give up calls by RST_STREAM.
/// They lose more than the connection: NIO's GOAWAY tells them that no call was carried out, and so they send writes again.
final class ClientFrames: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// So many resets within a window go to NIO, which does without an answer: two windows are below its limit.
    private static let passedResets = 90
    /// More of them are an attack; NIO is shown the rest, and ends it.
    private static let maximumResets = 3000
    /// So many PINGs are answered while the client reads nothing.
    private static let maximumUnread = 1000
    private static let window = TimeAmount.seconds(30)

    private let connection: GRPCConnection
    private var splitter = FrameSplitter()
    private var resets = (count: 0, since: NIODeadline.now())
    private var unread = 0
    private var hasAnswered = false

    init(_ connection: GRPCConnection) { self.connection = connection }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        connection.noteRead()
        for piece in splitter.split(unwrapInboundIn(data)) {
            switch piece {
            case .ping(let opaque, let frame): if !answer(opaque, context) { pass(frame, context) }
            case .reset(let stream, let frame): if !end(stream) { pass(frame, context) }
            case .other(let bytes): pass(bytes, context)
            }
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if hasAnswered {
            hasAnswered = false
            context.flush()
        }
        context.fireChannelReadComplete()
    }

    private func pass(_ bytes: ByteBuffer, _ context: ChannelHandlerContext) {
        context.fireChannelRead(wrapInboundOut(bytes))
    }

    /// Answers a PING, and tells whether it did: who does not read the answers is left to NIO, which ends the connection.
    private func answer(_ opaque: UInt64, _ context: ChannelHandlerContext) -> Bool {
        unread = context.channel.isWritable ? 0 : unread + 1
        guard unread <= Self.maximumUnread else { return false }
        var frame = ByteBuffer()
        // Length 8, type PING, flag ACK, stream 0.
        frame.writeBytes([0, 0, 8, 6, 1, 0, 0, 0, 0])
        frame.writeInteger(opaque)
        context.write(wrapOutboundOut(frame), promise: nil)
        hasAnswered = true
        return true
    }

    /// Ends a stream that the client gave up, and tells whether NIO need not be told.
    private func end(_ stream: Int) -> Bool {
        let now = NIODeadline.now()
        if now - resets.since > Self.window { resets = (0, now) }
        resets.count += 1
        guard resets.count > Self.passedResets, resets.count <= Self.maximumResets else { return false }
        // The client is sent a reset as well, for a stream that it has forgotten.
        return connection.close(stream)
    }
}
