import Logging
import NIOCore
import NIOHTTP1
import Testing

@testable import LambdaRuntime

extension FakeRuntimeAPI {
    /// A runtime for this API that loses no time between two tries.
    func runtime(concurrency: Int = 1, logger: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        throws -> LambdaRuntime
    {
        var runtime = LambdaRuntime(address: try address, concurrency: concurrency, logger: logger)
        runtime.pauses = [.zero, .zero, .zero]
        return runtime
    }

    /// Runs a test beside a runtime with a handler, and cancels that.
    func serving<Result>(
        concurrency: Int = 1, logger: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
        _ handler: @escaping @Sendable (Invocation) async throws -> [UInt8], _ test: () async throws -> Result
    ) async throws -> Result {
        let runtime = try runtime(concurrency: concurrency, logger: logger)
        let run = Task { try await runtime.run(handler) }
        do {
            let result = try await test()
            run.cancel()
            try await run.value
            return result
        } catch {
            run.cancel()
            _ = await run.result
            throw error
        }
    }

    /// Checks where the next thing is told, and where a body is given, what.
    func expectReport(_ path: String, _ body: String? = nil, at place: SourceLocation = #_sourceLocation) async throws {
        let report = try await report()
        #expect(report.path == "/2018-06-01/runtime/invocation/\(path)", sourceLocation: place)
        if let body { #expect(report.body == Array(body.utf8), sourceLocation: place) }
    }

    /// Gives a runtime what it asked for.
    func deliver(_ delivery: Delivery, on channel: any Channel) {
        switch delivery {
        case .event(let event): answer(.ok, event, on: channel)
        case .last(var event):
            event.headers.add(name: "Connection", value: "close")
            answer(.ok, event, on: channel)
        case .half(let event):
            channel.write(head(.ok, event, length: event.body.count), promise: nil)
            write(event.body.prefix(event.body.count / 2), on: channel)
            channel.flush()
            channel.close(promise: nil)
        case .chunks(let event):
            channel.writeAndFlush(head(.ok, event, length: nil), promise: nil)
            for byte in event.body {
                write([byte], on: channel)
                channel.flush()
            }
            channel.writeAndFlush(HTTPServerResponsePart.end(["Trailer-Of-A-Test": "yes"]), promise: nil)
        case .cut: channel.close(promise: nil)
        case .status(let status): answer(status, on: channel)
        }
    }

    /// Answers with a status, and with something that says why.
    func answer(_ status: HTTPResponseStatus, on channel: any Channel) {
        answer(status, Event(nil, Array(#"{"status":"as the test said"}"#.utf8)), on: channel)
    }

    private func answer(_ status: HTTPResponseStatus, _ event: Event, on channel: any Channel) {
        channel.write(head(status, event, length: event.body.count), promise: nil)
        write(event.body[...], on: channel)
        channel.writeAndFlush(HTTPServerResponsePart.end(nil), promise: nil)
    }

    private func head(_ status: HTTPResponseStatus, _ event: Event, length: Int?) -> HTTPServerResponsePart {
        var head = HTTPResponseHead(version: .http1_1, status: status, headers: event.headers)
        if let length { head.headers.add(name: "Content-Length", value: "\(length)") }
        return .head(head)
    }

    private func write(_ bytes: some Sequence<UInt8>, on channel: any Channel) {
        channel.write(HTTPServerResponsePart.body(.byteBuffer(ByteBuffer(bytes: bytes))), promise: nil)
    }
}

/// Hands each request to the API.
final class FakeRuntimeAPIHandler: ChannelInboundHandler {
    typealias InboundIn = NIOHTTPServerRequestFull

    private let api: FakeRuntimeAPI

    init(_ api: FakeRuntimeAPI) { self.api = api }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let request = Self.unwrapInboundIn(data)
        let body = request.body.map { Array($0.readableBytesView) } ?? []
        switch (request.head.method, request.head.uri) {
        case (.GET, "/2018-06-01/runtime/invocation/next"): api.next(on: context.channel)
        case (.POST, let path):
            api.tell(
                FakeRuntimeAPI.Report(path: path, headers: request.head.headers, body: body), on: context.channel)
        default: api.answer(.notFound, on: context.channel)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
