import NIOHPACK

/// How a call ends: a code, and a message for the client.
///
/// As an error, it ends a call with that code and message. Source: <https://grpc.io/docs/guides/status-codes/>.
public struct GRPCStatus: Error, Sendable, Hashable {
    /// A status code of gRPC.
    public enum Code: Int, Sendable {
        case ok = 0
        case cancelled = 1
        case unknown = 2
        case invalidArgument = 3
        case deadlineExceeded = 4
        case notFound = 5
        case alreadyExists = 6
        case permissionDenied = 7
        case resourceExhausted = 8
        case failedPrecondition = 9
        case aborted = 10
        case outOfRange = 11
        case unimplemented = 12
        case internalError = 13
        case unavailable = 14
        case dataLoss = 15
        case unauthenticated = 16
    }

    /// The kind of the outcome, as gRPC numbers it.
    public var code: Code
    /// For people; it is percent-encoded on the wire.
    public var message: String

    /// A status with a text for people, which may be empty.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}

extension GRPCStatus {
    /// The fields that end a call.
    var trailers: HPACKHeaders {
        if code == .ok, message.isEmpty { return Self.okTrailers }
        var trailers: HPACKHeaders = ["grpc-status": "\(code.rawValue)"]
        if !message.isEmpty { trailers.add(name: "grpc-message", value: Self.percentEncoded(message)) }
        return trailers
    }

    private static let okTrailers: HPACKHeaders = ["grpc-status": "0"]

    /// A message as its field has it: everything but printable ASCII is encoded, and the percent sign.
    static func percentEncoded(_ message: String) -> String {
        func isPlain(_ byte: UInt8) -> Bool { (0x20...0x7E).contains(byte) && byte != UInt8(ascii: "%") }
        if message.utf8.allSatisfy(isPlain) { return message }
        let digits = Array("0123456789ABCDEF".utf8)
        var encoded: [UInt8] = []
        for byte in message.utf8 {
            if isPlain(byte) {
                encoded.append(byte)
            } else {
                encoded += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }
}
