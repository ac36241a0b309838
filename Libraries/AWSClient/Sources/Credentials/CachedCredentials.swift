public import Logging
import Synchronization

/// Keeps the credentials of a source, and renews them in time.
///
/// At most one refresh is under way. From 15 minutes before the credentials expire, the first caller that
/// asks starts one, and all get the old ones meanwhile; from 10 minutes before, callers wait for the new ones.
/// Credentials that hold for a short time are renewed after half of it, and waited for in its last quarter. Where a
/// refresh fails, the old ones are served until they expire, and the next try is 1 s later, then 2 s, and so on up to a
/// minute.
public final class CachedCredentials: CredentialsProvider {
    private struct State {
        var refresh = RefreshState()
        var waiters: [UInt64: CheckedContinuation<AWSCredentials, any Error>] = [:]
        var lastWaiter: UInt64 = 0
    }

    private let source: any CredentialsProvider
    private let logger: Logger
    private let now: @Sendable () -> Double
    private let state = Mutex(State())

    /// Keeps the credentials of a source.
    ///
    /// - Parameters:
    ///   - source: Is asked for new credentials whenever some are needed.
    ///   - logger: Is told of refreshes that failed, with the error's code alone.
    ///   - now: Seconds since 1970.
    public init(
        _ source: any CredentialsProvider, logger: Logger = Logger(label: "aws") { _ in SwiftLogNoOpLogHandler() },
        now: @escaping @Sendable () -> Double = { UTCTime.now }
    ) {
        self.source = source
        self.logger = logger
        self.now = now
    }

    /// The credentials that are kept, or new ones.
    ///
    /// Cancelling the caller's task ends its waiting, and nothing else.
    ///
    /// - Returns: Credentials that have not expired.
    /// - Throws: What the source threw, or `CancellationError`.
    public func credentials() async throws -> AWSCredentials {
        let waiter = state.withLock { state in
            state.lastWaiter &+= 1
            return state.lastWaiter
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { ask(waiter, $0) }
        } onCancel: {
            giveUp(waiter)
        }
    }

    /// Makes the next caller get fresh credentials, as after an answer that says that these have expired.
    ///
    /// - Parameter rejected: The credentials that were refused: where others are kept by now, those stay.
    public func invalidate(_ rejected: AWSCredentials) async {
        let now = now()
        state.withLock { $0.refresh.invalidate(rejected, now: now) }
    }

    private func ask(_ waiter: UInt64, _ continuation: CheckedContinuation<AWSCredentials, any Error>) {
        let now = now()
        let answer = state.withLock { state in
            let answer = state.refresh.ask(now: now)
            switch answer {
            case .wait, .refreshAndWait: state.waiters[waiter] = continuation
            case .serve, .serveAndRefresh, .fail: break
            }
            return answer
        }
        switch answer {
        case .serve(let credentials): continuation.resume(returning: credentials)
        case .serveAndRefresh(let credentials):
            continuation.resume(returning: credentials)
            refresh()
        case .refreshAndWait: refresh()
        case .wait: break
        case .fail(let error): continuation.resume(throwing: error)
        }
        // The task may have been cancelled before there was anything to give up.
        if Task.isCancelled { giveUp(waiter) }
    }

    private func giveUp(_ waiter: UInt64) {
        let waiting = state.withLock { $0.waiters.removeValue(forKey: waiter) }
        waiting?.resume(throwing: CancellationError())
    }

    /// Asks the source, in a task that belongs to none of the callers.
    private func refresh() {
        Task {
            let result: Result<AWSCredentials, any Error>
            do {
                result = .success(try await source.credentials())
            } catch {
                result = .failure(error)
            }
            finish(result)
        }
    }

    private func finish(_ result: Result<AWSCredentials, any Error>) {
        let now = now()
        let (outcome, waiters) = state.withLock { state in
            let outcome = state.refresh.finish(result, now: now)
            let waiters = outcome == nil ? [:] : state.waiters
            if outcome != nil { state.waiters = [:] }
            return (outcome, waiters)
        }
        if case .failure(let error) = result {
            let code = (error as? AWSError)?.code.rawValue ?? "\(type(of: error))"
            logger.info("credentials refresh failed", metadata: ["aws.error.code": "\(code)"])
        }
        guard let outcome else { return refresh() }
        for waiter in waiters.values { waiter.resume(with: outcome) }
    }
}

extension CachedCredentials: CustomReflectable {
    /// Nothing: what is kept is secret.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
