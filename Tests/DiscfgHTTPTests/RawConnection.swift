import NIOCore
import NIOPosix
import Testing

/// A connection on which a test writes bytes, and reads what comes.
struct RawConnection {
    private var iterator: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator
    private let outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
    private var unread = ""

    /// Connects for the time of the body.
    static func with(port: Int?, _ body: (inout RawConnection) async throws -> Void) async throws {
        let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            // A server that has answered closes its side, and the client may go on sending.
            .channelOption(.allowRemoteHalfClosure, value: true)
            .connect(host: "127.0.0.1", port: try #require(port)) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        try await channel.executeThenClose { inbound, outbound in
            var connection = RawConnection(iterator: inbound.makeAsyncIterator(), outbound: outbound)
            try await body(&connection)
        }
    }

    func send(_ text: String) async throws { try await outbound.write(ByteBuffer(string: text)) }

    /// The next line, without its end; `nil` when the server closed the connection.
    mutating func line() async throws -> String? {
        while !unread.utf8.contains(UInt8(ascii: "\n")) {
            guard let next = try? await iterator.next(isolation: #isolation) else { return nil }
            unread += String(buffer: next)
        }
        let line = unread.utf8.prefix { $0 != UInt8(ascii: "\n") }
        unread = String(unread.utf8.dropFirst(line.count + 1)) ?? ""
        return String(line)?.filter { $0 != "\r" }
    }

    /// Waits until the server closes the connection.
    mutating func end() async throws { while try await line() != nil {} }
}

extension String {
    fileprivate init?(_ text: Substring.UTF8View) { self.init(Substring(text)) }
}
