import NIOCore
import NIOPosix
import Synchronization

/// One TCP connection, of which a test sees every byte that comes.
struct RawClient {
    /// What came of an answer until it was complete, or the connection was closed.
    struct Answer: Sendable {
        var text = ""
        var wasClosed = false

        /// The status; `nil` where no head came.
        var status: Int? {
            guard isHeadComplete else { return nil }
            return Int(text.split(separator: " ", maxSplits: 2).dropFirst().first ?? "")
        }

        var body: String { text.firstRange(of: "\r\n\r\n").map { String(text[$0.upperBound...]) } ?? "" }

        func header(_ name: String) -> String? {
            let lines = text.prefix(upTo: text.firstRange(of: "\r\n\r\n")?.lowerBound ?? text.endIndex)
                .split(separator: "\r\n")
            let line = lines.first { $0.lowercased().hasPrefix(name.lowercased() + ":") }
            return line.map { $0.drop { $0 != ":" }.dropFirst().drop { $0 == " " } }.map(String.init)
        }

        var isHeadComplete: Bool { text.contains("\r\n\r\n") }
        var isComplete: Bool {
            isHeadComplete && body.utf8.count == header("content-length").flatMap { Int($0) }
        }
    }

    fileprivate let channel: NIOAsyncChannel<ByteBuffer, ByteBuffer>

    /// Connects, runs the body, and closes the connection.
    static func connected<Result: Sendable>(
        to url: String, _ body: (inout Exchange) async throws -> sending Result
    ) async throws -> Result {
        let port = Int(url.split(separator: ":").last ?? "") ?? 0
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        return try await channel.executeThenClose { inbound, outbound in
            var exchange = Exchange(inbound: inbound.makeAsyncIterator(), outbound: outbound)
            return try await body(&exchange)
        }
    }

    /// Sends one request of DynamoDB on a connection of its own.
    static func call(
        _ url: String, _ operation: String, _ body: String, headers: [(String, String)] = []
    ) async throws -> Answer {
        try await connected(to: url) { try await $0.call(operation, body, headers: headers) }
    }

    /// Requests and answers on one connection.
    struct Exchange {
        var inbound: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator
        let outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>

        mutating func call(_ operation: String, _ body: String, headers: [(String, String)] = []) async throws -> Answer
        {
            try await send(operation, body, headers: headers)
            return await receive()
        }

        func send(_ operation: String, _ body: String, headers: [(String, String)] = []) async throws {
            let lines =
                [
                    ("Host", "dynamodb.test"), ("X-Amz-Target", "DynamoDB_20120810.\(operation)"),
                    ("Content-Type", "application/x-amz-json-1.0"), ("Content-Length", "\(body.utf8.count)"),
                    (
                        "Authorization",
                        "AWS4-HMAC-SHA256 Credential=test/20260101/eu-west-1/dynamodb/aws4_request, "
                            + "SignedHeaders=host, Signature=0"
                    ),
                ] + headers
            let head = lines.map { "\($0): \($1)\r\n" }.joined()
            try await outbound.write(ByteBuffer(string: "POST / HTTP/1.1\r\n\(head)\r\n\(body)"))
        }

        /// Reads until an answer is complete, or the connection is closed.
        mutating func receive() async -> Answer {
            var bytes = ByteBuffer()
            var answer = Answer()
            while !answer.isComplete {
                guard let more = try? await inbound.next(isolation: nil) else {
                    answer.wasClosed = true
                    break
                }
                bytes.writeImmutableBuffer(more)
                // Looking for the end is slow on megabytes; the last piece of an answer is hardly ever a full one.
                if bytes.readableBytes < 1 << 20 || more.readableBytes < 1 << 16 {
                    answer.text = String(buffer: bytes)
                }
            }
            return answer
        }
    }
}
