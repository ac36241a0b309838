import NIOCore
import NIOHTTP2

/// One connection: its calls, its end, and what it does when nothing comes.
///
/// It is the last handler of the connection, and gets the frames that belong to no stream. Source: gRFC A9 and
/// <https://www.rfc-editor.org/rfc/rfc9113#name-goaway>.
final class GRPCConnection: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame
    typealias OutboundOut = HTTP2Frame

    let server: GRPCConnections
    let eventLoop: any EventLoop
    private var context: ChannelHandlerContext?
    private var calls: [Int: CallHandler] = [:]
    private(set) var newest = 0
    /// Whether the client was told to begin no more calls.
    private(set) var isStopping = false
    /// Whether it has heard that.
    private var isLast = false
    private var lastRead = NIODeadline.now()
    private var isPinged = false
    private var silenceCheck: Scheduled<Void>?
    private var callCheck: Scheduled<Void>?
    private var drain: Scheduled<Void>?

    /// What the PING between the two GOAWAYs carries.
    private let stopMark = HTTP2PingData(withInteger: .random(in: 1 ... .max))

    init(_ server: GRPCConnections, _ eventLoop: any EventLoop) {
        self.server = server
        self.eventLoop = eventLoop
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        checkSilence(in: server.options.pingInterval)
    }

    func handlerRemoved(context: ChannelHandlerContext) { close() }

    func channelInactive(context: ChannelHandlerContext) {
        close()
        context.fireChannelInactive()
    }

    private func close() {
        context = nil
        silenceCheck?.cancel()
        callCheck?.cancel()
        drain?.cancel()
        (silenceCheck, callCheck, drain) = (nil, nil, nil)
    }

    /// Closes the connection of a peer that does not keep to HTTP/2; the error of one stream ends no other.
    ///
    /// A stream that the client begins before it has heard of the GOAWAY is an error to NIO.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch error {
        case is NIOHTTP2Errors.StreamError: break
        case is NIOHTTP2Errors.NoSuchStream where isStopping: break
        default: context.close(promise: nil)
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case is ChannelShouldQuiesceEvent: stop()
        // A client that will send nothing more cannot answer a PING either.
        case ChannelEvent.inputClosed: context.close(promise: nil)
        default: break
        }
        context.fireUserInboundEventTriggered(event)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .ping(let mark, ack: true) = unwrapInboundIn(data).payload, isStopping, !isLast, mark == stopMark {
            isLast = true
            write(.goAway(lastStreamID: HTTP2StreamID(newest), errorCode: .noError, opaqueData: nil))
            context.flush()
            closeIfDone()
        }
    }

    private func write(_ payload: HTTP2Frame.FramePayload) {
        context?.write(wrapOutboundOut(HTTP2Frame(streamID: .rootStream, payload: payload)), promise: nil)
    }
}

// Calls.
extension GRPCConnection {
    func add(_ call: CallHandler, _ stream: Int) {
        newest = max(newest, stream)
        calls[stream] = call
        if callCheck == nil { checkCalls() }
    }

    func remove(_ call: CallHandler, _ stream: Int) {
        if calls[stream] === call { calls[stream] = nil }
        closeIfDone()
    }

    /// Closes the stream of a call that its client has given up; returns whether there was ever one.
    func close(_ stream: Int) -> Bool {
        calls[stream]?.context?.close(promise: nil)
        return stream <= newest
    }

    /// Looks at all calls again and again, as long as there are some: one timer for all of them.
    private func checkCalls() {
        let options = server.options
        let patience = min(options.readingPatience, options.pace(0))
        let interval = TimeAmount.nanoseconds(min(max(patience.nanoseconds / 4, 10_000_000), 5_000_000_000))
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        callCheck = eventLoop.scheduleTask(in: interval) {
            let connection = bound.value
            connection.callCheck = nil
            let now = NIODeadline.now()
            for call in Array(connection.calls.values) { call.check(now) }
            if !connection.calls.isEmpty, connection.context != nil { connection.checkCalls() }
        }
    }
}

// The end.
extension GRPCConnection {
    /// Takes no more calls, and ends those that wait or stream.
    ///
    /// The client hears of it by a GOAWAY that ends nothing, and a PING. When it has answered that, it begins no more calls, and
    /// another GOAWAY names its last one.
    func stop() {
        guard !isStopping, let context else { return }
        isStopping = true
        write(.goAway(lastStreamID: .maxID, errorCode: .noError, opaqueData: nil))
        write(.ping(stopMark, ack: false))
        context.flush()
        for call in Array(calls.values) { call.stop() }
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        drain = eventLoop.scheduleTask(in: server.options.drain) { bound.value.context?.close(promise: nil) }
    }

    private func closeIfDone() {
        guard isLast, calls.isEmpty, context != nil else { return }
        // The last frames of the last call are flushed only after this.
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        eventLoop.execute { bound.value.context?.close(promise: nil) }
    }
}

// Silence.
extension GRPCConnection {
    /// Notes that the client is alive.
    func noteRead() {
        lastRead = .now()
        isPinged = false
    }

    /// Sends a PING if nothing has come for a while, and later closes the connection if nothing came of it.
    private func checkSilence(in delay: TimeAmount) {
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        silenceCheck = eventLoop.scheduleTask(in: delay) {
            let connection = bound.value
            let (options, silence) = (connection.server.options, NIODeadline.now() - connection.lastRead)
            if silence >= options.pingInterval + options.pingPatience {
                connection.context?.close(promise: nil)
                return
            }
            if silence >= options.pingInterval, !connection.isPinged {
                connection.isPinged = true
                connection.write(.ping(HTTP2PingData(withInteger: 0), ack: false))
                connection.context?.flush()
            }
            let next = connection.isPinged ? options.pingInterval + options.pingPatience : options.pingInterval
            connection.checkSilence(in: max(.milliseconds(1), next - silence))
        }
    }
}
