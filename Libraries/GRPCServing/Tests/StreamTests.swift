import NIOCore
import NIOHPACK
import NIOHTTP2
import Synchronization
import Testing

@testable import GRPCServing

@Suite("Streams of gRPC")
struct StreamTests {
    @Test("Requests and responses go both ways, until the client has no more")
    func echo() async throws {
        let method = GRPCMethod.stream(maximumBytes: 100) { _ in
            { requests, responses in
                for try await request in requests { try await responses.write(GRPCMessage(request.readableBytesView)) }
            }
        }
        let answers = TestMemory()
        try await Peer.connected(to: ["/a.B/C": method], answers: answers) { peer in
            var call = try await peer.call("/a.B/C")
            guard case .headers = await call.frame() else { return #expect(Bool(false), "no head before the messages") }
            for number in 0..<10 as Range<UInt8> {
                try await call.send(framed([number]))
                guard case .data(let data) = await call.frame(), case .byteBuffer(let bytes) = data.data else {
                    return #expect(Bool(false), "no answer to \(number)")
                }
                #expect(Array(bytes.readableBytesView) == framed([number]))
            }
            // The stream goes on, and holds nothing of what was read.
            try await answers.wait { $0 == 0 }
            // Many in one frame, of which the last one is cut.
            try await call.send(framed([1]) + framed([2]) + framed([3]).dropLast())
            try await call.send([3], ends: true)
            let end = await call.answer()
            #expect(end.bytes == framed([1]) + framed([2]) + framed([3]))
            #expect(end.fields["grpc-status"] == "0")
        }
    }

    @Test("A client that sends faster than its requests are read waits, and memory is bounded")
    func slowReader() async throws {
        let requests = TestMemory()
        let (go, gate) = AsyncStream<Void>.makeStream()
        let count = Atomic(0)
        let method = GRPCMethod.stream(maximumBytes: 100_000) { _ in
            { requests, responses in
                for await _ in go { break }
                for try await _ in requests { count.add(1, ordering: .sequentiallyConsistent) }
            }
        }
        try await Peer.connected(to: ["/a.B/C": method], requests: requests) { peer in
            var call = try await peer.call("/a.B/C")
            let message = framed([UInt8](repeating: 0, count: 50_000))
            let stream = call.stream
            // 5 MB, of which the window of the stream lets only a part through.
            let sent = Atomic(0)
            for number in 1...100 {
                let data = HTTP2Frame.FramePayload.Data(
                    data: .byteBuffer(ByteBuffer(bytes: message)), endStream: number == 100)
                stream.writeAndFlush(HTTP2Frame.FramePayload.data(data)).whenSuccess {
                    sent.add(1, ordering: .sequentiallyConsistent)
                }
            }
            try await requests.wait { $0 > 0 }
            // Another call goes through all the same, and what is held stays.
            for _ in 0..<20 {
                var other = try await peer.call("/a.B/D", ends: true)
                #expect(await other.answer().fields["grpc-status"] == "12")
                #expect(requests.bytes <= 256 << 10 + message.count)
                #expect(sent.load(ordering: .sequentiallyConsistent) < 20)
            }
            gate.yield()
            #expect(await call.answer().fields["grpc-status"] == "0")
            #expect(count.load(ordering: .sequentiallyConsistent) == 100)
            try await requests.wait { $0 == 0 }
        }
    }

    @Test("A stream that is refused reads what its client still sends, and forgets it")
    func refused() async throws {
        let requests = TestMemory()
        let method = GRPCMethod.stream(maximumBytes: 100) { _ in
            { requests, _ in for try await _ in requests {} }
        }
        try await Peer.connected(to: ["/a.B/C": method], requests: requests) { peer in
            var call = try await peer.call("/a.B/C")
            // Far more than the windows take.
            try await call.send(framed([UInt8](repeating: 0, count: 2 << 20)), ends: true)
            #expect(await call.answer().fields["grpc-status"] == "8")
            try await call.stream.closeFuture.get()
            try await requests.wait { $0 == 0 }
        }
    }

    @Test("A stream for whose request there is no memory is refused, and its method is cancelled")
    func overloaded() async throws {
        let (cancelled, cancel) = AsyncStream<Void>.makeStream()
        let method = GRPCMethod.stream(maximumBytes: 10_000) { _ in
            { _, _ in
                try? await Task.sleep(for: .seconds(3600))
                cancel.yield()
            }
        }
        try await Peer.connected(to: ["/a.B/C": method], requests: TestMemory(1000)) { peer in
            var call = try await peer.call("/a.B/C")
            try await call.send(framed([UInt8](repeating: 0, count: 2000)))
            #expect(await call.answer().fields["grpc-status"] == "8")
            for await _ in cancelled { break }
        }
    }

    @Test("A writer waits for a client that reads nothing, and is cut off with it")
    func slowClient() async throws {
        let answers = TestMemory()
        let (ended, end) = AsyncStream<Void>.makeStream()
        let written = Atomic(0)
        let method = GRPCMethod.stream(maximumBytes: 100) { _ in
            { _, responses in
                defer { end.yield() }
                while true {
                    try await responses.write(GRPCMessage(count: 1000))
                    written.add(1, ordering: .sequentiallyConsistent)
                }
            }
        }
        try await Peer.connected(to: ["/a.B/C": method], streamWindow: 2500, answers: answers) {
            $0.readingPatience = .milliseconds(200)
        } _: { peer in
            let call = try await peer.call("/a.B/C")
            try await call.stream.setOption(.autoRead, value: false).get()
            for await _ in ended { break }
            // Two fit into the window; HTTP/2 of the client takes what it has read off the window until autoRead ends.
            #expect(written.load(ordering: .sequentiallyConsistent) < 10)
            try await answers.wait { $0 == 0 }
        }
    }

    @Test("A stream ends with the error of its method, and when its client gives it up")
    func ends() async throws {
        let (ended, end) = AsyncStream<Void>.makeStream()
        let failing = GRPCMethod.stream(maximumBytes: 100) { _ in
            { _, _ in throw GRPCStatus(.notFound, "nothing") }
        }
        let refusing = GRPCMethod.stream(maximumBytes: 100) { _ in throw GRPCStatus(.notFound, "at once") }
        let reading = GRPCMethod.stream(maximumBytes: 100) { _ in
            { requests, _ in
                defer { end.yield() }
                for try await _ in requests {}
            }
        }
        try await Peer.connected(to: ["/a.B/C": failing, "/a.B/D": refusing, "/a.B/E": reading]) { peer in
            var call = try await peer.call("/a.B/C")
            #expect(await call.answer().fields["grpc-message"] == "nothing")
            call = try await peer.call("/a.B/D")
            guard case .headers(let only) = await call.frame() else { return #expect(Bool(false), "no answer") }
            #expect(only.endStream && only.headers.first(name: "grpc-message") == "at once")
            call = try await peer.call("/a.B/E")
            _ = await call.frame()
            await call.reset()
            for await _ in ended { break }
        }
    }
}
