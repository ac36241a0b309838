/// What Lambda is told of a failure; a handler throws it to say that itself.
///
/// Who invoked the function reads it, and Lambda's log has it: it must hold nothing that they may not see. Other errors
/// are told by the name of their type alone.
public struct InvocationFailure: Error, Sendable, Hashable {
    /// The kind of failure, by AWS's convention `CATEGORY.Reason`, such as `Function.InvalidEvent`.
    public var type: String
    /// What went wrong.
    public var message: String
    /// Where it went wrong, a line for each place; usually none.
    public var stackTrace: [String]

    public init(_ type: String, _ message: String, stackTrace: [String] = []) {
        self.type = type
        self.message = message
        self.stackTrace = stackTrace
    }

    /// What is told of any error: a description may hold values.
    init(_ error: any Error) {
        if let failure = error as? InvocationFailure {
            self = failure
            return
        }
        let name = String(describing: Swift.type(of: error))
        self.init("Function.\(name)", "The function failed with an error of the type \(name); its log may say more.")
    }
}

extension InvocationFailure {
    /// The type as the value of a header, which takes visible ASCII only.
    var headerValue: String {
        let text = type.unicodeScalars.prefix(256).map { ("!"..."~").contains($0) ? Character($0) : "_" }
        return text.isEmpty ? "Function.Unknown" : String(text)
    }

    /// The failure as Lambda takes it, in JSON.
    var json: [UInt8] {
        var text = #"{"errorType":"#
        text.appendJSON(type)
        text += #","errorMessage":"#
        text.appendJSON(message)
        text += #","stackTrace":["#
        for (index, line) in stackTrace.enumerated() {
            if index > 0 { text += "," }
            text.appendJSON(line)
        }
        text += "]}"
        return Array(text.utf8)
    }
}

extension String {
    /// Appends a text as a string of JSON (RFC 8259).
    fileprivate mutating func appendJSON(_ text: String) {
        unicodeScalars.append("\"")
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": self += #"\""#
            case "\\": self += #"\\"#
            case "\n": self += #"\n"#
            case "\r": self += #"\r"#
            case "\t": self += #"\t"#
            // JSON takes these line separators as they are, but JavaScript did not, and log viewers break lines there.
            case "\0"..<" ", "\u{7F}", "\u{2028}", "\u{2029}":
                let digits = String(scalar.value, radix: 16)
                self += #"\u"# + String(repeating: "0", count: 4 - digits.utf8.count) + digits
            default: unicodeScalars.append(scalar)
            }
        }
        unicodeScalars.append("\"")
    }
}
