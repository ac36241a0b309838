import DiscfgCore
import DiscfgEtcd
import HTTPTypes
import Hummingbird
import NIOCore

extension EtcdError {
    /// The HTTP status of the error, as the gateway of etcd 3.4 and 3.5 gives it.
    var status: HTTPResponse.Status {
        switch code {
        case .canceled: .requestTimeout
        case .unknown: .internalServerError
        case .invalidArgument, .outOfRange: .badRequest
        case .deadlineExceeded: .gatewayTimeout
        case .notFound: .notFound
        case .permissionDenied: .forbidden
        case .resourceExhausted: .tooManyRequests
        case .failedPrecondition: .preconditionFailed
        case .unimplemented: .notImplemented
        case .unavailable: .serviceUnavailable
        case .unauthenticated: .unauthorized
        }
    }

    /// The error as the body of an answer: old clients read `error`, new ones `message`.
    var json: [UInt8] {
        var writer = EtcdJSONWriter()
        writer.object {
            $0.text("error", message)
            $0.text("message", message)
            $0.number("code", code.rawValue)
        }
        return writer.bytes
    }

    /// The error in the middle of a stream that has begun with something else.
    var streamJSON: [UInt8] {
        var writer = EtcdJSONWriter()
        writer.object { writer in
            writer.object("error") {
                $0.number("grpc_code", code.rawValue)
                $0.number("http_code", status.code)
                $0.text("message", message)
                $0.text("http_status", status.reasonPhrase)
            }
        }
        return writer.bytes
    }
}

extension Response {
    private static let jsonHeaders: HTTPFields = [.contentType: "application/json"]

    static func etcd(_ json: [UInt8]) -> Response {
        Response(status: .ok, headers: jsonHeaders, body: ResponseBody(byteBuffer: ByteBuffer(bytes: json)))
    }

    static func etcd(_ error: EtcdError) -> Response {
        Response(
            status: error.status, headers: jsonHeaders, body: ResponseBody(byteBuffer: ByteBuffer(bytes: error.json)))
    }

    /// A stream of answers, each a line.
    static func etcdStream(_ body: ResponseBody) -> Response {
        Response(status: .ok, headers: jsonHeaders, body: body)
    }

    /// What Go's router answers by itself.
    static func etcdText(_ status: HTTPResponse.Status) -> Response {
        Response(
            status: status, headers: [.contentType: "text/plain; charset=utf-8"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: "\(status.reasonPhrase)\n")))
    }
}

extension ByteBuffer {
    /// An answer of a stream, as a line; `weight` is the approximate number of its bytes that become base64.
    init(etcdResult answer: some EtcdEncodable, weight: Int = 0) {
        var writer = EtcdJSONWriter(capacity: 512 + weight / 3 * 4)
        writer.object { $0.object("result") { answer.write(to: &$0) } }
        writer.raw("\n")
        self.init(bytes: writer.bytes)
    }

    /// The error that ends a stream, as a line.
    init(etcdFailure error: EtcdError) {
        self.init(bytes: error.streamJSON + [UInt8(ascii: "\n")])
    }
}
