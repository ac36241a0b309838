/// A request, complete with its address; the body is all there.
public struct HTTPRequest: Sendable {
    /// Such as `POST`.
    public var method: String
    /// Absolute, percent-encoded, such as `https://dynamodb.eu-west-1.amazonaws.com/`.
    public var url: String
    /// In the order in which they are sent; names are compared without case.
    public var headers: [HTTPHeader]
    /// The bytes to send; empty for none.
    public var body: [UInt8]

    /// A request with the given headers; the transport adds `Host` and `Content-Length`.
    public init(method: String, url: String, headers: [HTTPHeader] = [], body: [UInt8] = []) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
    }
}

/// One line of a request's or response's head.
public struct HTTPHeader: Sendable, Hashable {
    /// The name as it is sent or was received; comparisons ignore case.
    public var name: String
    /// The value without surrounding spaces.
    public var value: String

    /// A header with a name and a value, neither of which is checked.
    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

/// The answer of a server.
public struct HTTPResponse: Sendable {
    /// Such as 200.
    public var status: Int
    /// The headers as they were received; a name may occur more than once.
    public var headers: [HTTPHeader]
    /// The whole body.
    public var body: [UInt8]

    /// An answer, for transports.
    public init(status: Int, headers: [HTTPHeader] = [], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// The first header of that name, whatever its case.
    public func header(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }
}

/// Sends one request and receives the whole answer; tests replace it.
public protocol HTTPTransport: Sendable {
    /// Sends a request.
    ///
    /// - Parameters:
    ///   - request: What to send.
    ///   - timeout: How long all of it may take.
    /// - Returns: The answer, whatever its status.
    /// - Throws: `TransportError`, or `CancellationError`.
    func send(_ request: HTTPRequest, timeout: Duration) async throws -> HTTPResponse
}

/// The failure of a request without a complete answer.
public struct TransportError: Error, Sendable, CustomStringConvertible {
    /// Whether the server may have seen the request, and done what it asks.
    public var mayHaveBeenSent: Bool
    /// Such as `connection refused`; names no secret and no body.
    public var description: String
    /// The error of the library or system underneath; `nil` if there is none.
    public var cause: (any Error)?

    /// An error of a transport; the description must name no secret and no body.
    public init(mayHaveBeenSent: Bool, _ description: String, cause: (any Error)? = nil) {
        self.mayHaveBeenSent = mayHaveBeenSent
        self.description = description
        self.cause = cause
    }
}
