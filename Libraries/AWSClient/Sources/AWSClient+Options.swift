extension AWSClient {
    /// How a client calls.
    public struct Options: Sendable {
        public var retry: RetryPolicy
        public var timeouts: Timeouts
        /// Called once for each call when it has ended, however it ended; must not block.
        public var onCall: (@Sendable (AWSCall) -> Void)?
        public var time: TimeSource

        public init(
            retry: RetryPolicy = RetryPolicy(), timeouts: Timeouts = Timeouts(),
            onCall: (@Sendable (AWSCall) -> Void)? = nil, time: TimeSource = TimeSource()
        ) {
            self.retry = retry
            self.timeouts = timeouts
            self.onCall = onCall
            self.time = time
        }
    }

    /// How long one try may take.
    public struct Timeouts: Sendable {
        /// Until the connection is there, as part of the whole.
        public var connect: Duration
        /// From the beginning to the end of the answer.
        public var request: Duration
        /// The same for DynamoDB's transactions.
        public var transaction: Duration

        public init(
            connect: Duration = .seconds(1), request: Duration = .seconds(2), transaction: Duration = .seconds(3)
        ) {
            self.connect = connect
            self.request = request
            self.transaction = transaction
        }
    }

    /// Clocks and chance, which tests replace.
    public struct TimeSource: Sendable {
        /// Seconds since 1970, which signatures name.
        public var now: @Sendable () -> Double
        /// What deadlines and durations are measured by.
        public var instant: @Sendable () -> ContinuousClock.Instant
        public var sleep: @Sendable (Duration) async throws -> Void
        /// Anything from 0 up to, and not including, 1.
        public var random: @Sendable () -> Double

        public init(
            now: @escaping @Sendable () -> Double = { UTCTime.now },
            instant: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
            sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
            random: @escaping @Sendable () -> Double = { .random(in: 0..<1) }
        ) {
            self.now = now
            self.instant = instant
            self.sleep = sleep
            self.random = random
        }
    }
}

/// One call that has ended: what metrics are made of.
public struct AWSCall: Sendable {
    /// Such as `dynamodb`.
    public var service: String
    /// Such as `GetItem`.
    public var operation: String
    /// How many requests were sent or meant to be sent.
    public var attempts: Int
    /// From the call to its end, pauses included.
    public var duration: Duration
    /// The last answer's HTTP status; `nil` where there was none.
    public var status: Int?
    /// `nil` for success; `client.Cancelled` for a call whose task was cancelled.
    public var errorCode: AWSError.Code?
    /// By how many seconds the system's clock was ahead of AWS's when a call succeeded, at least and at most.
    ///
    /// The two are a second apart, and what the request took. `nil` if the answer has no date, or the clock was set meanwhile.
    public var clockOffset: ClosedRange<Double>?

    public init(
        service: String, operation: String, attempts: Int, duration: Duration, status: Int? = nil,
        errorCode: AWSError.Code? = nil, clockOffset: ClosedRange<Double>? = nil
    ) {
        self.service = service
        self.operation = operation
        self.attempts = attempts
        self.duration = duration
        self.status = status
        self.errorCode = errorCode
        self.clockOffset = clockOffset
    }
}
