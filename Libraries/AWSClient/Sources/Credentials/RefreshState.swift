/// Which credentials are kept, when they are to be renewed, and whether somebody is at it: all of that without a clock,
/// a lock or a task.
///
/// Source: botocore's `RefreshableCredentials`, but that credentials are served until they expire.
struct RefreshState {
    /// Seconds before they expire from which credentials are renewed while the old ones are still served.
    static let advisory = 900.0
    /// Seconds before they expire from which callers wait for the new ones.
    static let mandatory = 600.0
    /// The longest time in seconds between two tries after failures.
    static let longestPause = 60.0

    /// What a caller that asks for credentials does.
    enum Answer {
        case serve(AWSCredentials)
        /// Take these, and start a refresh that nobody waits for.
        case serveAndRefresh(AWSCredentials)
        /// Wait for the refresh under way.
        case wait
        /// Start a refresh, and wait for it.
        case refreshAndWait
        /// The last refresh has just failed.
        case fail(any Error)
    }

    private var current: AWSCredentials?
    private var advisoryTime = Double.infinity
    private var mandatoryTime = Double.infinity
    /// Whether AWS refused those that are kept.
    private var isRefused = false
    private var isRefreshing = false
    /// Whether the refresh under way began before the refusal, so that it may bring the same ones in good faith.
    private var isLate = false
    /// The last refresh brought nothing new: it failed with an error, or came with what AWS had refused.
    private var failure: (error: (any Error)?, count: Int, until: Double)?

    /// Says what to do, and takes note of the refresh that is to be started.
    mutating func ask(now: Double) -> Answer {
        guard let current = valid(now), !isRefused else {
            if isRefreshing { return .wait }
            if let error = failure?.error, isPausing(now) { return .fail(error) }
            isRefreshing = true
            return .refreshAndWait
        }
        if now < advisoryTime { return .serve(current) }
        if isRefreshing { return now < mandatoryTime ? .serve(current) : .wait }
        if isPausing(now) { return .serve(current) }
        isRefreshing = true
        return now < mandatoryTime ? .serveAndRefresh(current) : .refreshAndWait
    }

    /// Takes what a refresh brought.
    ///
    /// - Parameters:
    ///   - result: New credentials, or why there are none.
    ///   - now: Seconds since 1970.
    /// - Returns: The result for the callers that waited for it; `nil` if another refresh is to be started at once, for which
    ///   they wait.
    mutating func finish(
        _ result: Result<AWSCredentials, any Error>, now: Double
    ) -> Result<AWSCredentials, any Error>? {
        let result = result.flatMap { credentials in Result { try credentials.checked(from: "The source", now: now) } }
        let wasLate = isLate
        isLate = false
        switch result {
        case .success(let credentials) where isRefused && credentials == current:
            if wasLate { return nil }
            // There are no others. Whoever refuses these soon again does not have the source asked again and again.
            isRefused = false
            fail(nil, now)
        case .success(let credentials):
            failure = nil
            isRefused = false
            keep(credentials, now: now)
        case .failure(let error):
            fail(error, now)
        }
        isRefreshing = false
        if case .failure = result, !isRefused, let current = valid(now) { return .success(current) }
        return result
    }

    /// Takes note that AWS refused credentials as expired.
    ///
    /// Nothing happens where others are kept by now, or the source had just no others.
    mutating func invalidate(_ rejected: AWSCredentials, now: Double) {
        guard rejected == current, !isRefused else { return }
        if let failure, failure.error == nil, isPausing(now) { return }
        isRefused = true
        isLate = isRefreshing
    }

    private func valid(_ now: Double) -> AWSCredentials? {
        guard let current, now < current.expiration ?? .infinity else { return nil }
        return current
    }

    /// Whether too little time has passed since the last failure; a clock that was set back does not make it long.
    private func isPausing(_ now: Double) -> Bool {
        guard let failure else { return false }
        return now < failure.until && failure.until - now <= Self.longestPause
    }

    private mutating func fail(_ error: (any Error)?, _ now: Double) {
        let count = (failure?.count ?? 0) + 1
        failure = (error, count, now + min(Double(1 << min(count - 1, 16)), Self.longestPause))
    }

    private mutating func keep(_ credentials: AWSCredentials, now: Double) {
        current = credentials
        let expiration = credentials.expiration ?? .infinity
        // Those that hold for less than an hour or so would else be renewed from the first moment.
        let rest = expiration - now
        advisoryTime = expiration - min(Self.advisory, rest / 2)
        mandatoryTime = expiration - min(Self.mandatory, rest / 4)
    }
}
