/// Why one try of a call failed.
struct AttemptFailure: Error {
    var error: AWSError
    /// Whether the server may have carried out this try all the same.
    var mayHaveTakenEffect: Bool
    /// Whether another try may help, whatever code and status are.
    var isTransient = false
    /// How long the server asks to wait.
    var retryAfter: Duration?
    /// What the server's clock shows, in seconds since 1970.
    var serverTime: Double?

    /// A try that was answered not at all.
    ///
    /// - Parameters:
    ///   - failure: What the transport said.
    ///   - call: What was called.
    ///   - url: The address of the service, which has no query and no user.
    init(_ failure: TransportError, to call: ServiceCall, at url: String) {
        error = AWSError(
            .noAnswer, "\(call.operation) was not answered by \(url): \(failure.description).",
            cause: failure.cause ?? failure)
        mayHaveTakenEffect = failure.mayHaveBeenSent
        isTransient = true
    }

    /// Why this answer is a failure; `nil` if it is none.
    init?(_ response: HTTPResponse, to call: ServiceCall) {
        guard response.hasIntactBody else {
            error = AWSError(
                .invalidAnswer, "The answer to \(call.operation) was damaged on its way: its checksum differs.",
                status: response.status, requestID: response.requestID)
            mayHaveTakenEffect = true
            isTransient = true
            return
        }
        guard !(200..<300).contains(response.status) else { return nil }
        error = AWSError(answer: response, operation: call.operation)
        // A refusal is certain; a failure within AWS, or of something between AWS and us, is not.
        let isRefusal = (400..<500).contains(response.status) && response.status != 408
        mayHaveTakenEffect =
            !isRefusal && !RetryPolicy.throttledCodes.contains(error.code)
            || ["RequestTimeout", "RequestTimeoutException", "TransactionInProgressException"].contains(error.code)
        retryAfter = response.header("x-amz-retry-after").flatMap { Int64($0) }.flatMap { milliseconds in
            (0...86_400_000).contains(milliseconds) ? .milliseconds(milliseconds) : nil
        }
        serverTime = response.header("Date").flatMap(UTCTime.seconds(httpDate:))
    }

    private init(_ error: AWSError) {
        self.error = error
        mayHaveTakenEffect = false
    }

    /// There was no time left to begin.
    static func deadlinePassed(_ call: ServiceCall) -> AttemptFailure {
        AttemptFailure(AWSError(.noAnswer, "The deadline passed before \(call.operation) could be sent."))
    }

    /// The error, with a hint if it has none.
    func error(hint: String) -> AWSError {
        var error = error
        error.hint = error.hint ?? hint
        return error
    }

    /// Whether AWS refused because our clock is wrong.
    var isClockSkew: Bool {
        switch error.code.rawValue {
        case "RequestExpired", "RequestTimeTooSkewed", "RequestInTheFuture": true
        case "InvalidSignatureException", "SignatureDoesNotMatch":
            error.message.contains("Signature expired") || error.message.contains("Signature not yet current")
        default: false
        }
    }

    /// Whether AWS refused because the temporary credentials are over.
    var isExpiredCredentials: Bool {
        ["ExpiredToken", "ExpiredTokenException", "TokenRefreshRequired"].contains(error.code)
    }
}
