import DiscfgCore
import Logging

/// One sender at work on one rule of one config: sends what is due, in the order of the revisions, and notes how far it came.
struct Delivery {
    let notifier: Notifier
    let config: ConfigName
    let rule: NotificationRule
    /// Which log is meant, and how far it reached when this was asked for: what comes later has somebody else who asks.
    let tail: LogTail
    /// When there must be an end of it; `nil` for none.
    let deadline: ContinuousClock.Instant?
    private var turn: Turn

    private var service: ConfigService { notifier.service }
    private var options: Notifier.Options { notifier.options }

    init(
        _ notifier: Notifier, of config: ConfigName, tail: LogTail, by rule: NotificationRule,
        until deadline: ContinuousClock.Instant?
    ) {
        self.notifier = notifier
        self.config = config
        self.rule = rule
        self.tail = tail
        self.deadline = deadline
        turn = Turn(notifier, of: config, log: tail.incarnation, by: rule)
    }

    /// Sends what is due.
    ///
    /// - Returns: When there will be something to do even if nothing changes; `nil` for never.
    mutating func run() async throws -> Timestamp? {
        do {
            while true {
                try await turn.load()
                // So that a config in which nothing happens costs no write.
                if turn.state.sent >= tail.revision { return nil }
                // Nothing is kept of a rule that is new, and of one that was removed meanwhile, which must not begin again.
                if turn.isNew, try await !isAskedFor() { return nil }
                let now = service.now
                if turn.isSomebodyElses(at: now) {
                    // Whoever has it sees the word when it would let go, and goes on.
                    if try await turn.leaveWord() { return turn.state.claimedUntil }
                    continue
                }
                if let failure = turn.state.failure, failure.next > now { return failure.next }
                guard hasTime else { return now }
                guard try await turn.claim() else { continue }
                if case .over(let next) = try await work() { return next }
            }
        } catch {
            await turn.letGo()
            throw error
        }
    }

    /// Sends page by page until nothing is left, a target refuses, or the time is over.
    private mutating func work() async throws -> Turn.Ending {
        // The least revision up to which the log has to be read.
        var goal = tail.revision
        while true {
            guard hasTime else { return try await turn.release(until: service.now) }
            guard try await turn.keep() else { return .taken }
            let page: LogPage
            do {
                page = try await service.log(of: config, after: turn.state.sent, incarnation: tail.incarnation)
            } catch let error as DiscfgError where error.code == .compacted {
                guard try await skipCompacted(error) else { return .taken }
                continue
            }
            for commit in page.commits {
                if let selected = commit.selecting(try rule.selection) {
                    guard hasTime else { return try await turn.release(until: service.now) }
                    guard try await turn.keep() else { return .taken }
                    if let next = try await send(selected) { return try await turn.release(until: next) }
                }
                turn.state.pass(commit.revision)
            }
            // Only an empty page tells the end of the log.
            guard page.commits.isEmpty || turn.state.sent >= goal else { continue }
            let ending = try await turn.release(until: nil)
            guard case .more = ending else { return ending }
            goal = .max
        }
    }

    /// Sends one; a moment is when to try again.
    private mutating func send(_ commit: Commit) async throws -> Timestamp? {
        let failure: DeliveryFailure
        do {
            try await notifier.sender.send(CloudEvent.message(of: commit, in: config, by: rule), by: rule)
            turn.unsaved += 1
            return nil
        } catch let error as CancellationError {
            throw error
        } catch {
            // What fails because of a cancellation is not the target's fault.
            try Task.checkCancellation()
            failure = error as? DeliveryFailure ?? DeliveryFailure("It could not be sent (\(type(of: error))).")
        }
        let before = turn.state.failure?.revision == commit.revision ? turn.state.failure?.attempts ?? 0 : 0
        let attempts = before + 1
        notifier.logger.info(
            "a notification was not taken",
            metadata: [
                "discfg.config": "\(config)", "discfg.notification": "\(rule.id)",
                "discfg.revision": "\(commit.revision)", "attempts": "\(attempts)", "reason": "\(failure.reason)",
            ])
        if attempts >= options.maximumAttempts {
            try await deadLetters.keep(
                .init(revision: commit.revision, attempts: attempts, time: service.now, reason: failure.reason))
            return nil
        }
        let next = service.now + max(options.pause(attempts), failure.retryAfter ?? .zero)
        turn.state.failure = .init(
            revision: commit.revision, attempts: attempts, next: next, reason: failure.reason)
        return next
    }

    /// The log has lost what was still to be sent: says so, and goes on where it begins; `false` where it is another log.
    private mutating func skipCompacted(_ error: DiscfgError) async throws -> Bool {
        let found = try await service.record(of: config).tail
        guard found.incarnation == tail.incarnation else { return false }
        let oldest = found.oldest
        guard oldest > turn.state.sent else { throw error }
        try await deadLetters.keep(
            .init(
                revision: oldest, attempts: 0, time: service.now,
                reason:
                    "The revisions from \(turn.state.sent + 1) to \(oldest) were compacted before they could be sent."))
        turn.state.pass(oldest)
        return true
    }

    /// Whether the rule is there now, and not another of its name.
    private func isAskedFor() async throws -> Bool {
        let record = try await service.record(of: config)
        return record.tail.incarnation == tail.incarnation
            && record.settings.notifications.contains { $0.id == rule.id && $0.after == rule.after }
    }

    private var deadLetters: DeadLetters { DeadLetters(rule: rule, config: config, service: service) }

    private var hasTime: Bool { deadline.map { $0 - .now > options.reserve } ?? true }
}
