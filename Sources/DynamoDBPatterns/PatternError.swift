/// Why a pattern could not do what it was asked; what was changed meanwhile is a `Conflict` or `TransactionConflict`.
///
/// What DynamoDB itself answers is thrown as it is, as `AWSError`. No message holds an item's content.
public struct PatternError: Error, Sendable {
    /// What kind of failure it is.
    public struct Code: RawRepresentable, Sendable, Hashable {
        public let rawValue: String
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
    /// What the failure began with.
    public var cause: (any Error)?

    public init(_ code: Code, _ message: String, hint: String? = nil, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.hint = hint
        self.cause = cause
    }
}

extension PatternError: CustomStringConvertible {
    public var description: String { "\(code.rawValue): \(message)\(hint.map { " \($0)" } ?? "")" }
}
