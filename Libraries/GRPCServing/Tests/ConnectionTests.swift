import NIOCore
import NIOHPACK
import NIOHTTP2
import NIOPosix
import Testing

@testable import GRPCServing

@Suite("Connections of gRPC")
struct ConnectionTests {
    private static let empty = GRPCMethod.unary(maximumBytes: 100) { _, _ in GRPCWork { GRPCMessage(count: 0) } }

    private static let forever = GRPCMethod.unary(maximumBytes: 100, waits: true) { _, _ in
        GRPCWork {
            try await Task.sleep(for: .seconds(3600))
            return GRPCMessage(count: 0)
        }
    }

    @Test("A server that stops tells its clients twice, ends calls that wait, and closes after the last call")
    func stop() async throws {
        let (go, gate) = AsyncStream<Void>.makeStream()
        let slow = GRPCMethod.unary(maximumBytes: 100) { _, _ in
            GRPCWork {
                for await _ in go { break }
                return GRPCMessage(count: 0)
            }
        }
        try await Peer.connected(to: ["/a.B/Wait": Self.forever, "/a.B/Slow": slow]) { peer in
            var waiting = try await peer.call("/a.B/Wait")
            try await waiting.send(framed([]), ends: true)
            var working = try await peer.call("/a.B/Slow")
            try await working.send(framed([]), ends: true)
            // The server has both once it answers a third.
            var third = try await peer.call("/a.B/None", ends: true)
            _ = await third.answer()
            peer.server.stop()
            #expect(await waiting.answer().fields["grpc-status"] == "14")
            var last: [HTTP2StreamID] = []
            var frames = peer.rootFrames.makeAsyncIterator()
            while last.count < 2, let frame = await frames.next(isolation: #isolation) {
                if case .goAway(let id, .noError, _) = frame { last.append(id) }
            }
            #expect(last == [.maxID, 5])
            #expect(peer.connection.isActive)
            gate.yield()
            #expect(await working.answer().fields["grpc-status"] == "0")
            try await peer.connection.closeFuture.get()
            await peer.server.ended()
        }
    }

    @Test("What has not ended when its time is over is cut off")
    func drain() async throws {
        let (ended, end) = AsyncStream<Void>.makeStream()
        let stubborn = GRPCMethod.unary(maximumBytes: 100) { _, _ in
            GRPCWork {
                try? await Task.sleep(for: .seconds(3600))
                end.yield()
                return GRPCMessage(count: 0)
            }
        }
        try await Peer.connected(to: ["/a.B/C": stubborn]) {
            $0.drain = .milliseconds(50)
        } _: { peer in
            var call = try await peer.call("/a.B/C")
            try await call.send(framed([]), ends: true)
            var probe = try await peer.call("/a.B/None", ends: true)
            _ = await probe.answer()
            peer.server.stop()
            #expect(await call.answer().fields["grpc-status"] == nil)
            try await peer.connection.closeFuture.get()
        }
        // The end of the server cancels the work, which has no connection any more, and waits for it.
        for await _ in ended { break }
    }

    @Test("A call that waits and begins after the stop ends as well")
    func late() async throws {
        try await Peer.connected(to: ["/a.B/Wait": Self.forever]) { peer in
            // Held open, so that the connection is not closed at once.
            var open = try await peer.call("/a.B/Wait")
            var probe = try await peer.call("/a.B/None", ends: true)
            _ = await probe.answer()
            peer.server.stop()
            try await open.send(framed([]), ends: true)
            #expect(await open.answer().fields["grpc-status"] == "14")
            try await peer.connection.closeFuture.get()
        }
    }

    @Test("A client that gives up hundreds of calls keeps its connection, and one that gives up thousands loses it")
    func resets() async throws {
        try await Peer.connected(to: ["/a.B/C": Self.empty]) { peer in
            for _ in 0..<600 { await (try peer.call("/a.B/C")).reset() }
            var call = try await peer.call("/a.B/C")
            try await call.send(framed([]), ends: true)
            #expect(await call.answer().fields["grpc-status"] == "0")
            for _ in 0..<6000 where peer.connection.isActive {
                guard let call = try? await peer.call("/a.B/C") else { break }
                await call.reset()
            }
            try await peer.connection.closeFuture.get()
        }
    }

    @Test("A peer that says nothing, not even in answer to a PING, is closed")
    func silence() async throws {
        try await Peer.connected(to: [:]) {
            ($0.pingInterval, $0.pingPatience, $0.drain) = (.milliseconds(100), .milliseconds(100), .hours(1))
        } _: { peer in
            // It answers PINGs, and stays for a while.
            var frames = peer.rootFrames.makeAsyncIterator()
            var pings = 0
            while pings < 3, let frame = await frames.next(isolation: #isolation) {
                if case .ping(_, ack: false) = frame { pings += 1 }
            }
            #expect(pings == 3)
            try await peer.connection.setOption(.autoRead, value: false).get()
            // Only the server's side can tell: it has no connection any more.
            peer.server.stop()
            await peer.server.ended()
        }
    }

    /// A HEADERS or CONTINUATION frame with fields, each of 200 bytes or so, in plain HPACK.
    private static func fields(_ type: UInt8, _ count: Int, flags: UInt8 = 0) -> [UInt8] {
        let field: [UInt8] = [0, 1, UInt8(ascii: "f"), 100] + [UInt8](repeating: UInt8(ascii: "v"), count: 100)
        let payload = [[UInt8]](repeating: field, count: count).flatMap { $0 }
        return [0, UInt8(payload.count >> 8), UInt8(payload.count & 255), type, flags, 0, 0, 0, 1] + payload
    }

    @Test(
        "Too many fields, and too many frames of them, end the connection",
        arguments: [
            fields(1, 150) + fields(9, 150, flags: 4),
            (0..<100).reduce(into: fields(1, 1)) { bytes, _ in bytes += fields(9, 1) },
        ])
    func headerBombs(frames: [UInt8]) async throws {
        try await Peer.connected(to: ["/a.B/C": Self.empty]) { peer in
            let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
                .connect(to: try #require(peer.connection.remoteAddress)).get()
            let preface = [UInt8]("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + [0, 0, 0, 4, 0, 0, 0, 0, 0]
            try await channel.writeAndFlush(ByteBuffer(bytes: preface + frames))
            try await channel.closeFuture.get()
        }
    }
}
