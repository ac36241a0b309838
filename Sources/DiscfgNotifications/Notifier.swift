public import DiscfgCore
public import Logging

/// Tells others of the changes of configs, by the rules that the configs have as settings.
///
/// The log is what is followed: a stream's records, like the passing of time, only say when to look. So notifications of one
/// rule come in the order of the revisions, whatever order the records come in, and none is left out. They come at least once:
/// a sender that ends between sending and noting that it has sent is repeated by the next. Several senders may work on
/// one store, in servers and in Lambda: they take turns at each rule. No rule waits for another's target.
public final class Notifier: Sendable {
    /// How a notifier behaves.
    public struct Options: Sendable {
        /// How often a notification is tried before it is given up, at least once.
        public var maximumAttempts = 12
        /// The pause after a failed try.
        public var pause: @Sendable (_ attempt: Int) -> Duration = { attempt in
            // 1, 2, 4 … s, at most 5 minutes: together about 20 minutes for 12 tries.
            let seconds = min(300, 1 << min(attempt - 1, 9))
            return .milliseconds(Int64(seconds) * .random(in: 900...1100))
        }
        /// How long a sender may take that it is alone; another takes over when it has not been heard of for so long.
        public var claim: Duration = .seconds(60)
        /// After so many notifications what was sent is noted; so many at most are sent again after a crash.
        public var unsavedLimit = 10
        /// So long before a deadline nothing is begun any more.
        public var reserve: Duration = .seconds(11)

        public init() {}
    }

    let service: ConfigService
    let sender: any NotificationSender
    let options: Options
    let logger: Logger
    /// Told when a rule was added here.
    let added = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))

    public init(
        service: ConfigService, sender: any NotificationSender, options: Options = Options(), logger: Logger
    ) {
        self.service = service
        self.sender = sender
        self.options = options
        self.logger = logger
    }

    /// What came of delivering.
    public struct Outcome: Sendable, Hashable {
        /// Whether the config has rules, or the one that is meant.
        public var hasRules: Bool
        /// The config's revision before anything was sent.
        public var revision: Revision
        /// When there will be something to do even if nothing changes; `nil` for never.
        public var next: Timestamp?
    }

    /// Sends what is due of a config, by all its rules at once.
    ///
    /// - Parameters:
    ///   - config: The config.
    ///   - id: The only rule that is meant; `nil` for all.
    ///   - deadline: When there must be an end of it; what is left then is for the next call.
    /// - Returns: What came of it.
    /// - Throws: `DiscfgError` when the store cannot be read or written, `configNotFound` among them; a target that refuses is no
    ///   error: it is noted.
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
            // All have their turn before a failure is told.
            var results: [Result<Timestamp?, any Error>] = []
            for try await result in group { results.append(result) }
            return try results.map { try $0.get() }
        }
        return Outcome(
            hasRules: !rules.isEmpty, revision: record.tail.revision, next: moments.compactMap { $0 }.min())
    }

    /// Sends what is due of every config, of several at once.
    ///
    /// - Throws: What one that failed threw, after all had their turn.
    public func deliverAll(until deadline: ContinuousClock.Instant? = nil) async throws {
        // Not always the same first, where the time is not enough for all.
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
