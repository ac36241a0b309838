import AWSClient

/// Why a pattern could not do what it was asked; what was changed meanwhile is a `Conflict` or `TransactionConflict`.
///
/// What DynamoDB itself answers is thrown as it is, as `AWSError`. No message holds an item's content.
public struct PatternError: Error, Sendable {
    /// What kind of failure it is.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The name of the kind, such as `contention`.
        public let rawValue: String
        /// A kind of this name, for errors of your own patterns.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// An argument is outside of what is allowed.
        public static let invalidArgument = Code(rawValue: "invalidArgument")
        /// Somebody else changed the item since it was loaded, or made it, or deleted it.
        public static let conflict = Code(rawValue: "conflict")
        /// Conflicts did not end within the tries that are allowed.
        public static let contention = Code(rawValue: "contention")
        /// What was to be changed does not exist.
        public static let notFound = Code(rawValue: "notFound")
        /// Another worker has taken this over: whoever gets this must stop, and has changed nothing.
        public static let fenced = Code(rawValue: "fenced")
        /// A table is not of the layout that it needs.
        public static let wrongLayout = Code(rawValue: "wrongLayout")
        /// An item in the table is not what the pattern wrote.
        public static let corrupt = Code(rawValue: "corrupt")
        /// An item would be larger than DynamoDB allows.
        public static let tooLarge = Code(rawValue: "tooLarge")
        /// A record or message will not succeed, however often it is tried: it belongs to the dead letters.
        public static let poison = Code(rawValue: "poison")
    }

    /// What kind of failure it is.
    public var code: Code
    /// What was wrong, with which key.
    public var message: String
    /// What to do, where we know.
    public var hint: String?
    /// What the failure began with; `description` has its text if it is of this library, and otherwise its type.
    public var cause: (any Error)?

    /// An error of that kind; the message must not contain an item's content.
    public init(_ code: Code, _ message: String, hint: String? = nil, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.hint = hint
        self.cause = cause
    }
}

extension PatternError: CustomStringConvertible {
    /// The code, the message, the cause if it is of this library, and the hint.
    public var description: String {
        var text = "\(code.rawValue): \(message)"
        if let cause { text = ErrorText.sentences(text, Self.text(of: cause)) }
        return hint.map { ErrorText.sentences(text, $0) } ?? text
    }

    /// Errors of others may hold an item's content: of those only the type is named.
    private static func text(of cause: any Error) -> String {
        switch cause {
        case let cause as PatternError: cause.description
        case let cause as TransactionConflict: cause.description
        default: ErrorText.of(cause) ?? "The cause is of the type \(type(of: cause))."
        }
    }
}
