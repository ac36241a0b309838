extension AWSError {
    /// What an answer without success says.
    ///
    /// Bodies that are not AWS's own, such as a proxy's page, are not repeated, because they may contain anything.
    init(answer: HTTPResponse, operation: String) {
        let body = ErrorBody(answer)
        let code = body.code ?? answer.header("x-amzn-errortype")
        guard let code = code.flatMap(Code.init(answered:)) else {
            self.init(
                .invalidAnswer, "\(operation) was answered with status \(answer.status), and not as AWS does.",
                hint: "Is something between this machine and AWS, or is the endpoint another server?",
                status: answer.status, requestID: answer.requestID)
            return
        }
        self.init(
            code,
            body.message.map(Self.withoutValues) ?? "\(operation) was refused with status \(answer.status).",
            status: answer.status, requestID: answer.requestID ?? body.requestID.map { Quoted.shown($0) },
            details: body.isJSON ? answer.body : [])
    }

    /// A message without the request's values, which AWS repeats if they break a rule of its API, and of bounded
    /// length.
    private static func withoutValues(_ message: String) -> String {
        guard let start = message.firstRange(of: "Value '")?.lowerBound,
            let end = message.ranges(of: "' at '").last?.lowerBound, start < end
        else { return Quoted.shown(message, limit: 1000) }
        return Quoted.shown(message[..<start] + "Value" + message[end...].dropFirst(), limit: 1000)
    }
}

extension AWSError.Code {
    /// The code alone of what AWS answered, such as `com.amazonaws.dynamodb.v20120810#ValidationException:http://…`;
    /// `nil` if that cannot be one.
    init?(answered text: String) {
        let name = text.split(separator: "#").last.map { $0.prefix { $0 != ":" } } ?? ""
        guard (1...100).contains(name.utf8.count),
            name.utf8.allSatisfy({ $0.isLetterOrDigit || "._-".utf8.contains($0) })
        else { return nil }
        self.init(rawValue: String(name))
    }
}

/// What the body of an error says, in JSON or XML.
private struct ErrorBody {
    var code: String?
    var message: String?
    var requestID: String?
    var isJSON = false

    init(_ answer: HTTPResponse) {
        let start = answer.body.first { !$0.isSpace }
        if start == UInt8(ascii: "{") {
            guard let json = try? JSONReader.value(of: answer.body).map else { return }
            (code, isJSON) = (json["__type"]?.string, true)
            message = json["message"]?.string ?? json["Message"]?.string
        } else if start == UInt8(ascii: "<") {
            guard let error = XMLElement.parse(answer.body).flatMap(QueryError.init) else { return }
            (code, message, requestID) = (error.code, error.message, error.requestID)
        }
    }
}
