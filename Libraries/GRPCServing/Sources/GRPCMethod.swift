public import NIOCore
public import NIOHPACK

/// What is known of a call besides its messages.
public struct GRPCCall: Sendable {
    /// The path of the method, such as `/etcdserverpb.KV/Range`.
    public let path: String
    /// All fields that the client has sent, in lower case.
    public let metadata: HPACKHeaders
    /// The address of the connection's end here.
    public let localAddress: SocketAddress?
}

/// A method of a service.
///
/// The closures are called on the event loop of the connection, and must not block it; the work that they return may be long.
public struct GRPCMethod: Sendable {
    enum Kind: Sendable {
        case unary(@Sendable (ByteBuffer, GRPCCall) throws -> GRPCWork)
        case stream(@Sendable (GRPCCall) throws -> StreamBody)
    }

    /// Reads requests and writes responses; the call ends when it returns or throws.
    public typealias StreamBody = @Sendable (GRPCRequests, GRPCResponses) async throws -> Void

    let kind: Kind
    /// Maximum number of bytes of a message.
    let maximumBytes: Int
    /// Whether the work is cancelled when the client is gone, when its time is over and when the server stops.
    let waits: Bool

    /// A method with one request and one response.
    ///
    /// - Parameters:
    ///   - maximumBytes: Maximum number of bytes of a request.
    ///   - waits: Whether the work may take long, and is cancelled when the client is gone, when its time is over and when
    ///     the server stops. Other work is carried out to its end.
    ///   - prepare: Makes the work of a request. It is called on another thread for requests beyond
    ///     ``GRPCOptions/inlineBytes``.
    /// - Returns: The method.
    public static func unary(
        maximumBytes: Int, waits: Bool = false, _ prepare: @escaping @Sendable (ByteBuffer, GRPCCall) throws -> GRPCWork
    ) -> GRPCMethod {
        GRPCMethod(kind: .unary(prepare), maximumBytes: maximumBytes, waits: waits)
    }

    /// A method with any number of requests and responses.
    ///
    /// Its task is cancelled when the client is gone, when its time is over and when the server stops.
    ///
    /// - Parameters:
    ///   - maximumBytes: Maximum number of bytes of a request.
    ///   - prepare: Makes the work of a call, before the first request has come.
    /// - Returns: The method.
    public static func stream(
        maximumBytes: Int, _ prepare: @escaping @Sendable (GRPCCall) throws -> StreamBody
    ) -> GRPCMethod {
        GRPCMethod(kind: .stream(prepare), maximumBytes: maximumBytes, waits: true)
    }
}

/// What answers one request.
public struct GRPCWork: Sendable {
    /// Whether it usually does not wait, and takes little time: then it begins on the event loop.
    let isQuick: Bool
    let answer: @Sendable () async throws -> GRPCMessage

    /// Work that `answer` does; it may throw a ``GRPCStatus``.
    public init(isQuick: Bool = false, _ answer: @escaping @Sendable () async throws -> GRPCMessage) {
        self.isQuick = isQuick
        self.answer = answer
    }
}
