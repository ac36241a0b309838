import Logging
import Synchronization

extension AWSClient {
    /// Makes a call: as many tries as the policy, the quota and the deadline allow.
    ///
    /// - Parameter call: What to call.
    /// - Returns: The answer, which has a status of success.
    /// - Throws: `AWSError`; or `CancellationError`, after which a write may have been carried out or not.
    func call(_ call: ServiceCall) async throws -> HTTPResponse {
        let time = options.time
        let started = time.instant()
        var progress = CallProgress(call, policy: options.retry)
        do {
            let response = try await response(to: call, progress: &progress)
            quota.release(progress.heldQuota)
            report(call, progress, since: started, status: response.status, errorCode: nil)
            return response
        } catch var error as AWSError {
            // Whatever ended the call, perhaps the credentials' source: an earlier try may have been carried out.
            error.mayHaveTakenEffect = progress.mayHaveTakenEffect
            error.operation = error.operation ?? call.operation
            report(call, progress, since: started, status: error.status, errorCode: error.code)
            throw error
        } catch {
            report(call, progress, since: started, status: nil, errorCode: "client.Cancelled")
            throw error
        }
    }

    /// By how many seconds the clock can be ahead, at least and at most, if an answer was dated between two of its moments.
    ///
    /// So the time that a request takes, or for which the process is paused, is not taken for a wrong clock. The date of an answer has
    /// whole seconds, of which it is the beginning. `nil` if the clock was set during the request, which took that many seconds by a
    /// clock that nobody sets.
    static func clockOffset(
        from start: Double, through end: Double, taking duration: Double, date: Double
    ) -> ClosedRange<Double>? {
        guard abs(end - start - duration) < 1, start <= end else { return nil }
        return start - date - 1...end - date
    }

    private func response(to call: ServiceCall, progress: inout CallProgress) async throws -> HTTPResponse {
        let request = HTTPRequest(
            method: "POST", url: try endpoints.url(of: call.service), headers: call.headers, body: call.body)
        var key = try await key()
        while true {
            let failure: AttemptFailure
            switch try await attempt(call, request, with: key, progress: &progress) {
            case .success(let response): return response
            case .failure(let error): failure = error
            }
            switch progress.next(after: failure, random: options.time.random()) {
            case .giveUp(let error): throw error
            case .correctClock(let serverTime):
                let offset = serverTime - options.time.now()
                clockOffset.withLock { $0 = offset }
            case .renewCredentials:
                key = try await renewed(key)
            case .pause(let pause, let cost):
                try await wait(pause, cost: cost, failure: failure, progress: &progress)
                key = try await self.key()
            }
        }
    }

    private func key() async throws -> AWSCredentials {
        do {
            return try await credentials.credentials()
        } catch let error where !(error is AWSError || error is CancellationError) {
            throw AWSError(.brokenCredentials, "The source of credentials failed.", cause: error)
        }
    }

    /// Waits before another try, if quota and deadline leave room for it.
    private func wait(_ pause: Duration, cost: Int, failure: AttemptFailure, progress: inout CallProgress) async throws
    {
        if let deadline = Self.deadline, options.time.instant() + pause >= deadline {
            throw failure.error(hint: "The deadline left no time for another try.")
        }
        guard quota.acquire(cost) else {
            throw failure.error(hint: "Too many calls fail to try again now.")
        }
        progress.heldQuota = cost
        try await options.time.sleep(pause)
    }

    /// Fresh credentials after these were refused.
    private func renewed(_ refused: AWSCredentials) async throws -> AWSCredentials {
        await credentials.invalidate(refused)
        return try await key()
    }

    private func attempt(
        _ call: ServiceCall, _ request: HTTPRequest, with key: AWSCredentials, progress: inout CallProgress
    ) async throws -> Result<HTTPResponse, AttemptFailure> {
        var timeout = call.timeout ?? options.timeouts.request
        if let deadline = Self.deadline {
            timeout = min(timeout, deadline - options.time.instant())
            guard timeout > .zero else { return .failure(.deadlinePassed(call)) }
        }
        progress.attempts += 1
        let signature = SignatureV4(
            credentials: key, region: region, service: call.service.signingName,
            date: options.time.now() + clockOffset.withLock { $0 })
        let (sent, sentAt) = (options.time.instant(), options.time.now())
        do {
            let response = try await transport.send(try signature.signed(request), timeout: timeout)
            if let failure = AttemptFailure(response, to: call) { return .failure(failure) }
            progress.clockOffset = response.header("Date").flatMap(UTCTime.seconds(httpDate:)).flatMap { date in
                Self.clockOffset(
                    from: sentAt, through: options.time.now(), taking: (options.time.instant() - sent) / .seconds(1),
                    date: date)
            }
            return .success(response)
        } catch let error as TransportError {
            return .failure(AttemptFailure(error, to: call, at: request.url))
        } catch let error where !(error is AWSError || error is CancellationError) {
            return .failure(
                AttemptFailure(
                    TransportError(mayHaveBeenSent: true, "the transport failed", cause: error), to: call,
                    at: request.url))
        }
    }

    private func report(
        _ call: ServiceCall, _ progress: CallProgress, since started: ContinuousClock.Instant, status: Int?,
        errorCode: AWSError.Code?
    ) {
        let duration = options.time.instant() - started
        logger.debug(
            "AWS call ended",
            metadata: [
                "aws.service": "\(call.service.endpointPrefix)", "aws.operation": "\(call.operation)",
                "aws.attempts": "\(progress.attempts)", "aws.status": "\(status.map(String.init) ?? "none")",
                "aws.milliseconds": "\(duration / .milliseconds(1))",
            ])
        options.onCall?(
            AWSCall(
                service: call.service.endpointPrefix, operation: call.operation, attempts: progress.attempts,
                duration: duration, status: status, errorCode: errorCode, clockOffset: progress.clockOffset))
    }
}
