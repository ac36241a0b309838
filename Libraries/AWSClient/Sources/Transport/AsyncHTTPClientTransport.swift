#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif
import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOPosix

/// Sends requests over HTTP/1.1, on connections that are kept for the next ones.
///
/// Follows no redirect: a signed request is for one host alone.
public final class AsyncHTTPClientTransport: HTTPTransport {
    private let client: HTTPClient
    private let maximumBody: Int

    /// A transport without connections; they are made as they are needed.
    ///
    /// - Parameters:
    ///   - connectTimeout: How long a connection may take to be made, TLS included.
    ///   - maximumBody: How many bytes an answer's body may have.
    ///   - connections: How many requests to one host can be under way at once; the others wait.
    public init(connectTimeout: Duration = .seconds(1), maximumBody: Int = 32 << 20, connections: Int = 64) {
        self.maximumBody = maximumBody
        var configuration = HTTPClient.Configuration()
        configuration.httpVersion = .http1Only
        configuration.redirectConfiguration = .disallow
        configuration.timeout.connect = .init(connectTimeout)
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = max(connections, 1)
        configuration.connectionPool.idleTimeout = .seconds(30)
        // Whether and when to try again is for the caller to say.
        configuration.connectionPool.retryConnectionEstablishment = false
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    /// Closes the connections; has to be called before the transport is let go.
    public func shutdown() async throws { try await client.shutdown() }

    /// Sends a request over a connection of the pool, or over a new one.
    ///
    /// - Parameters:
    ///   - request: What to send.
    ///   - timeout: How long all of it may take, the body of the answer included.
    /// - Returns: The answer, with any status.
    /// - Throws: `TransportError` if no complete answer came, or `CancellationError`.
    public func send(_ request: HTTPRequest, timeout: Duration) async throws -> HTTPResponse {
        var outgoing = HTTPClientRequest(url: request.url)
        outgoing.method = HTTPMethod(rawValue: request.method)
        for header in request.headers { outgoing.headers.add(name: header.name, value: header.value) }
        if !request.body.isEmpty { outgoing.body = .bytes(ByteBuffer(bytes: request.body)) }
        do {
            return try await answer(to: outgoing, timeout: timeout)
        } catch let error as TransportError {
            throw error
        } catch {
            try Task.checkCancellation()
            throw TransportError(error)
        }
    }

    /// The answer, or an error when the time is up: the deadline that AsyncHTTPClient takes does not hold for the body.
    private func answer(to request: HTTPClientRequest, timeout: Duration) async throws -> HTTPResponse {
        try await withThrowingTaskGroup(of: HTTPResponse.self) { [client, maximumBody] group in
            group.addTask {
                let response = try await client.execute(request, deadline: .distantFuture)
                let body = try await response.body.collect(upTo: maximumBody)
                return HTTPResponse(
                    status: Int(response.status.code), headers: response.headers.map { HTTPHeader($0.name, $0.value) },
                    body: Array(body.readableBytesView))
            }
            group.addTask {
                try await Task.sleep(for: timeout)
                throw TransportError(mayHaveBeenSent: true, "no answer in time")
            }
            defer { group.cancelAll() }
            guard let response = try await group.next() else { throw CancellationError() }
            return response
        }
    }
}

extension TransportError {
    fileprivate init(_ error: any Error) {
        let reason: (sent: Bool, text: String) =
            switch error {
            case let error as NIOConnectionError: (false, error.dnsAError == nil ? "no connection" : "unknown host")
            case is NIOTooManyBytesError: (true, "the answer is too long")
            // What only an attempt to connect meets; an unreachable host can also be what breaks a connection.
            case let error as IOError where error.errnoCode == ECONNREFUSED: (false, "no connection")
            case let error as HTTPClientError: (!error.isBeforeSending, error.shortDescription)
            default: (true, "connection broken")
            }
        self.init(mayHaveBeenSent: reason.sent, reason.text, cause: error)
    }
}

extension HTTPClientError {
    /// Whether no connection was made, or the request cannot be sent as it is.
    fileprivate var isBeforeSending: Bool {
        [
            .connectTimeout, .tlsHandshakeTimeout, .getConnectionFromPoolTimeout, .invalidURL, .emptyHost, .emptyScheme,
            .alreadyShutdown,
        ].contains(self)
    }
}
