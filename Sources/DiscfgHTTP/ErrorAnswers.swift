import DiscfgCore
import HTTPTypes
import Hummingbird
import NIOCore

/// No route matches the path.
struct RouteNotFound: Error {
    /// The `route` of such requests in the metrics.
    static let label = "NotFound"
}

/// A path exists, but not for this method.
struct MethodNotAllowed: Error {
    let method: String
    /// The methods that there are, as the field `Allow` lists them.
    let allowed: String
}

extension DiscfgError {
    /// The error as it is answered to a request with that method, whatever was thrown.
    init(answering error: any Error, to method: HTTPRequest.Method) {
        switch error {
        case let error as DiscfgError: self = error
        case let error as MethodNotAllowed:
            self.init(.methodNotAllowed, "\(error.method) is not possible here.", hint: "Use one of: \(error.allowed).")
        case is RouteNotFound:
            self.init(.routeNotFound, "There is nothing at this path.", hint: "See /openapi.yaml for what there is.")
        case let error as HTTPError where error.status == .contentTooLarge:
            self.init(.tooLarge, "The request's body is too large.", hint: "Send less at once.")
        case let error as HTTPError: self.init(.invalidRequest, error.body ?? "The request is not valid.")
        case is NIOTooManyBytesError:
            self.init(.tooLarge, "The request's body is too large.", hint: "Send less at once.")
        case is CancellationError where method.isRead:
            self.init(.storeUnavailable, "The server is shutting down.", hint: "Try again; nothing was written.")
        // A write that is under way is finished; what was cancelled may be a read after it.
        case is CancellationError:
            self.init(
                .outcomeUnknown, "The server is shutting down.",
                hint: "The write may have taken effect; read before you try again.")
        default: self.init(.internalError, "Something failed inside the server.", hint: "See its log.", cause: error)
        }
    }

    /// The HTTP status of the error: the one place where codes become statuses.
    var status: HTTPResponse.Status {
        switch code {
        case .keyNotFound, .configNotFound, .routeNotFound, .pathNotFound, .leaseNotFound, .notificationNotFound:
            .notFound
        case .conditionFailed: .preconditionFailed
        case .configExists, .leaseExists: .conflict
        case .invalidName, .invalidRequest, .futureRevision, .notJSON: .badRequest
        case .tooLarge: .contentTooLarge
        case .compacted: .gone
        case .unsupported: .unsupportedMediaType
        case .forbidden: .forbidden
        case .methodNotAllowed: .methodNotAllowed
        case .deliveryFailed: .badGateway
        case .storeUnavailable, .overloaded: .serviceUnavailable
        case .storeNotWritable: HTTPResponse.Status(code: 507, reasonPhrase: "Insufficient Storage")
        // Not a status that clients and proxies retry by default, as 502, 503 and 504 are: the write may have taken effect,
        // and writing it again may overwrite what others have written since.
        case .outcomeUnknown: .internalServerError
        default: .internalServerError
        }
    }
}

extension HTTPRequest.Method {
    /// Whether requests with this method change nothing.
    var isRead: Bool { [.get, .head, .options].contains(self) }
}

extension Response {
    /// An answer of JSON and a newline.
    static func json(
        status: HTTPResponse.Status = .ok, headers: HTTPFields = [:], _ body: (inout JSONWriter) -> Void
    ) -> Response {
        var bytes = JSONWriter.bytes(body)
        bytes.append(0x0A)
        var headers = headers
        headers[.contentType] = "application/json"
        return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }
}
