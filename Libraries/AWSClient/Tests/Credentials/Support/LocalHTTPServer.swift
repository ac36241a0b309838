import AWSClient
import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// A real server of HTTP on this machine, which answers as a test says, and remembers what it was asked.
final class LocalHTTPServer: Sendable {
    /// What somebody asked.
    struct Request: Sendable {
        var method = ""
        /// The path, and the query behind its question mark.
        var target = ""
        var headers: [HTTPHeader] = []
        var body: [UInt8] = []

        var text: String { String(decoding: body, as: UTF8.self) }

        func header(_ name: String) -> String? { HTTPResponse(status: 0, headers: headers).header(name) }
    }

    /// What is answered; `nil` is never answered, and the connection stays open.
    typealias Answer = @Sendable (Request) -> HTTPResponse?

    private let answer: Answer
    private let log = Mutex<[Request]>([])
    private let address = Mutex<SocketAddress?>(nil)

    private init(_ answer: @escaping Answer) { self.answer = answer }

    /// Runs a test with a server, and a transport that reaches it.
    static func with<Result: Sendable>(
        _ answer: @escaping Answer, body: (LocalHTTPServer, any HTTPTransport) async throws -> Result
    ) async throws -> Result {
        let server = LocalHTTPServer(answer)
        let channel = try await server.start()
        let transport = AsyncHTTPClientTransport()
        let result: Swift.Result<Result, any Error>
        do {
            result = .success(try await body(server, transport))
        } catch {
            result = .failure(error)
        }
        try await transport.shutdown()
        try await channel.close()
        return try result.get()
    }

    /// Such as `127.0.0.1:49152`.
    var authority: String { "127.0.0.1:\(address.withLock { $0?.port } ?? 0)" }
    var url: String { "http://\(authority)" }
    var requests: [Request] { log.withLock { $0 } }

    private func start() async throws -> any Channel {
        let bootstrap = ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .serverChannelOption(.backlog, value: 256)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    try channel.pipeline.syncOperations.addHandler(Handler(self))
                }
            }
        let channel = try await bootstrap.bind(host: "127.0.0.1", port: 0).get()
        address.withLock { $0 = channel.localAddress }
        return channel
    }

    private func response(to request: Request) -> HTTPResponse? {
        log.withLock { $0.append(request) }
        return answer(request)
    }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = HTTPServerRequestPart
        typealias OutboundOut = HTTPServerResponsePart

        private let server: LocalHTTPServer
        private var request = Request()

        init(_ server: LocalHTTPServer) { self.server = server }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch unwrapInboundIn(data) {
            case .head(let head):
                let headers = head.headers.map { HTTPHeader($0.name, $0.value) }
                request = Request(method: head.method.rawValue, target: head.uri, headers: headers)
            case .body(let buffer): request.body += Array(buffer.readableBytesView)
            case .end: answer(context)
            }
        }

        private func answer(_ context: ChannelHandlerContext) {
            guard let response = server.response(to: request) else { return }
            var headers = HTTPHeaders(response.headers.map { ($0.name, $0.value) })
            headers.replaceOrAdd(name: "Content-Length", value: String(response.body.count))
            let head = HTTPResponseHead(
                version: .http1_1, status: .init(statusCode: response.status), headers: headers)
            context.write(wrapOutboundOut(.head(head)), promise: nil)
            context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: response.body)))), promise: nil)
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        }
    }
}

extension HTTPResponse {
    /// An answer with text.
    static func text(_ text: String, status: Int = 200) -> HTTPResponse {
        HTTPResponse(status: status, body: Array(text.utf8))
    }
}
