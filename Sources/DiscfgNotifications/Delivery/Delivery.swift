import DiscfgCore
import Logging

/// One run of a sender for one rule of one config: sends what is due, in the order of the revisions, and stores its
/// progress.
struct Delivery {
    let notifier: Notifier
    let config: ConfigName
    let rule: NotificationRule
    /// The log and its end when the delivery was requested; later commits cause deliveries of their own.
    let tail: LogTail
    /// When the delivery must end; `nil` for no limit.
    let deadline: ContinuousClock.Instant?
    private var claim: DeliveryClaim

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
        claim = DeliveryClaim(notifier, of: config, log: tail.incarnation, by: rule)
    }

    /// Sends what is due.
    ///
    /// - Returns: When there is something to do even if nothing changes; `nil` for never.
    mutating func run() async throws -> Timestamp? {
        do {
            while true {
                try await claim.load()
                // A config without new commits costs no write.
                if claim.state.sent >= tail.revision { return nil }
                // A new rule has no cell; neither has a rule that was removed meanwhile, which must not start again.
                if claim.isNew, try await !exists() { return nil }
                let now = service.now
                if claim.isHeldByAnother(at: now) {
                    // The owner of the claim sees this before it releases the claim, and continues.
                    if try await claim.markWanted() { return claim.state.claimedUntil }
                    continue
                }
                if let failure = claim.state.failure, failure.next > now { return failure.next }
                guard hasTime else { return now }
                guard try await claim.take() else { continue }
                if case .released(let next) = try await work() { return next }
            }
        } catch {
            await claim.abandon()
            throw error
        }
    }

    /// Sends page by page until nothing is left, a target refuses, or the time is up.
    private mutating func work() async throws -> DeliveryClaim.Ending {
        // The log has to be read at least up to this revision.
        var goal = tail.revision
        while true {
            guard hasTime else { return try await claim.release(until: service.now) }
            guard try await claim.renew() else { return .lost }
            let page: LogPage
            do {
                page = try await service.log(of: config, after: claim.state.sent, incarnation: tail.incarnation)
            } catch let error as DiscfgError where error.code == .compacted {
                guard try await skipCompacted(error) else { return .lost }
                continue
            }
            for commit in page.commits {
                if let selected = commit.selecting(try rule.selection) {
                    guard hasTime else { return try await claim.release(until: service.now) }
                    guard try await claim.renew() else { return .lost }
                    if let next = try await send(selected) { return try await claim.release(until: next) }
                }
                claim.state.pass(commit.revision)
            }
            // Only an empty page means the end of the log.
            guard page.commits.isEmpty || claim.state.sent >= goal else { continue }
            let ending = try await claim.release(until: nil)
            guard case .kept = ending else { return ending }
            goal = .max
        }
    }

    /// Sends one notification.
    ///
    /// - Returns: When to try again; `nil` if the notification was sent or given up.
    private mutating func send(_ commit: Commit) async throws -> Timestamp? {
        let failure: DeliveryFailure
        do {
            try await notifier.sender.send(CloudEvent.message(of: commit, in: config, by: rule), by: rule)
            claim.unsaved += 1
            return nil
        } catch let error as CancellationError {
            throw error
        } catch {
            // A failure that a cancellation caused is not a failure of the target.
            try Task.checkCancellation()
            failure =
                error as? DeliveryFailure ?? DeliveryFailure("The notification could not be sent (\(type(of: error))).")
        }
        let before = claim.state.failure?.revision == commit.revision ? claim.state.failure?.attempts ?? 0 : 0
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
        claim.state.failure = .init(
            revision: commit.revision, attempts: attempts, next: next, reason: failure.reason)
        return next
    }

    /// Records in a dead letter that revisions were compacted before they were sent, and continues with the oldest that
    /// is kept.
    ///
    /// - Returns: `false` if the config has another log now.
    private mutating func skipCompacted(_ error: DiscfgError) async throws -> Bool {
        let found = try await service.record(of: config).tail
        guard found.incarnation == tail.incarnation else { return false }
        let oldest = found.oldest
        guard oldest > claim.state.sent else { throw error }
        try await deadLetters.keep(
            .init(
                revision: oldest, attempts: 0, time: service.now,
                reason:
                    "The revisions from \(claim.state.sent + 1) to \(oldest) were compacted before they could be sent.")
        )
        claim.state.pass(oldest)
        return true
    }

    /// Whether the config has this rule now, and not another of the same name.
    private func exists() async throws -> Bool {
        let record = try await service.record(of: config)
        return record.tail.incarnation == tail.incarnation
            && record.settings.notifications.contains { $0.id == rule.id && $0.after == rule.after }
    }

    private var deadLetters: DeadLetters { DeadLetters(rule: rule, config: config, service: service) }

    private var hasTime: Bool { deadline.map { $0 - .now > options.reserve } ?? true }
}
