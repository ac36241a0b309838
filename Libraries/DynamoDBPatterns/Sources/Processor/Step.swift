/// One step of a process: an effect, and what undoes it.
///
/// An effect is carried out at least once: a worker that ends between the effect and its record in the table is
/// followed by another, which repeats this step and no other. Hand `StepContext.idempotencyKey` to whoever carries it
/// out, so that the second time changes nothing.
public struct Step<State: Codable & Sendable>: Sendable {
    /// Does the step's work.
    ///
    /// What it throws is tried again, and its changes of the state are forgotten; `PatternError` with the code
    /// `.poison` ends the process as `.fail` does.
    public typealias Effect = @Sendable (inout State, StepContext) async throws -> StepOutcome
    /// Undoes what the effect did, or may have done; what it throws is tried again.
    public typealias Compensation = @Sendable (inout State, StepContext) async throws -> Void

    /// The name under which the table keeps how far a process is: never to be changed while processes are under way.
    public let name: String
    /// How often the effect, and then the compensation, is tried.
    public let retry: StepRetry
    /// After how long one attempt is cancelled and counts as failed; `nil` for never.
    public let timeout: Duration?
    /// Whether the compensation is run although no attempt of the effect succeeded.
    ///
    /// An attempt that failed may have taken effect all the same. One of which nobody knows how it ended, since its
    /// worker did, or could not record it, is compensated in any case.
    public let compensatesFailures: Bool
    let effect: Effect
    let compensation: Compensation?

    /// A step.
    ///
    /// - Parameters:
    ///   - name: 1 to 64 letters, digits, dots, underscores and hyphens; no two steps of a processor share it.
    ///   - retry: How often the effect, and then the compensation, is tried.
    ///   - timeout: After how long one attempt is cancelled; less than the processor's lease. An effect that does not
    ///     heed cancellation is waited for.
    ///   - compensatesFailures: Whether the compensation is run although all attempts failed; then it must do nothing
    ///     where there is nothing to undo.
    ///   - effect: Does the work.
    ///   - compensation: Undoes it; `nil` if nothing has to be undone.
    public init(
        _ name: String, retry: StepRetry = StepRetry(), timeout: Duration? = nil, compensatesFailures: Bool = true,
        effect: @escaping Effect, compensation: Compensation? = nil
    ) {
        self.name = name
        self.retry = retry
        self.timeout = timeout
        self.compensatesFailures = compensatesFailures
        self.effect = effect
        self.compensation = compensation
    }
}

extension Step {
    func canBeRun(within lease: Duration) -> Bool {
        let hasTime = timeout.map { $0.milliseconds > 0 && $0 < lease } ?? true
        return hasTime && retry.attempts > 0 && !retry.factor.isNaN && !retry.jitter.isNaN
    }
}

/// What became of an effect that did not throw; the state that it left is kept, unless the process was cancelled, or
/// signalled as it was about to wait.
public enum StepOutcome: Sendable, Hashable {
    /// It stands: the next step follows.
    case done
    /// Ask this step again, after so long or when a signal comes; that is no failed attempt.
    case wait(for: Duration)
    /// Ask this step again when a signal comes; where it still waits after so long from the first time that it said
    /// so, the process has failed.
    case waitForSignal(atMost: Duration)
    /// The process cannot go on: what was done is undone.
    case fail(String)
}

/// How often a step is tried, and after which pauses.
public struct StepRetry: Sendable, Hashable {
    /// How many attempts there are, with the first.
    public var attempts: Int
    /// The pause after the first attempt.
    public var first: Duration
    /// By what each further pause is longer.
    public var factor: Double
    /// The longest pause.
    public var longest: Duration
    /// The share of each pause, from 0 to 1, that is left to chance, so that what failed together is not tried again
    /// together.
    public var jitter: Double

    /// Five attempts within about 15 s, unless other values are given.
    public init(
        attempts: Int = 5, first: Duration = .seconds(1), factor: Double = 2, longest: Duration = .seconds(300),
        jitter: Double = 0.5
    ) {
        self.attempts = attempts
        self.first = first
        self.factor = factor
        self.longest = longest
        self.jitter = jitter
    }

    /// Milliseconds of the pause after so many attempts, from 1; `random` is any 64 bits.
    func pause(after attempts: Int, random: UInt64) -> Int64 {
        let longest = Double(min(max(longest.milliseconds, 0), 1 << 52))
        var pause = min(Double(max(first.milliseconds, 0)), longest)
        for _ in 0..<min(max(attempts - 1, 0), 64) { pause = min(pause * min(max(factor, 1), 1e9), longest) }
        let chance = Double(random >> 11) / Double(1 << 53)
        return Int64(pause * (1 - min(max(jitter, 0), 1) * chance))
    }
}
