/// The error of AWSClient: the error that AWS answered, or the reason why there was no answer.
public struct AWSError: Error, Sendable {
    /// The kind of failure: AWS's code, such as `ConditionalCheckFailedException`, or one of the constants
    /// here.
    public struct Code: RawRepresentable, Sendable, Hashable, ExpressibleByStringLiteral {
        /// The name: AWS's `__type` without the part before `#`, or one that begins with `client.`.
        public let rawValue: String
        /// A code of this name; no list of known codes limits it.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// A code of this name, so that a string literal can be compared with a code.
        public init(stringLiteral value: String) { rawValue = value }

        /// No source had credentials.
        public static let noCredentials: Code = "client.NoCredentials"
        /// A source of credentials is there and broken.
        public static let brokenCredentials: Code = "client.BrokenCredentials"
        /// A setting (region, endpoint, profile) is missing or cannot be understood.
        public static let invalidConfiguration: Code = "client.InvalidConfiguration"
        /// A request cannot be written down, such as one with a number that is not finite.
        public static let invalidRequest: Code = "client.InvalidRequest"
        /// The server could not be reached, or the answer did not come; see `mayHaveTakenEffect`.
        public static let noAnswer: Code = "client.NoAnswer"
        /// The answer could not be understood; see `mayHaveTakenEffect`.
        public static let invalidAnswer: Code = "client.InvalidAnswer"
        /// DynamoDB kept leaving out a part of a batch.
        public static let unprocessed: Code = "client.Unprocessed"
    }

    /// What kind of failure it is.
    public var code: Code
    /// AWS's message, or that of this library.
    public var message: String
    /// What to do about it, if this library knows.
    public var hint: String?
    /// The HTTP status; `nil` if there was no answer.
    public var status: Int?
    /// AWS's identity of the request, for AWS's support; `nil` if there was no answer.
    public var requestID: String?
    /// Whether the request, or an earlier try of it whose answer was lost, may have been carried out all the same.
    public var mayHaveTakenEffect: Bool
    /// The body of AWS's error, in JSON; empty if it had another form.
    ///
    /// It may contain items, such as those that failed a condition, so it must not be logged.
    public var details: [UInt8]
    /// The error underneath; `nil` if AWS answered the error.
    public var cause: (any Error)?
    /// What failed, such as `GetItem`; `nil` if nothing was called.
    public var operation: String?
    /// The names or ARNs of the tables that the request was about; empty for other services than DynamoDB.
    public var tables: [String] = []

    /// An error without an operation or tables; the client adds them when it throws the error.
    public init(
        _ code: Code, _ message: String, hint: String? = nil, status: Int? = nil, requestID: String? = nil,
        mayHaveTakenEffect: Bool = false, details: [UInt8] = [], cause: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        self.hint = hint
        self.status = status
        self.requestID = requestID
        self.mayHaveTakenEffect = mayHaveTakenEffect
        self.details = details
        self.cause = cause
    }
}

extension AWSError: CustomStringConvertible, CustomDebugStringConvertible {
    /// The same as `description`: `details` may hold items.
    public var debugDescription: String { description }

    /// The code, the message, the cause, the hint and what failed; contains no part of an item.
    public var description: String {
        var text = "\(code.rawValue): \(message)"
        if let cause = cause.flatMap(ErrorText.of) { text = ErrorText.sentences(text, cause) }
        if let hint { text = ErrorText.sentences(text, hint) }
        let origin = [place, requestID.map { "request \($0)" }].compactMap { $0 }
        return origin.isEmpty ? text : "\(text) (\(origin.joined(separator: ", ")))"
    }

    /// What failed, and on which tables.
    private var place: String? {
        guard let operation else { return nil }
        let names = tables.prefix(5).map { "\(Quoted($0))" }.joined(separator: ", ")
        switch tables.count {
        case 0: return operation
        case 1: return "\(operation) of the table \(names)"
        default: return "\(operation) of the tables \(names)" + (tables.count > 5 ? " and others" : "")
        }
    }
}
