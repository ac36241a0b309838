#if EtcdGRPC
import NIOCore
import NIOPosix
import Testing

@testable import DiscfgEtcdGRPC

@Suite("Frames of clients")
struct FrameTests {
    private static let preface = [UInt8]("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
    private static let settings = frame(4, payload: [])

    /// A frame of HTTP/2.
    private static func frame(_ type: UInt8, flags: UInt8 = 0, stream: UInt8 = 0, payload: [UInt8]) -> [UInt8] {
        [0, UInt8(payload.count >> 8), UInt8(payload.count & 255), type, flags, 0, 0, 0, stream] + payload
    }

    private static func ping(_ number: UInt8, flags: UInt8 = 0) -> [UInt8] {
        frame(6, flags: flags, payload: [0, 0, 0, 0, 0, 0, 0, number])
    }

    @Test("A thousand PINGs are answered, and the connection goes on")
    func pings() async throws {
        try await EtcdGRPCFixture.open { fixture in
            let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
                .connect(host: "127.0.0.1", port: fixture.port) { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                    }
                }
            try await channel.executeThenClose { inbound, outbound in
                var received = ByteBuffer()
                var reader = inbound.makeAsyncIterator()
                try await outbound.write(ByteBuffer(bytes: Self.preface + Self.settings))
                for round in 0..<10 {
                    let pings = (0..<100).map { Self.ping(UInt8($0)) }
                    try await outbound.write(ByteBuffer(bytes: pings.flatMap { $0 }))
                    var answers = 0
                    while answers < 100 {
                        let bytes = try #require(try await reader.next(), "closed in round \(round)")
                        received.writeImmutableBuffer(bytes)
                        answers += Self.takeAnswers(&received)
                    }
                    #expect(answers == 100)
                }
            }
            try await fixture.expectServing()
        }
    }

    /// Takes out whole frames, and counts the answers to PINGs among them.
    private static func takeAnswers(_ bytes: inout ByteBuffer) -> Int {
        var answers = 0
        while let length = bytes.getInteger(at: bytes.readerIndex, as: UInt32.self).map({ Int($0 >> 8) }),
            bytes.readableBytes >= 9 + length, let frame = bytes.readBytes(length: 9 + length)
        {
            if frame[3] == 6, frame[4] == 1 { answers += 1 }
        }
        return answers
    }
}
#endif
