#if EtcdGRPC
import DiscfgCore
import GRPCCore
import NIOCore
import NIOHPACK
import NIOHTTP2

/// Bounds what one call holds, and how long it may take to come or to be read; the first handler of each stream.
///
/// It also passes on the end of a call that ends with its headers, for which grpc-swift's transport waits in vain.
final class StreamGuard: ChannelDuplexHandler {
    typealias InboundIn = HTTP2Frame.FramePayload
    typealias InboundOut = HTTP2Frame.FramePayload
    typealias OutboundIn = HTTP2Frame.FramePayload
    typealias OutboundOut = HTTP2Frame.FramePayload

    private let limits: RequestLimits
    private let request: MemoryHold
    private let answer: MemoryHold
    private var framing = MessageFraming()
    private var hasBegun = false
    private var hasAnswered = false
    private var isRefused = false
    /// When the message that is coming began.
    private var since = NIODeadline.now()
    private var paceCheck: Scheduled<Void>?
    /// Bytes of the answer that the client has not let through yet.
    private var unread = 0
    private var readingCheck: Scheduled<Void>?

    init(_ limits: RequestLimits) {
        self.limits = limits
        request = MemoryHold(of: limits.bodies)
        answer = MemoryHold(of: limits.answers)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isRefused else { return }
        switch unwrapInboundIn(data) {
        case .headers(var headers) where !hasBegun:
            hasBegun = true
            guard !limits.answers.isExhausted else { return refuse(context) }
            let hasEnded = headers.endStream
            headers.endStream = false
            context.fireChannelRead(wrapInboundOut(.headers(headers)))
            if hasEnded {
                context.fireChannelRead(wrapInboundOut(.data(.init(data: .byteBuffer(ByteBuffer()), endStream: true))))
            }
        case .data(let part):
            if case .byteBuffer(let buffer) = part.data, !count(buffer) { return refuse(context) }
            context.fireChannelRead(data)
        default: context.fireChannelRead(data)
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if !framing.isWithin {
            paceCheck?.cancel()
            paceCheck = nil
        } else if paceCheck == nil {
            since = .now()
            checkPace(context)
        }
        context.fireChannelReadComplete()
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        hasAnswered = true
        guard case .data(let part) = unwrapOutboundIn(data), part.data.readableBytes > 0 else {
            context.write(data, promise: promise)
            return
        }
        let size = part.data.readableBytes
        // Small answers count too: a client can have thousands of calls on each of its connections, and read none.
        answer.overdraw(size)
        unread += size
        let written = promise ?? context.eventLoop.makePromise()
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        written.futureResult.whenComplete { _ in bound.value.0.noteRead(size, bound.value.1) }
        context.write(data, promise: written)
        guard readingCheck == nil else { return }
        // Most answers are sent at once, and need no timer.
        context.eventLoop.assumeIsolated().execute { [self] in
            if unread > 0, readingCheck == nil { checkReading(context) }
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        paceCheck?.cancel()
        readingCheck?.cancel()
        (paceCheck, readingCheck) = (nil, nil)
        unread = 0
        request.release()
        answer.release()
    }

    /// Counts what came of messages; returns `false` if there is no memory for it.
    private func count(_ buffer: ByteBuffer) -> Bool {
        var rest = buffer
        while rest.readableBytes > 0 {
            // The message before has been handed on.
            if !framing.isWithin { request.release() }
            let size = framing.take(&rest)
            guard request.take(size) else { return false }
        }
        return true
    }

    private func noteRead(_ size: Int, _ context: ChannelHandlerContext) {
        unread -= size
        answer.giveBack(size)
        guard let check = readingCheck else { return }
        // Progress: the client has its time again.
        check.cancel()
        readingCheck = nil
        if unread > 0 { checkReading(context) }
    }

    private func checkPace(_ context: ChannelHandlerContext) {
        let patience = TimeAmount(limits.pace.patience(after: framing.received))
        let left = since + patience - .now()
        guard left > .nanoseconds(0) else {
            context.close(promise: nil)
            return
        }
        paceCheck = context.eventLoop.assumeIsolated().scheduleTask(in: left) { [self] in checkPace(context) }
    }

    private func checkReading(_ context: ChannelHandlerContext) {
        let patience = TimeAmount(limits.readingPatience)
        readingCheck = context.eventLoop.assumeIsolated().scheduleTask(in: patience) { context.close(promise: nil) }
    }

    /// Tells the client that the server has no memory for its call, as etcd does when too many requests wait.
    private func refuse(_ context: ChannelHandlerContext) {
        isRefused = true
        request.release()
        var trailers: HPACKHeaders = [
            "grpc-status": "\(Status.Code.resourceExhausted.rawValue)", "grpc-message": "etcdserver: too many requests",
        ]
        if !hasAnswered {
            let head: HPACKHeaders = [":status": "200", "content-type": "application/grpc"]
            trailers = HPACKHeaders(head.map { ($0.name, $0.value) } + trailers.map { ($0.name, $0.value) })
        }
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        context.writeAndFlush(wrapOutboundOut(.headers(.init(headers: trailers, endStream: true)))).whenComplete { _ in
            bound.value.close(promise: nil)
        }
    }
}

/// Where messages begin and end in the bytes of a call.
///
/// Source: <https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md>.
struct MessageFraming {
    /// A flag and a length of four bytes.
    private static let prefixBytes = 5

    private var prefix: [UInt8] = []
    private var left = 0
    /// The bytes of the message that is coming.
    private(set) var received = 0

    /// Whether a message has begun and not ended.
    var isWithin: Bool { left > 0 || !prefix.isEmpty }

    /// Takes the bytes of the message that is coming, or that begins; returns how many.
    mutating func take(_ bytes: inout ByteBuffer) -> Int {
        if left == 0 {
            if prefix.isEmpty { received = 0 }
            let part = bytes.readBytes(length: min(Self.prefixBytes - prefix.count, bytes.readableBytes)) ?? []
            prefix += part
            received += part.count
            if prefix.count == Self.prefixBytes {
                left = prefix[1...].reduce(0) { $0 << 8 | Int($1) }
                prefix = []
            }
            return part.count
        }
        let size = min(left, bytes.readableBytes)
        bytes.moveReaderIndex(forwardBy: size)
        left -= size
        received += size
        return size
    }
}
#endif
