/// The one error of LambdaRuntime: why a function cannot run, or runs no longer.
///
/// What a handler throws is none of these: it is told to Lambda, and the function goes on.
public struct LambdaRuntimeError: Error, Sendable {
    /// What kind of failure it is.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        public let description: String

        /// The process was not started by Lambda, or by what stands in for it.
        public static let notInLambda = Code(description: "not in Lambda")
        /// A variable that Lambda sets cannot be understood.
        public static let invalidEnvironment = Code(description: "invalid environment")
        /// The runtime API does not answer, or only with refusals.
        public static let gone = Code(description: "runtime API gone")
        /// The runtime API answered that this environment is broken (500): the process has to end.
        public static let brokenEnvironment = Code(description: "environment broken")
        /// The runtime API answered what its documentation does not say.
        public static let unexpectedAnswer = Code(description: "unexpected answer")
    }

    /// What kind of failure it is.
    public var code: Code
    /// What went wrong, with which value.
    public var message: String
    /// What to do, where we know.
    public var hint: String?
    /// What the failure began with; `nil` where it began here, or with an answer.
    public var cause: (any Error)?

    public init(_ code: Code, _ message: String, hint: String? = nil, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.hint = hint
        self.cause = cause
    }
}

extension LambdaRuntimeError: CustomStringConvertible {
    public var description: String {
        var text = message
        if let cause { text += " The cause: \(cause)." }
        if let hint { text += " \(hint)" }
        return text
    }
}
