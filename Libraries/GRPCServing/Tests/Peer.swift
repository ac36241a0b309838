import NIOCore
import NIOHPACK
import NIOHTTP2
import NIOPosix
import Synchronization
import Testing

@testable import GRPCServing

/// Memory with a limit.
final class TestMemory: GRPCMemory {
    private let held = Atomic(0)
    private let limit: Int

    init(_ limit: Int = .max) { self.limit = limit }

    var bytes: Int { held.load(ordering: .sequentiallyConsistent) }
    var isExhausted: Bool { bytes >= limit }

    func take(_ bytes: Int) -> Bool {
        overdraw(bytes)
        if self.bytes <= limit { return true }
        giveBack(bytes)
        return false
    }

    func overdraw(_ bytes: Int) { held.add(bytes, ordering: .sequentiallyConsistent) }

    func giveBack(_ bytes: Int) { held.subtract(bytes, ordering: .sequentiallyConsistent) }

    /// Waits until what is held meets a condition.
    func wait(for condition: (Int) -> Bool) async throws {
        while !condition(bytes) { try await Task.sleep(for: .milliseconds(1)) }
    }
}

/// A server with some methods, and a client's connection to it on which calls are made frame by frame.
struct Peer: Sendable {
    let server: GRPCConnections
    let connection: any Channel
    private let multiplexer: NIOHTTP2Handler.StreamMultiplexer
    /// The frames that belong to no stream.
    let rootFrames: AsyncStream<HTTP2Frame.FramePayload>

    /// Serves methods, and connects for the time of the body.
    static func connected(
        to methods: [String: GRPCMethod], streamWindow: Int = 1 << 20, requests: TestMemory = TestMemory(),
        answers: TestMemory = TestMemory(), _ change: (inout GRPCOptions) -> Void = { _ in },
        _ body: (Peer) async throws -> Void
    ) async throws {
        var options = GRPCOptions(requests: requests, answers: answers)
        change(&options)
        let server = GRPCConnections(methods: methods, options: options)
        let listener = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try server.add(channel) }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        var connection = NIOHTTP2Handler.ConnectionConfiguration()
        connection.initialSettings.append(HTTP2Setting(parameter: .initialWindowSize, value: streamWindow))
        var stream = NIOHTTP2Handler.StreamConfiguration()
        stream.targetWindowSize = streamWindow
        // The server resets streams that the client has reset, and the client counts them.
        stream.streamResetFrameRateLimit.maximumCount = 100_000
        let (frames, received) = AsyncStream<HTTP2Frame.FramePayload>.makeStream()
        let (channel, multiplexer) = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(to: try #require(listener.localAddress)) { [connection, stream] channel in
                channel.configureHTTP2Pipeline(
                    mode: .client, connectionConfiguration: connection, streamConfiguration: stream
                ) { $0.eventLoop.makeSucceededVoidFuture() }.flatMap { multiplexer in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(RootReceiver(received))
                        return (channel, multiplexer)
                    }
                }
            }
        try await body(
            Peer(server: server, connection: channel, multiplexer: multiplexer, rootFrames: frames))
        try? await channel.close()
        try await listener.close()
        server.cutOff()
        await server.ended()
    }

    /// Begins a call.
    func call(_ path: String, _ more: HPACKHeaders = [:], ends: Bool = false) async throws -> Call {
        let (frames, received) = AsyncStream<HTTP2Frame.FramePayload>.makeStream()
        let promise = connection.eventLoop.makePromise(of: (any Channel).self)
        multiplexer.createStreamChannel(promise: promise) { stream in
            stream.eventLoop.makeCompletedFuture {
                try stream.pipeline.syncOperations.addHandler(StreamReceiver(received))
            }
        }
        let stream = try await promise.futureResult.get()
        let standard: HPACKHeaders = [
            ":method": "POST", ":scheme": "http", ":path": path, ":authority": "a", "te": "trailers",
            "content-type": "application/grpc",
        ]
        var headers = HPACKHeaders(standard.map { ($0.name, more.first(name: $0.name) ?? $0.value) })
        for (name, value, _) in more where !standard.contains(name: name) { headers.add(name: name, value: value) }
        try await stream.writeAndFlush(HTTP2Frame.FramePayload.headers(.init(headers: headers, endStream: ends)))
        return Call(stream: stream, frames: frames.makeAsyncIterator())
    }

    struct Call {
        let stream: any Channel
        var frames: AsyncStream<HTTP2Frame.FramePayload>.AsyncIterator

        /// Sends the bytes of messages, or of their parts.
        func send(_ bytes: [UInt8], ends: Bool = false) async throws {
            let data = HTTP2Frame.FramePayload.Data(data: .byteBuffer(ByteBuffer(bytes: bytes)), endStream: ends)
            try await stream.writeAndFlush(HTTP2Frame.FramePayload.data(data))
        }

        /// Resets the stream.
        func reset() async { try? await stream.close() }

        /// The next frame; `nil` if the stream was closed.
        mutating func frame() async -> HTTP2Frame.FramePayload? { await frames.next(isolation: #isolation) }

        /// The fields and the bytes of the answer.
        mutating func answer() async -> (fields: [String: String], bytes: [UInt8]) {
            var fields: [String: String] = [:]
            var bytes: [UInt8] = []
            while let frame = await frame() {
                switch frame {
                case .headers(let headers):
                    for (name, value, _) in headers.headers { fields[name] = value }
                    if headers.endStream { return (fields, bytes) }
                case .data(let data):
                    if case .byteBuffer(let part) = data.data { bytes += part.readableBytesView }
                default: break
                }
            }
            return (fields, bytes)
        }
    }
}

/// A message with its prefix.
func framed(_ bytes: [UInt8]) -> [UInt8] { Array(GRPCMessage(bytes).framed.readableBytesView) }

private final class StreamReceiver: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame.FramePayload

    private let received: AsyncStream<HTTP2Frame.FramePayload>.Continuation

    init(_ received: AsyncStream<HTTP2Frame.FramePayload>.Continuation) { self.received = received }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) { received.yield(unwrapInboundIn(data)) }

    func channelInactive(context: ChannelHandlerContext) { received.finish() }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {}
}

private final class RootReceiver: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame

    private let received: AsyncStream<HTTP2Frame.FramePayload>.Continuation

    init(_ received: AsyncStream<HTTP2Frame.FramePayload>.Continuation) { self.received = received }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) { received.yield(unwrapInboundIn(data).payload) }

    func channelInactive(context: ChannelHandlerContext) { received.finish() }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {}
}
