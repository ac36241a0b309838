#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif
import NIOHTTP1

/// One invocation of the function: an event, and its metadata.
///
/// Only this value has the trace id. Lambda's own runtimes set the variable `_X_AMZN_TRACE_ID` of the process for each
/// invocation, which would be wrong if several invocations run at the same time.
///
/// Source: https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html
public struct Invocation: Sendable {
    /// The id of the invocation, from `Lambda-Runtime-Aws-Request-Id`; Lambda's own log lines have it too.
    public let requestID: String
    /// The ARN that was invoked: of the function, of a version or of an alias.
    public let functionARN: String?
    /// The trace id of X-Ray, unchanged.
    public let traceID: String?
    /// When Lambda kills the process if it has no answer.
    ///
    /// Lambda sends a time of the wall clock in milliseconds. It is converted when the event arrives, so that it does
    /// not change if that clock is set. Without a valid time it is 15 minutes away, Lambda's maximum.
    public let deadline: ContinuousClock.Instant
    /// The event, usually JSON; at most 7 MiB.
    public let body: [UInt8]
    /// The data of the AWS Mobile SDK about the client, JSON, unchanged.
    public let clientContext: String?
    /// The identity of the caller from Amazon Cognito, JSON, unchanged.
    public let cognitoIdentity: String?

    /// An invocation, for tests of a handler.
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
    /// The maximum duration of an invocation; a later deadline is reduced to it.
    static let longest: Duration = .seconds(900)

    /// Reads a response of the runtime API.
    ///
    /// - Returns: `nil` if the response has no request id, without which it cannot be answered.
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

    /// The time from `now` to a deadline, both of the wall clock in milliseconds since 1970.
    ///
    /// - Returns: Zero if the deadline has passed, and `longest` if there is none or it is not valid.
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
