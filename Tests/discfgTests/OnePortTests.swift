import NIOCore
import NIOEmbedded
import Testing

@testable import discfg

@Suite("One port for HTTP/1.1 and gRPC")
struct OnePortTests {
    private static let preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

    /// What was chosen, and whether nothing was.
    private final class Choice {
        var isHTTP2: Bool?
        var isUnknown = false
    }

    private static func channel(_ choice: Choice) throws -> EmbeddedChannel {
        let first = FirstBytes(patience: .seconds(120), unknown: { choice.isUnknown = true }) { choice.isHTTP2 = $0 }
        let channel = EmbeddedChannel(handler: first)
        try channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        return channel
    }

    @Test(
        "The protocol is known by its first bytes, however they come, and no byte is lost",
        arguments: [
            (preface, true), (preface + "more", true), ("GET / HTTP/1.1\r\n\r\n", false),
            ("PUT /a HTTP/1.1\r\n", false), ("PRI /a HTTP/1.1\r\n\r\n", false),
            ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r ", false), ("X", false),
        ], [1, 3, 1000])
    func choice(first: (bytes: String, isHTTP2: Bool), size: Int) throws {
        let choice = Choice()
        let channel = try Self.channel(choice)
        let bytes = Array(first.bytes.utf8)
        for start in stride(from: 0, to: bytes.count, by: size) {
            try channel.writeInbound(ByteBuffer(bytes: bytes[start..<min(start + size, bytes.count)]))
        }
        #expect(choice.isHTTP2 == first.isHTTP2)
        var received = ByteBuffer()
        while let part = try channel.readInbound(as: ByteBuffer.self) { received.writeImmutableBuffer(part) }
        #expect(Array(received.readableBytesView) == bytes)
        #expect(throws: (any Error).self) { try channel.pipeline.syncOperations.handler(type: FirstBytes.self) }
        _ = try channel.finish()
        #expect(!choice.isUnknown)
    }

    @Test("A connection that does not tell its protocol is closed in time, at its half-close and at the server's end")
    func untold() throws {
        for end in [
            { ($0 as EmbeddedChannel).embeddedEventLoop.advanceTime(by: .seconds(120)) },
            { $0.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed) },
            { $0.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent()) },
        ] as [(EmbeddedChannel) -> Void] {
            let choice = Choice()
            let channel = try Self.channel(choice)
            try channel.writeInbound(ByteBuffer(string: "PRI"))
            #expect(channel.isActive && choice.isHTTP2 == nil)
            end(channel)
            channel.embeddedEventLoop.run()
            #expect(!channel.isActive && choice.isUnknown && choice.isHTTP2 == nil)
        }
    }
}
