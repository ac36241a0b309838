public import DiscfgCore
public import Logging

/// Sends notifications of changes, by the rules in the settings of configs.
///
/// Notifications are read from the log; the records of a stream and timers only trigger that. So the notifications of a
/// rule are sent in the order of the revisions, whatever the order of the records, and none is left out. They are sent
/// at least once: if a sender ends before it has stored its progress, the next sender sends the same messages again.
/// Several senders may work on one store, in servers and in Lambda: one at a time has the claim on a rule. No rule
/// waits for the target of another.
public final class Notifier: Sendable {
    /// How a notifier behaves.
    public struct Options: Sendable {
        /// The number of attempts before a notification is given up, at least 1.
        public var maximumAttempts = 12
        /// The pause after a failed attempt.
        public var pause: @Sendable (_ attempt: Int) -> Duration = { attempt in
            // 1, 2, 4 … s, at most 5 minutes: in total about 20 minutes for 12 attempts.
            let seconds = min(300, 1 << min(attempt - 1, 9))
            return .milliseconds(Int64(seconds) * .random(in: 900...1100))
        }
        /// How long a claim is valid after it was last renewed; then another sender may take it.
        public var claim: Duration = .seconds(60)
        /// The number of notifications after which progress is stored: the maximum that is sent again after a crash.
        public var unsavedLimit = 10
        /// The time before a deadline in which nothing is started.
        public var reserve: Duration = .seconds(11)

        /// 12 attempts within about 20 minutes, claims of one minute, and progress stored after 10 notifications.
        public init() {}
    }

    let service: ConfigService
    let sender: any NotificationSender
    let options: Options
    let logger: Logger
    /// Yields when a rule was added through this notifier.
    let added = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))

    /// A notifier of a store; it sends nothing until it is asked to, or a `NotificationService` runs.
    public init(
        service: ConfigService, sender: any NotificationSender, options: Options = Options(), logger: Logger
    ) {
        self.service = service
        self.sender = sender
        self.options = options
        self.logger = logger
    }

    /// The result of a delivery.
    public struct Outcome: Sendable, Hashable {
        /// Whether the config has rules, or the rule that was named.
        public var hasRules: Bool
        /// The config's revision before anything was sent.
        public var revision: Revision
        /// When there is something to do even if nothing changes; `nil` for never.
        public var next: Timestamp?
    }

    /// Sends the notifications of a config that are due, for all its rules concurrently.
    ///
    /// - Parameters:
    ///   - config: The config.
    ///   - id: The only rule to send for; `nil` for all.
    ///   - deadline: When the call must end; the rest is left for the next call.
    /// - Returns: The result for all these rules.
    /// - Throws: `DiscfgError` if the store cannot be read or written, or with code `configNotFound`. A target that
    ///   refuses is not an error: the refusal is stored.
    public func deliver(
        in config: ConfigName, by id: String? = nil, until deadline: ContinuousClock.Instant? = nil
    ) async throws -> Outcome {
        let record = try await service.record(of: config)
        let rules = record.settings.notifications.filter { id == nil || $0.id == id }
        let moments = try await withThrowingTaskGroup(of: Result<Timestamp?, any Error>.self) { group in
            for rule in rules {
                var delivery = Delivery(self, of: config, tail: record.tail, by: rule, until: deadline)
                group.addTask {
                    do { return .success(try await delivery.run()) } catch { return .failure(error) }
                }
            }
            // A failure is thrown after all rules were tried.
            var results: [Result<Timestamp?, any Error>] = []
            for try await result in group { results.append(result) }
            return try results.map { try $0.get() }
        }
        return Outcome(
            hasRules: !rules.isEmpty, revision: record.tail.revision, next: moments.compactMap { $0 }.min())
    }

    /// Sends the notifications of every config that are due, for several configs concurrently.
    ///
    /// - Throws: The error of one config that failed, after all configs were tried.
    public func deliverAll(until deadline: ContinuousClock.Instant? = nil) async throws {
        // In random order, so that no config is always last if the time is not enough for all.
        let names = try await service.configNames().shuffled()
        let failures = try await names.concurrently(atMost: Self.configsAtOnce) { name -> (any Error)? in
            do {
                _ = try await self.deliver(in: name, until: deadline)
                return nil
            } catch let error as DiscfgError where error.code == .configNotFound {
                // It was deleted since its name was read.
                return nil
            } catch {
                return error
            }
        }
        if let failure = failures.compactMap(\.self).first { throw failure }
    }

    private static let configsAtOnce = 16
}
