import DiscfgCore
import DiscfgEtcd
import HTTPTypes
import Hummingbird
import NIOCore

/// An error as etcd's v2 API answers it: a number with a fixed message, what caused it, and the index of the store.
///
/// Source: etcd 3.4, `etcdserver/api/v2error/error.go`.
struct EtcdV2Error: Error {
    let code: Int
    let cause: String
    /// The config's revision; 0 where the request itself was at fault.
    var index: Revision = 0
    /// Where the status is another than the code's own.
    var status: HTTPResponse.Status?

    static func invalidForm(_ cause: String) -> EtcdV2Error { EtcdV2Error(code: 210, cause: cause) }
    static func invalidField(_ cause: String) -> EtcdV2Error { EtcdV2Error(code: 209, cause: cause) }

    private static let messages: [Int: String] = [
        100: "Key not found", 101: "Compare failed", 102: "Not a file", 104: "Not a directory",
        105: "Key already exists",
        107: "Root is read only", 108: "Directory not empty", 201: "PrevValue is Required in POST form",
        202: "The given TTL in POST form is not a number", 203: "The given index in POST form is not a number",
        209: "Invalid field", 210: "Invalid POST form", 211: "Value provided on refresh",
        212: "A TTL must be provided on refresh", 300: "Raft Internal Error",
        401: "The event in requested index is outdated and cleared",
    ]

    private static func status(of code: Int) -> HTTPResponse.Status {
        switch code {
        case 100: .notFound
        case 101, 105: .preconditionFailed
        case 102, 108: .forbidden
        case 300: .internalServerError
        default: .badRequest
        }
    }

    func response(cluster: String) -> Response {
        var body = ByteBuffer()
        body.writeStaticString("{\"errorCode\":")
        body.writeDecimal(Int64(code))
        body.writeStaticString(",\"message\":")
        body.writeJSON(Array((Self.messages[code] ?? "").utf8))
        if !cause.isEmpty {
            body.writeStaticString(",\"cause\":")
            body.writeJSON(Array(cause.utf8))
        }
        body.writeStaticString(",\"index\":")
        body.writeDecimal(index)
        body.writeStaticString("}\n")
        let headers: HTTPFields = [
            .contentType: "application/json", .etcdClusterID: cluster, .etcdIndex: String(index),
        ]
        return Response(
            status: status ?? Self.status(of: code), headers: headers, body: ResponseBody(byteBuffer: body))
    }
}

extension EtcdV2Error {
    init(_ refusal: DirectoryRefusal) {
        self.init(code: refusal.reason.rawValue, cause: refusal.cause, index: refusal.revision)
    }

    /// What etcd has no number for: the cause says it in discfg's words.
    init(_ error: DiscfgError) {
        switch error.code {
        case .tooLarge: self.init(code: 210, cause: error.description, status: .contentTooLarge)
        case .invalidName: self.init(code: 209, cause: error.description)
        case .invalidRequest: self.init(code: 210, cause: error.description)
        default: self.init(code: 300, cause: error.description)
        }
    }
}

extension HTTPField.Name {
    static let etcdClusterID = HTTPField.Name.known("X-Etcd-Cluster-Id")
    static let etcdIndex = HTTPField.Name.known("X-Etcd-Index")
    static let raftIndex = HTTPField.Name.known("X-Raft-Index")
    static let raftTerm = HTTPField.Name.known("X-Raft-Term")
}
