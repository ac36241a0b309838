#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif
import AsyncHTTPClient
package import DiscfgModel
package import Logging
import NIOCore
import NIOHTTP1
import NIOPosix

/// Asks a discfg server, and turns its answers into JSON or errors.
package final class ServerConnection: Sendable {
    private static let maximumAnswer = 256 << 20

    private let base: String
    private let author: String
    private let authorize: RemoteConfigStore.Authorize?
    private let client: HTTPClient
    private let pace: BodyPace
    private let logger: Logger

    package init(
        url: String, author: String, authorize: RemoteConfigStore.Authorize?, pace: BodyPace,
        logger: Logger
    ) throws(DiscfgError) {
        let base = url.last == "/" ? String(url.dropLast()) : url
        let rest = base.hasPrefix("http://") ? base.dropFirst(7) : base.hasPrefix("https://") ? base.dropFirst(8) : ""
        guard !rest.isEmpty, rest.first != "/", !rest.contains(where: { "?#@".contains($0) }) else {
            throw .invalid("“\(url)” is not the address of a server.", hint: "Write it as http://HOST:PORT.")
        }
        self.base = base
        self.author = author
        self.authorize = authorize
        self.pace = pace
        self.logger = logger
        var configuration = HTTPClient.Configuration()
        configuration.timeout.connect = .seconds(5)
        // Longer than the longest wait for an answer, which has a deadline: this is for a body that stops halfway.
        configuration.timeout.read = .seconds(150)
        configuration.redirectConfiguration = .disallow
        // Whether and when to try again is for the caller to say.
        configuration.connectionPool.retryConnectionEstablishment = false
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    package func shutdown() async throws { try await client.shutdown() }

    /// Sends a request, and waits for its answer.
    ///
    /// - Parameters:
    ///   - method: The method; only GET is known to change nothing.
    ///   - path: The path, percent-encoded.
    ///   - query: The parameters; those without a value are left out.
    ///   - body: What to send.
    ///   - author: Who asks, where it is not who made the connection.
    ///   - waiting: How long the server may hold the answer back on purpose.
    /// - Returns: The answer's body.
    /// - Throws: The server's own `DiscfgError`, `storeUnavailable` or `outcomeUnknown`.
    func send(
        _ method: HTTPMethod, _ path: String, query: [(String, String?)] = [], body: [UInt8]? = nil,
        author: String? = nil,
        waiting: Duration = .zero
    ) async throws -> JSONValue {
        let mayHaveTakenEffect = method != .GET
        let (status, bytes) = try await exchange(
            method, path, query: query, body: body, author: author,
            deadline: .now() + .seconds(60) + .milliseconds(waiting.milliseconds),
            mayHaveTakenEffect: mayHaveTakenEffect)
        guard let json = try? JSONValue(parsing: bytes) else {
            throw notUnderstood(status: status, mayHaveTakenEffect: mayHaveTakenEffect)
        }
        return json
    }

    /// Sends bytes, and waits for those of the answer.
    ///
    /// - Parameters:
    ///   - path: The path, percent-encoded.
    ///   - body: What to send.
    ///   - contentType: The media type of the body.
    ///   - patience: How long the answer may take to begin.
    ///   - mayHaveTakenEffect: Whether the request may change anything.
    /// - Returns: The status, below 400, and the body of the answer.
    /// - Throws: As `send`.
    package func post(
        _ path: String, body: [UInt8], contentType: String, patience: Duration, mayHaveTakenEffect: Bool
    ) async throws -> (status: Int, bytes: [UInt8]) {
        try await exchange(
            .POST, path, body: body, contentType: contentType,
            deadline: .now() + .milliseconds(patience.milliseconds), mayHaveTakenEffect: mayHaveTakenEffect)
    }

    private func exchange(
        _ method: HTTPMethod, _ path: String, query: [(String, String?)] = [], body: [UInt8]?,
        contentType: String = Value.json, author: String? = nil, deadline: NIODeadline, mayHaveTakenEffect: Bool
    ) async throws -> (status: Int, bytes: [UInt8]) {
        var request = HTTPClientRequest(url: base + path + URLText.query(query))
        request.method = method
        let name = author.flatMap { $0.isEmpty ? nil : $0 } ?? self.author
        if !name.isEmpty {
            request.headers.add(name: "X-Discfg-Author", value: PercentEncoding.encode(name.utf8, keeping: "@"))
        }
        if let body {
            request.headers.add(name: "Content-Type", value: contentType)
            request.body = .bytes(ByteBuffer(bytes: body))
        }
        if let authorize {
            for field in try await authorize(method.rawValue, request.url, request.headers.map { $0 }, body ?? []) {
                request.headers.replaceOrAdd(name: field.name, value: field.value)
            }
        }
        do {
            let response = try await client.execute(request, deadline: deadline, logger: logger)
            let (status, bytes) = (Int(response.status.code), try await bytes(of: response.body))
            if status < 400 { return (status, bytes) }
            throw refusal(status: status, bytes: bytes, mayHaveTakenEffect: mayHaveTakenEffect)
        } catch let error as DiscfgError {
            throw error
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            throw failure(error, mayHaveTakenEffect: mayHaveTakenEffect)
        }
    }

    /// The body of an answer; the deadline of a request ends where its body begins.
    ///
    /// - Throws: `NIOTooManyBytesError` if the body is too large, `HTTPClientError.readTimeout` if it comes too slowly.
    private func bytes(of body: HTTPClientResponse.Body) async throws -> [UInt8] {
        let start = ContinuousClock.now
        var bytes: [UInt8] = []
        for try await part in body {
            guard bytes.count + part.readableBytes <= Self.maximumAnswer else {
                throw NIOTooManyBytesError(maxBytes: Self.maximumAnswer)
            }
            bytes += part.readableBytesView
            guard ContinuousClock.now - start <= pace.patience(after: bytes.count) else {
                throw HTTPClientError.readTimeout
            }
        }
        return bytes
    }

    /// What an answer with a status from 400 means.
    private func refusal(status: Int, bytes: [UInt8], mayHaveTakenEffect: Bool) -> DiscfgError {
        if let json = try? JSONValue(parsing: bytes), let error = DiscfgError(wire: json) { return error }
        if status == 401 || status == 403 {
            return DiscfgError(
                .forbidden, "“\(base)” does not let this caller in: status \(status).",
                hint: "Set DISCFG_TOKEN to a token that it takes, or DISCFG_SIGN=SERVICE:REGION and AWS credentials.")
        }
        return notUnderstood(status: status, mayHaveTakenEffect: mayHaveTakenEffect)
    }

    /// What an answer means that discfg does not give.
    package func notUnderstood(status: Int, mayHaveTakenEffect: Bool) -> DiscfgError {
        // Something between us and the server may have answered in its place, after it had done what it was asked.
        let isInDoubt = mayHaveTakenEffect && (status < 400 || status >= 500)
        return DiscfgError(
            isInDoubt ? .outcomeUnknown : .storeUnavailable,
            "“\(base)” answered with status \(status), and not as discfg does.",
            hint: isInDoubt ? "See with “discfg history” whether the write took effect." : "Is that a discfg server?")
    }

    /// What a failure of the connection means for the caller.
    private func failure(_ error: any Error, mayHaveTakenEffect: Bool) -> DiscfgError {
        if !mayHaveTakenEffect, (error as? HTTPClientError) == .readTimeout {
            return DiscfgError(
                .storeUnavailable, "The answer of \(base) comes too slowly.",
                hint: "Check the network between this machine and the server, or ask for less.", cause: error)
        }
        if !mayHaveTakenEffect || error.isBeforeSending {
            return DiscfgError(
                .storeUnavailable, "The server at \(base) cannot be reached.",
                hint: "Start it with “discfg serve”, or check --store.",
                cause: error)
        }
        return DiscfgError(
            .outcomeUnknown, "The connection to \(base) broke before the answer came.",
            hint: "See with “discfg history” whether the write took effect.", cause: error)
    }
}

extension Error {
    /// Whether the connection was never made, so that the server cannot have seen the request.
    fileprivate var isBeforeSending: Bool {
        if self is NIOConnectionError { return true }
        // What only an attempt to connect meets.
        if let error = self as? IOError { return [ECONNREFUSED, EHOSTUNREACH, ENETUNREACH].contains(error.errnoCode) }
        guard let error = self as? HTTPClientError else { return false }
        return error == .connectTimeout || error == .getConnectionFromPoolTimeout
    }
}
