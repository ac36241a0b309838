import Logging
import CoreMetrics
public import ServiceLifecycle

extension ConfigService {
    /// Commits the expiry of what is overdue in a config, and returns how many keys that were.
    @discardableResult
    public func expireOverdue(in config: ConfigName) async throws -> Int {
        // So many that their values fit one append, however large they are.
        let batch = max(1, min(1000, engine.limits.bytes / Value.maximumLength))
        var count = 0
        var revision: Revision?
        while true {
            let keys = try await engine.overdueKeys(in: config, at: time.now(), limit: batch)
            guard !keys.isEmpty else { return count }
            // Whatever a transaction looks at is expired first when it is overdue.
            let result = try await commit(Transaction(then: keys.map { .get($0) }), to: config)
            // An index that is behind may name keys that are gone already.
            if result.revision == revision { return count }
            revision = result.revision
            metrics.expired.increment(by: keys.count)
            count += keys.count
        }
    }

    /// Forgets what a config's retention no longer keeps, if this process has committed a hundredth revision.
    ///
    /// So it is looked at often enough where there are only commands, and costs nothing most of the time.
    public func enforceRetentionAfterCommits(in config: ConfigName) async throws {
        guard existingLane(config)?.pipeline.hasCommittedHundredth == true else { return }
        guard let record = try await engine.config(config) else { return }
        try await enforceRetention(of: record)
    }

    /// Forgets what a config's retention no longer keeps, one small step at a time.
    public func enforceRetention(of record: ConfigRecord) async throws {
        let retention = record.settings.retention
        let aged = try await engine.lastRevision(of: record.name, before: time.now() - retention.age)
        let revision = min(aged, record.tail.revision - retention.revisions)
        guard revision > record.tail.trimmed else { return }
        while try await !engine.trim(record.name, through: revision) { try await time.sleep(.milliseconds(10)) }
        logger.info(
            "history compacted",
            metadata: ["discfg.config": "\(record.name)", "discfg.revision": "\(revision)"])
    }
}

/// Keeps a store tidy while a server runs: expiry as often as the store says, retention once a minute.
public struct ConfigMaintenance: Service {
    private let service: ConfigService
    private let retentionInterval: Duration = .seconds(60)

    public init(_ service: ConfigService) { self.service = service }

    public func run() async throws {
        await cancelWhenGracefulShutdown {
            let interval = service.engine.traits.sweepInterval
            var sinceRetention = retentionInterval
            while !Task.isCancelled {
                let isDue = sinceRetention >= retentionInterval
                await tidy(withRetention: isDue)
                sinceRetention = isDue ? interval : sinceRetention + interval
                // Cancelled means shut down, which the loop looks for.
                try? await service.time.sleep(interval)
            }
        }
    }

    /// One round; a store that fails now is tried again in the next.
    private func tidy(withRetention: Bool) async {
        do {
            if withRetention { try await service.engine.maintain() }
            var last: ConfigName?
            while true {
                let records = try await service.engine.configs(after: last, limit: 100)
                for record in records { try await tidy(record, withRetention: withRetention) }
                guard let name = records.last?.name else { return }
                last = name
            }
        } catch is CancellationError {
            return
        } catch {
            service.logger.warning("maintenance failed", metadata: ["error": "\(error)"])
        }
    }

    /// One config; what fails here must not keep the others from their turn.
    private func tidy(_ record: ConfigRecord, withRetention: Bool) async throws {
        do {
            try await service.expireOverdue(in: record.name)
            if withRetention { try await service.enforceRetention(of: record) }
        } catch let error as DiscfgError {
            service.logger.warning(
                "maintenance failed", metadata: ["discfg.config": "\(record.name)", "error": "\(error)"])
        }
    }
}
