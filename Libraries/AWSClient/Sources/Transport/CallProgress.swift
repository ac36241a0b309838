/// What one call has been through: decides after each failure what comes next, and remembers what may have happened.
struct CallProgress {
    /// What to do after a failed try.
    enum Next {
        case giveUp(AWSError)
        /// Try again after a pause, if the quota has what that costs.
        case pause(Duration, cost: Int)
        /// Try again at once, with a clock that shows the server's time in seconds since 1970.
        case correctClock(to: Double)
        /// Try again at once, with other credentials.
        case renewCredentials
    }

    var attempts = 0
    /// What goes back into the quota when the call succeeds: what its last retry cost, or 1 if it needed none.
    var heldQuota = 1
    /// By how many seconds the clock can be ahead of that of the answer, at least and at most; `nil` if the answer does not tell.
    var clockOffset: ClosedRange<Double>?

    private let policy: RetryPolicy
    private let isWrite: Bool
    private let retriesContention: Bool
    /// Whether a try may have been carried out although its answer did not say so.
    private var isInDoubt = false
    private var hasCorrectedClock = false
    private var hasRenewedCredentials = false

    /// Whether the call may have changed something, whatever its last try was answered.
    var mayHaveTakenEffect: Bool { isWrite && isInDoubt }

    init(_ call: ServiceCall, policy: RetryPolicy) {
        self.policy = policy
        isWrite = call.isWrite
        retriesContention = call.retryingContention
    }

    mutating func next(after failure: AttemptFailure, random: Double) -> Next {
        if failure.mayHaveTakenEffect { isInDoubt = true }
        if !hasCorrectedClock, failure.isClockSkew, let serverTime = failure.serverTime {
            hasCorrectedClock = true
            return .correctClock(to: serverTime)
        }
        if !hasRenewedCredentials, failure.isExpiredCredentials {
            hasRenewedCredentials = true
            return .renewCredentials
        }
        let kind = policy.kind(of: failure, retryingContention: retriesContention)
        guard kind != .final, attempts < policy.maximumAttempts else { return .giveUp(failure.error) }
        let pause = policy.pause(
            afterAttempt: attempts, isThrottled: kind == .throttled, retryAfter: failure.retryAfter, random: random)
        return .pause(pause, cost: kind == .throttled ? policy.throttledRetryCost : policy.retryCost)
    }
}
