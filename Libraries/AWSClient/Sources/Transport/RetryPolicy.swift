/// When a call is repeated and after which pause, as in AWS's own libraries for DynamoDB.
public struct RetryPolicy: Sendable {
    /// How often a request is sent at most, the first time included; 1 for no retries.
    public var maximumAttempts: Int
    /// The longest first pause; each further one may be twice as long.
    public var base: Duration
    /// The same after AWS refused for the rate of requests.
    public var throttledBase: Duration
    /// No pause is longer, but for what the server asks for.
    public var maximumPause: Duration
    /// By how much the server may lengthen a pause, with `x-amz-retry-after`.
    public var maximumServerPause: Duration
    /// The units that retries may use up; a call that succeeds gives some back.
    public var quotaCapacity: Int
    /// What a retry after an error or a lost answer takes from `quotaCapacity`.
    public var retryCost: Int
    /// What a retry after AWS refused for the rate of requests takes from `quotaCapacity`.
    public var throttledRetryCost: Int

    /// A policy with the defaults of AWS's libraries for DynamoDB, except for what is given.
    public init(
        maximumAttempts: Int = 4, base: Duration = .milliseconds(25), throttledBase: Duration = .seconds(1),
        maximumPause: Duration = .seconds(20), maximumServerPause: Duration = .seconds(5), quotaCapacity: Int = 500,
        retryCost: Int = 14, throttledRetryCost: Int = 5
    ) {
        self.maximumAttempts = maximumAttempts
        self.base = base
        self.throttledBase = throttledBase
        self.maximumPause = maximumPause
        self.maximumServerPause = maximumServerPause
        self.quotaCapacity = quotaCapacity
        self.retryCost = retryCost
        self.throttledRetryCost = throttledRetryCost
    }
}

extension RetryPolicy {
    /// What a failure means for another try.
    enum Kind { case final, transient, throttled }

    /// Codes by which AWS says that there were too many requests, as botocore lists them.
    static let throttledCodes: Set<AWSError.Code> = [
        "Throttling", "ThrottlingException", "ThrottledException", "RequestThrottled", "RequestThrottledException",
        "TooManyRequestsException", "ProvisionedThroughputExceededException", "RequestLimitExceeded",
        "BandwidthLimitExceeded", "LimitExceededException", "SlowDown", "PriorRequestNotComplete",
        "TransactionInProgressException", "EC2ThrottledException", "Throttled", "KMSThrottling", "KmsThrottled",
    ]

    static let transientCodes: Set<AWSError.Code> = [
        "RequestTimeout", "RequestTimeoutException", "ReplicatedWriteConflictException",
    ]

    static let transientStatuses: Set<Int> = [500, 502, 503, 504]

    func kind(of failure: AttemptFailure, retryingContention: Bool) -> Kind {
        let error = failure.error
        if Self.throttledCodes.contains(error.code) { return .throttled }
        if failure.isTransient || Self.transientCodes.contains(error.code) { return .transient }
        if retryingContention, error.isContention { return .transient }
        if let status = error.status, Self.transientStatuses.contains(status) { return .transient }
        return .final
    }

    /// How long to wait after a try, counted from 1.
    func pause(afterAttempt attempt: Int, isThrottled: Bool, retryAfter: Duration?, random: Double) -> Duration {
        let doublings = min(max(attempt - 1, 0), 20)
        let longest = min((isThrottled ? throttledBase : base) * (1 << doublings), maximumPause)
        let pause = longest * random
        guard let retryAfter else { return pause }
        return max(pause, min(retryAfter, pause + maximumServerPause))
    }
}
