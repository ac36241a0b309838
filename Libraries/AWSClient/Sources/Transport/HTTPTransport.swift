/// A request, complete with its address; the body is all there.
public struct HTTPRequest: Sendable {
    /// Such as `POST`.
    public var method: String
    /// Absolute, percent-encoded, such as `https://dynamodb.eu-west-1.amazonaws.com/`.
    public var url: String
    /// In the order in which they are sent; names are compared without case.
    public var headers: [HTTPHeader]
    public var body: [UInt8]

    public init(method: String, url: String, headers: [HTTPHeader] = [], body: [UInt8] = []) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
    }
}

/// One line of a request's or response's head.
public struct HTTPHeader: Sendable, Hashable {
    public var name: String
    public var value: String

    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

/// What a server answered.
public struct HTTPResponse: Sendable {
    /// Such as 200.
    public var status: Int
    public var headers: [HTTPHeader]
    public var body: [UInt8]

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

/// Sends one request and waits for the whole answer: the network, or a test's stand-in.
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

/// The answer did not come.
public struct TransportError: Error, Sendable, CustomStringConvertible {
    /// Whether the server may have seen the request, and done what it asks.
    public var mayHaveBeenSent: Bool
    /// Such as `connection refused`; names no secret and no body.
    public var description: String
    public var cause: (any Error)?

    public init(mayHaveBeenSent: Bool, _ description: String, cause: (any Error)? = nil) {
        self.mayHaveBeenSent = mayHaveBeenSent
        self.description = description
        self.cause = cause
    }
}
