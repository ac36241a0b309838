import DiscfgCore
import Logging
public import ServiceLifecycle
import Synchronization

/// Sends notifications while a server runs: follows the log of every config that has rules.
public final class NotificationService: Service {
    private let notifier: Notifier
    private let active = Mutex<Set<FollowedRule>>([])

    /// One rule of one config; each is followed by a task of its own, so that no rule waits for the target of another.
    private struct FollowedRule: Hashable {
        var config: ConfigName
        var id: String
    }

    /// A service for the rules of the notifier's store.
    public init(_ notifier: Notifier) { self.notifier = notifier }

    /// Follows all rules until a graceful shutdown or a cancellation; a failing target does not end it.
    public func run() async throws {
        await cancelWhenGracefulShutdown { await self.follow() }
    }

    /// Lists the rules at regular intervals, and at once when a rule was added through this notifier.
    private func follow() async {
        let interval = notifier.service.sweepInterval * 10
        await withDiscardingTaskGroup { group in
            group.addTask { [notifier] in
                while !Task.isCancelled {
                    notifier.added.continuation.yield()
                    // A cancellation is a shutdown, which ends the loop.
                    try? await notifier.service.sleep(interval)
                }
            }
            for await _ in notifier.added.stream {
                for rule in await rules() where active.withLock({ $0.insert(rule).inserted }) {
                    group.addTask {
                        await self.follow(rule)
                        self.active.withLock { _ = $0.remove(rule) }
                        // A rule with the same name may have been added just before, and skipped because this one was
                        // followed.
                        self.notifier.added.continuation.yield()
                    }
                }
            }
        }
    }

    private func rules() async -> [FollowedRule] {
        do {
            var found: [FollowedRule] = []
            for config in try await notifier.service.configNames() {
                // If a config cannot be read, the next listing finds its rules.
                let rules = (try? await notifier.service.record(of: config))?.settings.notifications ?? []
                found += rules.map { FollowedRule(config: config, id: $0.id) }
            }
            return found
        } catch {
            report(error)
            return []
        }
    }

    /// Sends the notifications of a rule until the rule is removed.
    private func follow(_ rule: FollowedRule) async {
        let config = rule.config
        var pause = Duration.seconds(1)
        while !Task.isCancelled {
            do {
                let outcome = try await notifier.deliver(in: config, by: rule.id)
                guard outcome.hasRules else { return }
                let now = notifier.service.now
                let wait = min(.seconds(30), outcome.next.map { max(.milliseconds(10), $0 - now) } ?? .seconds(30))
                let query = ChangesQuery(after: outcome.revision, limit: 1, wait: wait)
                _ = try await notifier.service.changes(query, in: config)
                pause = .seconds(1)
            } catch let error as DiscfgError where error.code == .configNotFound {
                return
            } catch let error as DiscfgError where error.code == .compacted {
                continue
            } catch {
                if Task.isCancelled { return }
                report(error, of: config)
                try? await notifier.service.sleep(pause)
                pause = min(pause * 2, .seconds(60))
            }
        }
    }

    private func report(_ error: any Error, of config: ConfigName? = nil) {
        var metadata: Logger.Metadata = ["error": "\(error)"]
        if let config { metadata["discfg.config"] = "\(config)" }
        notifier.logger.warning("notifications could not be sent", metadata: metadata)
    }
}
