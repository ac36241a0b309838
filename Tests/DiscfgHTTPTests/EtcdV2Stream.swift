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
            try await lines.request(path)
            if closesInput { outbound.finish() }
            try await body(&lines)
        }
    }

    /// What comes, line by line.
    struct Lines {
        var iterator: NIOAsyncChannelInboundStream<HTTPClientResponsePart>.AsyncIterator
        let outbound: NIOAsyncChannelOutboundWriter<HTTPClientRequestPart>
        var rest = ""

        func request(_ path: String) async throws {
            let head = HTTPRequestHead(
                version: .http1_1, method: .GET, uri: path, headers: ["Host": "127.0.0.1", "Content-Length": "0"])
            try await outbound.write(.head(head))
            try await outbound.write(.end(nil))
        }

        /// The next line, without its end; `nil` when the connection ended.
        mutating func next() async throws -> String? {
            while !rest.contains("\n") {
                guard let part = try await iterator.next(isolation: #isolation) else { return nil }
                if case .body(let buffer) = part { rest += String(buffer: buffer) }
            }
            let line = rest.prefix { $0 != "\n" }
            rest = String(rest.dropFirst(line.count + 1))
            return String(line)
        }
    }
}
