/// The one error of AWSClient: what AWS answered, in its own words, or why there was no answer.
public struct AWSError: Error, Sendable {
    /// What kind of failure it is: AWS's own code, such as `ConditionalCheckFailedException`, or one of the constants
    /// here.
    public struct Code: RawRepresentable, Sendable, Hashable, ExpressibleByStringLiteral {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
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
    /// AWS's own sentence, or ours.
    public var message: String
    /// What to do, where we know.
    public var hint: String?
    /// The HTTP status; `nil` where there was no answer.
    public var status: Int?
    /// AWS's identity of the request, for its support; `nil` where there was no answer.
    public var requestID: String?
    /// Whether the request, or an earlier try of it whose answer was lost, may have been carried out all the same.
    public var mayHaveTakenEffect: Bool
    /// AWS's error as it came, in JSON; empty where it came otherwise.
    ///
    /// It may hold items, such as those that failed a condition, and belongs into no log.
    public var details: [UInt8]
    /// What the failure began with; `nil` where that is AWS's answer.
    public var cause: (any Error)?
    /// What failed, such as `GetItem`; `nil` if nothing was called.
    public var operation: String?
    /// The names or ARNs of the tables that the request was about; empty for other services than DynamoDB.
    public var tables: [String] = []

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
