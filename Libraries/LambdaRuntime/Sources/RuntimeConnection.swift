import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// A connection to the runtime API, for one request at a time; if it is lost, the next request opens another.
///
/// Requests have no timeout. Lambda suspends the whole machine between two invocations, so a request may take any time,
/// and it kills a process that does not answer in time.
final class RuntimeConnection: Sendable {
    /// The time limit for connecting; the API is on the same machine.
    static let connectTimeout: TimeAmount = .seconds(2)

    private let address: RuntimeAddress
    private let maximumBody: Int
    private let current = Mutex<(any Channel)?>(nil)

    /// A connection that is opened for the first request.
    ///
    /// - Parameters:
    ///   - address: The address of the API.
    ///   - maximumBody: Maximum size of an answer's body in bytes; a larger one is discarded.
    init(to address: RuntimeAddress, maximumBody: Int) {
        self.address = address
        self.maximumBody = maximumBody
    }

    /// Sends a request and waits for its whole answer, even if the task is cancelled.
    ///
    /// - Returns: The answer, whatever its status.
    /// - Throws: What NIO throws, and `ConnectionClosed`.
    func send(_ request: RuntimeRequest) async throws -> RuntimeAnswer {
        try await send(request, on: channel())
    }

    /// Sends a request whose answer may take indefinitely; the connection is closed if the task is cancelled meanwhile.
    ///
    /// - Returns: The answer, whatever its status.
    /// - Throws: What `send` throws; any error if the task is cancelled.
    func sendUntilCancelled(_ request: RuntimeRequest) async throws -> RuntimeAnswer {
        try await withTaskCancellationHandler {
            let channel = try await channel()
            // A cancellation after this line closes the channel; an earlier one may have missed it.
            try Task.checkCancellation()
            return try await send(request, on: channel)
        } onCancel: {
            close()
        }
    }

    /// Closes the connection; a request under way fails.
    func close() { current.withLock { $0 }?.close(promise: nil) }

    private func send(_ request: RuntimeRequest, on channel: any Channel) async throws -> RuntimeAnswer {
        let answer = channel.eventLoop.makePromise(of: RuntimeAnswer.self)
        var head = HTTPRequestHead(version: .http1_1, method: request.method, uri: request.path)
        head.headers = request.headers
        head.headers.replaceOrAdd(name: "Host", value: address.description)
        if let body = request.body { head.headers.replaceOrAdd(name: "Content-Length", value: "\(body.count)") }
        let exchange = Exchange(head: head, body: request.body.map { ByteBuffer(bytes: $0) }, answer: answer)
        channel.writeAndFlush(exchange).cascadeFailure(to: answer)
        return try await answer.futureResult.get()
    }

    /// The open connection, or a new one.
    private func channel() async throws -> any Channel {
        if let channel = current.withLock({ $0 }), channel.isActive { return channel }
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connectTimeout(Self.connectTimeout)
            .channelInitializer { [maximumBody] channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHTTPClientHandlers()
                    try channel.pipeline.syncOperations.addHandler(ExchangeHandler(maximumBody: maximumBody))
                }
            }
            .connect(host: address.host, port: address.port).get()
        current.withLock { $0 = channel }
        return channel
    }
}

/// A request to the runtime API.
struct RuntimeRequest: Sendable {
    var method: HTTPMethod
    var path: String
    var headers: HTTPHeaders = [:]
    /// The body; `nil` for a method without one.
    var body: [UInt8]?
}

/// The connection was closed before the answer was complete.
struct ConnectionClosed: Error, CustomStringConvertible {
    let description = "the connection was closed before the answer was complete"
}
