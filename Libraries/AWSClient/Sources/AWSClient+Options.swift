extension AWSClient {
    /// The settings of a client's calls.
    public struct Options: Sendable {
        /// How often a request is repeated, and the pauses before it is repeated.
        public var retry: RetryPolicy
        /// The time limits of one attempt; a call with retries may take longer.
        public var timeouts: Timeouts
        /// Called once for each call when it has ended, with success or an error; must not block.
        public var onCall: (@Sendable (AWSCall) -> Void)?
        /// The clocks, the sleep and the random numbers of retries and signatures; tests replace them.
        public var time: TimeSource

        /// Options of a client; what is left out has the defaults for DynamoDB.
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

    /// The time limits of one attempt.
    public struct Timeouts: Sendable {
        /// How long a connection may take to be established; part of the limits below.
        public var connect: Duration
        /// The whole attempt, from connecting to the end of the answer.
        public var request: Duration
        /// The same for DynamoDB's transactions.
        public var transaction: Duration

        /// Time limits for requests to DynamoDB in the same region; a slower service needs longer ones.
        public init(
            connect: Duration = .seconds(1), request: Duration = .seconds(2), transaction: Duration = .seconds(3)
        ) {
            self.connect = connect
            self.request = request
            self.transaction = transaction
        }
    }

    /// The clocks and random numbers of a client, which tests replace.
    public struct TimeSource: Sendable {
        /// Seconds since 1970, for signatures.
        public var now: @Sendable () -> Double
        /// The clock of deadlines and durations.
        public var instant: @Sendable () -> ContinuousClock.Instant
        /// Suspends the task for this long; throws `CancellationError` if the task is cancelled.
        public var sleep: @Sendable (Duration) async throws -> Void
        /// A random number of at least 0 and less than 1.
        public var random: @Sendable () -> Double

        /// A source of time; what is left out is the system's.
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

/// One call that has ended, for metrics.
public struct AWSCall: Sendable {
    /// Such as `dynamodb`.
    public var service: String
    /// Such as `GetItem`.
    public var operation: String
    /// How many requests were sent or meant to be sent.
    public var attempts: Int
    /// From the call to its end, pauses included.
    public var duration: Duration
    /// The HTTP status of the last answer; `nil` if there was none.
    public var status: Int?
    /// `nil` for success; `client.Cancelled` for a call whose task was cancelled.
    public var errorCode: AWSError.Code?
    /// By how many seconds the system's clock was ahead of AWS's when a call succeeded, at least and at most.
    ///
    /// The two are a second apart, and what the request took. `nil` if the answer has no date, or the clock was set meanwhile.
    public var clockOffset: ClosedRange<Double>?

    /// A call that has ended, for tests of `Options.onCall`.
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
