import NIOCore
import NIOHPACK
import NIOHTTP2
import NIOPosix
import Synchronization
import Testing

@testable import GRPCServing

@Suite("Calls of gRPC")
struct CallTests {
    /// Answers with what it was sent.
    private static func echo(isQuick: Bool = false) -> GRPCMethod {
        .unary(maximumBytes: 100_000) { bytes, _ in
            GRPCWork(isQuick: isQuick) { GRPCMessage(bytes.readableBytesView) }
        }
    }

    /// Waits until its call is cancelled, and tells so.
    private static func waiting(_ cancelled: AsyncStream<Void>.Continuation) -> GRPCMethod {
        .unary(maximumBytes: 100, waits: true) { _, _ in
            GRPCWork {
                do {
                    try await Task.sleep(for: .seconds(3600))
                } catch {
                    cancelled.yield()
                    throw error
                }
                return GRPCMessage(count: 0)
            }
        }
    }

    @Test(
        "A request is answered by head, message and trailers, inline and from a task, small and large",
        arguments: [true, false], [0, 1, 10_000, 100_000])
    func answered(isQuick: Bool, size: Int) async throws {
        try await Peer.connected(to: ["/a.B/C": Self.echo(isQuick: isQuick)]) { peer in
            var call = try await peer.call("/a.B/C")
            let message = [UInt8](repeating: 7, count: size)
            try await call.send(framed(message), ends: true)
            let answer = await call.answer()
            #expect(answer.fields[":status"] == "200")
            #expect(answer.fields["content-type"] == "application/grpc")
            #expect(answer.fields["grpc-status"] == "0")
            #expect(answer.bytes == framed(message))
        }
    }

    @Test("Quick work begins on the event loop, other work and large requests do not")
    func quick() async throws {
        let quick = GRPCMethod.unary(maximumBytes: 100_000) { bytes, _ in
            let isInline = MultiThreadedEventLoopGroup.currentEventLoop != nil
            return GRPCWork(isQuick: true) {
                GRPCMessage([isInline, MultiThreadedEventLoopGroup.currentEventLoop != nil].map { $0 ? 1 : 0 })
            }
        }
        let other = GRPCMethod.unary(maximumBytes: 100_000) { _, _ in
            GRPCWork { GRPCMessage([MultiThreadedEventLoopGroup.currentEventLoop != nil ? 1 : 0]) }
        }
        try await Peer.connected(to: ["/a.B/Quick": quick, "/a.B/Other": other]) { peer in
            for (method, size, bytes) in [("Quick", 10, [1, 1]), ("Quick", 20_000, [0, 0]), ("Other", 10, [0])]
                as [(String, Int, [UInt8])]
            {
                var call = try await peer.call("/a.B/\(method)")
                try await call.send(framed([UInt8](repeating: 0, count: size)), ends: true)
                #expect(await call.answer().bytes == framed(bytes))
            }
        }
    }

    @Test(
        "What is not a call of a method is refused by its status",
        arguments: [
            ("/a.B/D", [:], "200", "12", "unknown method D for service a.B"),
            ("/a.C/D", [:], "200", "12", "unknown service a.C"), ("/", [:], "200", "12", "unknown service "),
            ("/a.B/C", ["content-type": "application/json"], "415", "3", "invalid gRPC request content-type"),
            ("/a.B/C", ["content-type": "application/grpcx"], "415", "3", "invalid gRPC request content-type"),
            ("/a.B/C", [":method": "PUT"], "405", "13", "gRPC calls are made by POST"),
            ("/a.B/C", ["grpc-timeout": "soon"], "200", "13", "malformed grpc-timeout: soon"),
            (
                "/a.B/C", ["grpc-encoding": "br"], "200", "12",
                "grpc: Decompressor is not installed for grpc-encoding \"br\""
            ),
        ] as [(String, [String: String], String, String, String)])
    func refused(path: String, fields: [String: String], status: String, code: String, message: String) async throws {
        try await Peer.connected(to: ["/a.B/C": Self.echo()]) { peer in
            var call = try await peer.call(path, HPACKHeaders(fields.map { ($0.key, $0.value) }), ends: true)
            let answer = await call.answer().fields
            #expect(answer[":status"] == status)
            #expect(answer["grpc-status"] == code)
            #expect(answer["grpc-message"] == message)
            #expect(answer["grpc-accept-encoding"] == (fields["grpc-encoding"] == nil ? nil : "identity"))
        }
    }

    @Test(
        "A content type of gRPC may name its messages",
        arguments: ["application/grpc+proto", "application/grpc; charset=utf-8", "Application/gRPC"])
    func contentTypes(type: String) async throws {
        try await Peer.connected(to: ["/a.B/C": Self.echo()]) { peer in
            var call = try await peer.call("/a.B/C", ["content-type": type])
            try await call.send(framed([1]), ends: true)
            #expect(await call.answer().fields["grpc-status"] == "0")
        }
    }

    @Test(
        "Requests that are not one message are refused, and the connection goes on",
        arguments: [
            ([], "12", "no request"), (framed([1]) + framed([2]), "12", "more than one request"),
            ([0, 0, 0, 0, 2, 1], "13", "the request ends within a message"),
            ([1, 0, 0, 0, 1, 1], "13", "grpc: compressed flag set with identity or empty encoding"),
            ([0, 1, 0, 0, 0, 1], "8", "grpc: received message larger than max (16777216 vs. 100000)"),
        ] as [([UInt8], String, String)])
    func malformed(bytes: [UInt8], code: String, message: String) async throws {
        let requests = TestMemory()
        try await Peer.connected(to: ["/a.B/C": Self.echo()], requests: requests) { peer in
            var call = try await peer.call("/a.B/C")
            try await call.send(bytes, ends: true)
            let answer = await call.answer().fields
            #expect(answer["grpc-status"] == code)
            #expect(answer["grpc-message"] == message)
            var next = try await peer.call("/a.B/C")
            try await next.send(framed([1]), ends: true)
            #expect(await next.answer().fields["grpc-status"] == "0")
            try await requests.wait { $0 == 0 }
        }
    }

    @Test("A client may go on sending what was refused, and then hears no more of it")
    func refusedEarly() async throws {
        try await Peer.connected(to: ["/a.B/C": Self.echo()]) { peer in
            var call = try await peer.call("/a.B/C")
            try await call.send([0, 0, 20, 0, 0])
            #expect(await call.answer().fields["grpc-status"] == "8")
            for _ in 0..<20 { try await call.send([UInt8](repeating: 0, count: 50_000)) }
            try await call.send([], ends: true)
            try await call.stream.closeFuture.get()
            #expect(peer.connection.isActive)
        }
    }

    @Test("A call that waits ends and is cancelled when its time is over")
    func timeout() async throws {
        let (cancelled, continuation) = AsyncStream<Void>.makeStream()
        try await Peer.connected(to: ["/a.B/C": Self.waiting(continuation)]) { peer in
            var call = try await peer.call("/a.B/C", ["grpc-timeout": "20m"])
            try await call.send(framed([1]), ends: true)
            #expect(await call.answer().fields["grpc-status"] == "4")
            for await _ in cancelled { break }
        }
    }

    @Test(
        "Other work goes on to its end when its time is over and when its client gives it up",
        arguments: [true, false])
    func carriedOut(byTimeout: Bool) async throws {
        let (go, gate) = AsyncStream<Void>.makeStream()
        let (done, end) = AsyncStream<Bool>.makeStream()
        let method = GRPCMethod.unary(maximumBytes: 100) { _, _ in
            GRPCWork {
                for await _ in go { break }
                end.yield(!Task.isCancelled)
                return GRPCMessage(count: 0)
            }
        }
        try await Peer.connected(to: ["/a.B/C": method]) { peer in
            var call = try await peer.call("/a.B/C", byTimeout ? ["grpc-timeout": "20m"] : [:])
            try await call.send(framed([1]), ends: true)
            if byTimeout { #expect(await call.answer().fields["grpc-status"] == "4") } else { await call.reset() }
            // The server has heard of the reset once it answers another call.
            var other = try await peer.call("/a.B/None", ends: true)
            _ = await other.answer()
            gate.yield()
            for await isDone in done {
                #expect(isDone)
                break
            }
        }
    }

    @Test("Work that waits is cancelled when the client gives the call up or is gone", arguments: [true, false])
    func cancelled(byReset: Bool) async throws {
        let (cancelled, continuation) = AsyncStream<Void>.makeStream()
        try await Peer.connected(to: ["/a.B/C": Self.waiting(continuation)]) { peer in
            let call = try await peer.call("/a.B/C")
            try await call.send(framed([1]), ends: true)
            if byReset { await call.reset() } else { try? await peer.connection.close() }
            for await _ in cancelled { break }
        }
    }

    @Test("A request that comes too slowly is cut off, also one that has come and does not end")
    func pace() async throws {
        try await Peer.connected(to: ["/a.B/C": Self.echo()]) {
            $0.pace = { _ in .milliseconds(50) }
        } _: { peer in
            for bytes in [[0, 0, 0, 0, 9, 1], framed([1])] {
                var call = try await peer.call("/a.B/C")
                try await call.send(bytes)
                #expect(await call.answer().fields["grpc-status"] == nil)
            }
            #expect(peer.connection.isActive)
        }
    }

    @Test("Requests share their memory, beyond which a call is refused")
    func memory() async throws {
        let requests = TestMemory(1000)
        try await Peer.connected(to: ["/a.B/C": Self.echo()], requests: requests) { peer in
            let first = try await peer.call("/a.B/C")
            try await first.send(Array(framed([UInt8](repeating: 0, count: 900)).dropLast()))
            try await requests.wait { $0 == 904 }
            var second = try await peer.call("/a.B/C")
            try await second.send(framed([UInt8](repeating: 0, count: 200)), ends: true)
            #expect(await second.answer().fields["grpc-status"] == "8")
            await first.reset()
            try await requests.wait { $0 == 0 }
        }
    }
}
