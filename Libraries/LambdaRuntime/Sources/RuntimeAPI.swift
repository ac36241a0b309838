import NIOHTTP1

/// The requests of the runtime API, version 2018-06-01.
///
/// Source: https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html
extension RuntimeRequest {
    private static let root = "/2018-06-01/runtime"

    /// Requests the next invocation; the API answers when there is one.
    static let next = RuntimeRequest(method: .GET, path: "\(root)/invocation/next")

    /// Answers an invocation.
    static func response(to requestID: String, _ body: [UInt8]) -> RuntimeRequest {
        RuntimeRequest(
            method: .POST, path: "\(root)/invocation/\(encoded(requestID))/response",
            headers: ["Content-Type": "application/json"], body: body)
    }

    /// Reports that an invocation failed.
    static func failure(of requestID: String, _ failure: InvocationFailure) -> RuntimeRequest {
        error("\(root)/invocation/\(encoded(requestID))/error", failure)
    }

    /// Reports that the function cannot start.
    static func initializationFailure(_ failure: InvocationFailure) -> RuntimeRequest {
        error("\(root)/init/error", failure)
    }

    private static func error(_ path: String, _ failure: InvocationFailure) -> RuntimeRequest {
        RuntimeRequest(
            method: .POST, path: path,
            headers: [
                "Content-Type": "application/vnd.aws.lambda.error+json",
                "Lambda-Runtime-Function-Error-Type": failure.headerValue,
            ],
            body: failure.json)
    }

    /// A request id as a part of a path.
    ///
    /// Lambda's ids are UUIDs; emulators may have others.
    private static func encoded(_ requestID: String) -> String {
        var text = ""
        for byte in requestID.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                text.unicodeScalars.append(Unicode.Scalar(byte))
            default: text += (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
            }
        }
        return text
    }
}
