/// The description of a failure that is sent to Lambda; a handler throws it to choose that description.
///
/// The caller of the function and Lambda's log get it, so it must not contain anything that they may not see. Of any
/// other error only the name of its type is sent.
public struct InvocationFailure: Error, Sendable, Hashable {
    /// The kind of failure, in AWS's convention `CATEGORY.Reason`, such as `Function.InvalidEvent`.
    public var type: String
    /// What went wrong.
    public var message: String
    /// The stack trace, a line for each frame; usually empty.
    public var stackTrace: [String]

    /// A failure of a kind, with a message that the caller of the function may see.
    public init(_ type: String, _ message: String, stackTrace: [String] = []) {
        self.type = type
        self.message = message
        self.stackTrace = stackTrace
    }

    /// The description of any error, without its text, which may contain values.
    init(_ error: any Error) {
        if let failure = error as? InvocationFailure {
            self = failure
            return
        }
        let name = String(describing: Swift.type(of: error))
        self.init("Function.\(name)", "The function failed with an error of the type \(name). See its log.")
    }
}

extension InvocationFailure {
    /// The type as the value of a header field, which may contain visible ASCII only.
    var headerValue: String {
        let text = type.unicodeScalars.prefix(256).map { ("!"..."~").contains($0) ? Character($0) : "_" }
        return text.isEmpty ? "Function.Unknown" : String(text)
    }

    /// The failure in the JSON format of Lambda.
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
            // JSON allows these line separators, but JavaScript did not, and log viewers break lines at them.
            case "\0"..<" ", "\u{7F}", "\u{2028}", "\u{2029}":
                let digits = String(scalar.value, radix: 16)
                self += #"\u"# + String(repeating: "0", count: 4 - digits.utf8.count) + digits
            default: unicodeScalars.append(scalar)
            }
        }
        unicodeScalars.append("\"")
    }
}
