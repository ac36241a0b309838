#if EtcdGRPC
import DiscfgCore
import NIOCore
import NIOHPACK
import NIOHTTP2
import NIOPosix
import Testing

/// A connection on which a test begins calls frame by frame.
struct RawStream {
    private let connection: any Channel
    private let multiplexer: NIOHTTP2Handler.StreamMultiplexer

    /// Connects for the time of the body; `streamWindow` is how much of an answer may be sent before it is read.
    static func connected(
        to port: Int, streamWindow: Int = 1 << 26, _ body: (RawStream) async throws -> Void
    ) async throws {
        var connection = NIOHTTP2Handler.ConnectionConfiguration()
        connection.initialSettings.append(HTTP2Setting(parameter: .initialWindowSize, value: streamWindow))
        connection.targetWindowSize = 1 << 26
        var stream = NIOHTTP2Handler.StreamConfiguration()
        stream.targetWindowSize = streamWindow
        // The pipeline is there before the first bytes of the server, which would be lost otherwise.
        let (channel, multiplexer) = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: "127.0.0.1", port: port) { [connection, stream] channel in
                channel.configureHTTP2Pipeline(
                    mode: .client, connectionConfiguration: connection, streamConfiguration: stream
                ) { $0.eventLoop.makeSucceededVoidFuture() }.map { (channel, $0) }
            }
        try await body(RawStream(connection: channel, multiplexer: multiplexer))
        try? await channel.close()
    }

    /// Begins a call; what comes back is read from the answer.
    func call(_ path: String, endsWithHeaders: Bool) async throws -> Call {
        let (frames, received) = AsyncStream<HTTP2Frame.FramePayload>.makeStream()
        let promise = connection.eventLoop.makePromise(of: (any Channel).self)
        multiplexer.createStreamChannel(promise: promise) { stream in
            stream.eventLoop.makeCompletedFuture {
                try stream.pipeline.syncOperations.addHandler(Receiver(received))
            }
        }
        let stream = try await promise.futureResult.get()
        let headers: HPACKHeaders = [
            ":method": "POST", ":scheme": "http", ":path": path, ":authority": "127.0.0.1",
            "content-type": "application/grpc", "te": "trailers",
        ]
        try await stream.writeAndFlush(
            HTTP2Frame.FramePayload.headers(.init(headers: headers, endStream: endsWithHeaders)))
        return Call(stream: stream, frames: frames.makeAsyncIterator())
    }

    /// Sends a PING every second while the body runs, as a client does whose connection is alive.
    func pinging(_ body: () async throws -> Void) async throws {
        let pings = connection.eventLoop.scheduleRepeatedTask(initialDelay: .zero, delay: .seconds(1)) {
            [connection] _ in
            let ping = HTTP2Frame(streamID: .rootStream, payload: .ping(HTTP2PingData(withInteger: 0), ack: false))
            connection.writeAndFlush(ping, promise: nil)
        }
        defer { pings.cancel() }
        try await body()
    }

    struct Call {
        let stream: any Channel
        var frames: AsyncStream<HTTP2Frame.FramePayload>.AsyncIterator

        func send(_ bytes: [UInt8], ends: Bool = false) async throws {
            let data = HTTP2Frame.FramePayload.Data(data: .byteBuffer(ByteBuffer(bytes: bytes)), endStream: ends)
            try await stream.writeAndFlush(HTTP2Frame.FramePayload.data(data))
        }

        /// The status of the call; `nil` if it was cut off.
        mutating func status() async throws -> String? { try await end().status }

        /// The status of the call and its message; `nil` if it was cut off.
        mutating func end() async throws -> (status: String?, message: String?) {
            while let frame = await frames.next(isolation: #isolation) {
                guard case .headers(let headers) = frame, let status = headers.headers.first(name: "grpc-status") else {
                    continue
                }
                return (status, headers.headers.first(name: "grpc-message"))
            }
            return (nil, nil)
        }
    }

    private final class Receiver: ChannelInboundHandler {
        typealias InboundIn = HTTP2Frame.FramePayload

        private let received: AsyncStream<HTTP2Frame.FramePayload>.Continuation

        init(_ received: AsyncStream<HTTP2Frame.FramePayload>.Continuation) { self.received = received }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) { received.yield(unwrapInboundIn(data)) }

        func channelInactive(context: ChannelHandlerContext) { received.finish() }
    }
}
#endif
