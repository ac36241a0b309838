#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif
import NIOHTTP1

/// One invocation of the function: an event, and what Lambda says of it.
///
/// The trace identity is given only here. Lambda's own runtimes set the variable `_X_AMZN_TRACE_ID` of the process for
/// each invocation, which would be one invocation's value for all where several are under way.
///
/// Source: https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html
public struct Invocation: Sendable {
    /// Lambda's identity of the invocation, from `Lambda-Runtime-Aws-Request-Id`; the same in Lambda's own log lines.
    public let requestID: String
    /// What was invoked: the ARN of the function, of a version or of an alias.
    public let functionARN: String?
    /// The identity for X-Ray, as it came.
    public let traceID: String?
    /// When Lambda kills the process, unless it has the answer by then.
    ///
    /// Lambda says it by the wall clock, in milliseconds; it was converted when the event came, and does not move when
    /// that clock is set. Where Lambda says none that can be read, it is the longest that there is, 15 minutes.
    public let deadline: ContinuousClock.Instant
    /// The event, usually JSON; at most 7 MiB.
    public let body: [UInt8]
    /// What the AWS Mobile SDK says of the client, in JSON, as it came.
    public let clientContext: String?
    /// Who Amazon Cognito says the caller is, in JSON, as it came.
    public let cognitoIdentity: String?

    public init(
        requestID: String, functionARN: String? = nil, traceID: String? = nil,
        deadline: ContinuousClock.Instant, body: [UInt8], clientContext: String? = nil, cognitoIdentity: String? = nil
    ) {
        self.requestID = requestID
        self.functionARN = functionARN
        self.traceID = traceID
        self.deadline = deadline
        self.body = body
        self.clientContext = clientContext
        self.cognitoIdentity = cognitoIdentity
    }
}

extension Invocation {
    /// The longest that an invocation may take; a deadline beyond it is none.
    static let longest: Duration = .seconds(900)

    /// Reads an answer of the runtime API.
    ///
    /// - Returns: `nil` where the answer names no invocation: there is nothing to answer then.
    init?(_ answer: RuntimeAnswer) {
        guard let requestID = answer.headers.first(name: "Lambda-Runtime-Aws-Request-Id"), !requestID.isEmpty else {
            return nil
        }
        self.init(
            requestID: requestID,
            functionARN: answer.headers.first(name: "Lambda-Runtime-Invoked-Function-Arn"),
            traceID: answer.headers.first(name: "Lambda-Runtime-Trace-Id"),
            deadline: .now + Self.timeLeft(answer.headers.first(name: "Lambda-Runtime-Deadline-Ms"), at: wallClock()),
            body: answer.body,
            clientContext: answer.headers.first(name: "Lambda-Runtime-Client-Context"),
            cognitoIdentity: answer.headers.first(name: "Lambda-Runtime-Cognito-Identity"))
    }

    /// How long it is until a moment of the wall clock, both in milliseconds since 1970.
    ///
    /// - Returns: Zero for a moment that has passed, and `longest` where there is none, or none that can be.
    static func timeLeft(_ deadline: String?, at now: Int64) -> Duration {
        guard let deadline = deadline.flatMap(Int64.init), deadline > 0 else { return longest }
        return min(max(.milliseconds(deadline) - .milliseconds(now), .zero), longest)
    }
}

/// The wall clock, in milliseconds since 1970.
private func wallClock() -> Int64 {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    return Int64(now.tv_sec) * 1000 + Int64(now.tv_nsec) / 1_000_000
}
