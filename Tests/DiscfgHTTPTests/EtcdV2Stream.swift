import NIOCore
import NIOHTTP1
import NIOPosix

/// A client of its own connection, which reads answers as they come.
struct EtcdV2Stream: Sendable {
    let port: Int

    /// Sends a request, runs the test while the answer comes, and closes the connection.
    func with(
        _ path: String, closesInput: Bool = false, _ body: @escaping @Sendable (inout Lines) async throws -> Void
    ) async throws {
        try await connected { lines in
            try await lines.request(path)
            if closesInput { lines.outbound.finish() }
            try await body(&lines)
        }
    }

    /// Runs the test with a connection, and closes it.
    func connected(_ body: @escaping @Sendable (inout Lines) async throws -> Void) async throws {
        let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHTTPClientHandlers()
                    return try NIOAsyncChannel<HTTPClientResponsePart, HTTPClientRequestPart>(
                        wrappingChannelSynchronously: channel, configuration: .init(isOutboundHalfClosureEnabled: true))
                }
            }
        try await channel.executeThenClose { inbound, outbound in
            var lines = Lines(iterator: inbound.makeAsyncIterator(), outbound: outbound)
            try await body(&lines)
        }
    }

    /// What comes, line by line.
    struct Lines {
        var iterator: NIOAsyncChannelInboundStream<HTTPClientResponsePart>.AsyncIterator
        let outbound: NIOAsyncChannelOutboundWriter<HTTPClientRequestPart>
        var rest = ""
        var head: HTTPResponseHead?

        func request(_ path: String) async throws {
            let head = HTTPRequestHead(
                version: .http1_1, method: .GET, uri: path, headers: ["Host": "127.0.0.1", "Content-Length": "0"])
            try await outbound.write(.head(head))
            try await outbound.write(.end(nil))
        }

        /// Sends a request with a body; one that is not whole goes on with `send`.
        func post(_ path: String, _ text: String, isWhole: Bool = true) async throws {
            let length = isWhole ? ("Content-Length", "\(text.utf8.count)") : ("Transfer-Encoding", "chunked")
            let head = HTTPRequestHead(
                version: .http1_1, method: .POST, uri: path, headers: HTTPHeaders([("Host", "127.0.0.1"), length]))
            try await outbound.write(.head(head))
            try await send(text)
            if isWhole { try await finish() }
        }

        /// Sends more of a body.
        func send(_ text: String) async throws {
            try await outbound.write(.body(.byteBuffer(ByteBuffer(string: text))))
        }

        /// Ends the body.
        func finish() async throws { try await outbound.write(.end(nil)) }

        /// The status and the type of the answer that came last.
        var kind: String? { head.map { "\($0.status.code) \($0.headers.first(name: "Content-Type") ?? "")" } }

        /// Waits for the end of an answer; tells whether it came before anything else.
        mutating func hasEnded() async throws -> Bool {
            guard rest.isEmpty else { return false }
            while let part = try await iterator.next(isolation: #isolation) {
                switch part {
                case .head(let head): self.head = head
                case .body(let buffer): return buffer.readableBytes == 0
                case .end: return true
                }
            }
            return true
        }

        /// The next chunk of the body; `nil` when the answer ended.
        mutating func chunk() async throws -> String? {
            while let part = try await iterator.next(isolation: #isolation) {
                switch part {
                case .head(let head): self.head = head
                case .body(let buffer): return String(buffer: buffer)
                case .end: return nil
                }
            }
            return nil
        }

        /// The next line, without its end; `nil` when the connection ended.
        mutating func next() async throws -> String? {
            while !rest.contains("\n") {
                guard let part = try await iterator.next(isolation: #isolation) else { return nil }
                switch part {
                case .head(let head): self.head = head
                case .body(let buffer): rest += String(buffer: buffer)
                case .end: break
                }
            }
            let line = rest.prefix { $0 != "\n" }
            rest = String(rest.dropFirst(line.count + 1))
            return String(line)
        }
    }
}
