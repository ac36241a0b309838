/// The error of LambdaRuntime: why a function cannot run, or no longer runs.
///
/// An error that a handler throws is not one of these: it is sent to Lambda, and the function keeps running.
public struct LambdaRuntimeError: Error, Sendable {
    /// The kind of failure.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The kind in a few words, such as `not in Lambda`.
        public let description: String

        /// The process was not started by Lambda or an emulator of it.
        public static let notInLambda = Code(description: "not in Lambda")
        /// A variable that Lambda sets has an invalid value.
        public static let invalidEnvironment = Code(description: "invalid environment")
        /// The runtime API does not answer, or refuses every request.
        public static let gone = Code(description: "runtime API gone")
        /// The runtime API answered that this environment is broken (500): the process has to end.
        public static let brokenEnvironment = Code(description: "environment broken")
        /// The runtime API sent an undocumented answer.
        public static let unexpectedAnswer = Code(description: "unexpected answer")
    }

    /// The kind of failure.
    public var code: Code
    /// What went wrong, with the value that caused it.
    public var message: String
    /// What to do; `nil` if unknown.
    public var hint: String?
    /// The error that caused this one, if any.
    public var cause: (any Error)?

    /// An error of that kind.
    public init(_ code: Code, _ message: String, hint: String? = nil, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.hint = hint
        self.cause = cause
    }
}

extension LambdaRuntimeError: CustomStringConvertible {
    /// The message, the cause and the hint.
    public var description: String {
        var text = message
        if let cause { text += " The cause: \(cause)." }
        if let hint { text += " \(hint)" }
        return text
    }
}
