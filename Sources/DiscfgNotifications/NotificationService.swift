import DiscfgCore
import Logging
public import ServiceLifecycle
import Synchronization

/// Sends notifications for as long as a server runs: follows the log of every config that has rules.
public final class NotificationService: Service {
    private let notifier: Notifier
    private let active = Mutex<Set<Subject>>([])

    /// One rule of one config, followed apart from the others, so that none waits for another's target.
    private struct Subject: Hashable {
        var config: ConfigName
        var rule: String
    }

    public init(_ notifier: Notifier) { self.notifier = notifier }

    public func run() async throws {
        await cancelWhenGracefulShutdown { await self.follow() }
    }

    /// Looks every now and then which rules there are, and at once when one was added here.
    private func follow() async {
        let interval = notifier.service.sweepInterval * 10
        await withDiscardingTaskGroup { group in
            group.addTask { [notifier] in
                while !Task.isCancelled {
                    notifier.added.continuation.yield()
                    // Cancelled means shut down, which the loop looks for.
                    try? await notifier.service.sleep(interval)
                }
            }
            for await _ in notifier.added.stream {
                for subject in await subjects() where active.withLock({ $0.insert(subject).inserted }) {
                    group.addTask {
                        await self.follow(subject)
                        self.active.withLock { _ = $0.remove(subject) }
                        // One of its name may have been added just before, and passed over as being followed.
                        self.notifier.added.continuation.yield()
                    }
                }
            }
        }
    }

    private func subjects() async -> [Subject] {
        do {
            var found: [Subject] = []
            for config in try await notifier.service.configNames() {
                // Where it cannot be read, the next look finds it.
                let rules = (try? await notifier.service.record(of: config))?.settings.notifications ?? []
                found += rules.map { Subject(config: config, rule: $0.id) }
            }
            return found
        } catch {
            report(error)
            return []
        }
    }

    /// Sends what a rule asks for, until it is gone.
    private func follow(_ subject: Subject) async {
        let config = subject.config
        var pause = Duration.seconds(1)
        while !Task.isCancelled {
            do {
                let outcome = try await notifier.deliver(in: config, by: subject.rule)
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
