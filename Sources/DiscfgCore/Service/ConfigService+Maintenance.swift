import Logging
import CoreMetrics
public import ServiceLifecycle

extension ConfigService {
    /// The time between two looks for keys that are overdue.
    public var sweepInterval: Duration { engine.traits.sweepInterval }

    /// Commits the end of what is overdue in a config: of keys and of leases.
    ///
    /// `margin` is that of `endOverdueLeases(in:overdueBy:)`; `nil` for a process that sweeps again and again.
    public func sweep(_ config: ConfigName, leasesOverdueBy margin: Duration? = nil) async throws {
        try await expireOverdue(in: config)
        try await endOverdueLeases(in: config, overdueBy: margin)
    }

    /// Commits the expiry of what is overdue in a config, and returns how many keys that were.
    @discardableResult
    public func expireOverdue(in config: ConfigName) async throws -> Int {
        // So many that their values fit memory, however large they are.
        let batch = max(16, min(1000, engine.limits.bytes / Value.maximumLength))
        var count = 0
        // An index that is behind names keys again that are gone already.
        var done: Set<Key> = []
        while true {
            let overdue = try await engine.overdueKeys(in: config, at: time.now(), limit: batch + min(done.count, 1000))
            let keys = overdue.filter { !done.contains($0) }.prefix(batch)
            guard !keys.isEmpty, done.count < 100_000 else { return count }
            // Whatever a transaction looks at is expired first when it is overdue.
            _ = try await commit(Transaction(then: keys.map { .get($0) }), to: config)
            done.formUnion(keys)
            metrics.expired.increment(by: keys.count)
            count += keys.count
        }
    }

    /// Forgets what a config's retention no longer keeps, if this process has committed a hundredth revision.
    ///
    /// So it is looked at often enough where there are only commands, and costs nothing most of the time.
    public func enforceRetentionAfterCommits(in config: ConfigName) async throws {
        guard existing(config)?.pipeline.hasCommittedHundredth == true else { return }
        guard let record = try await engine.config(config) else { return }
        try await enforceRetention(of: record)
    }

    /// Forgets what a config's retention no longer keeps, one small step at a time, and removes what compactions have kept.
    public func enforceRetention(of record: ConfigRecord) async throws {
        let retention = record.settings.retention
        let aged = try await engine.lastRevision(of: record.name, before: time.now() - retention.age)
        let revision = min(aged, record.tail.revision - retention.revisions)
        guard revision > record.tail.trimmed || record.hasRemains else { return }
        let (last, moment) = (max(revision, record.tail.trimmed), time.now() - compactionDelay)
        while try await !engine.trim(record.name, through: last, keepingSince: moment) {
            try await time.sleep(.milliseconds(10))
        }
        guard revision > record.tail.trimmed else { return }
        logger.info(
            "history compacted",
            metadata: ["discfg.config": "\(record.name)", "discfg.revision": "\(revision)"])
    }
}

/// Keeps a store tidy while a server runs: expiry as often as the store says, retention once a minute and after a hundred
/// commits.
public struct ConfigMaintenance: Service {
    private let service: ConfigService
    private let failures = RepeatedFailures()
    private let retentionInterval: Duration = .seconds(60)

    /// Maintenance of the store of a service.
    public init(_ service: ConfigService) { self.service = service }

    /// Runs until a graceful shutdown or a cancellation; logs failures of the store, and continues.
    public func run() async throws {
        await cancelWhenGracefulShutdown {
            async let busy: Void = trimBusyConfigs()
            await tidyRegularly()
            await busy
        }
    }

    /// Keeps the store tidy once, as far as the time goes: where nothing runs all the time.
    public func runOnce(until deadline: ContinuousClock.Instant) async {
        // A round of its own logs its failures whatever an earlier one has logged.
        await ConfigMaintenance(service).runRound(until: deadline)
    }

    private func runRound(until deadline: ContinuousClock.Instant) async {
        await attempt { try await service.administration?.maintain() }
        await attempt {
            // Not always from the front, so that all have their turn where there are too many for one time.
            for name in try await service.configNames().shuffled() where ContinuousClock.now < deadline {
                await attempt(on: name) {
                    try await tidy(name, withRetention: true, leasesOverdueBy: ConfigService.overdueMargin)
                }
            }
        }
    }

    /// A busy config must not grow for a minute beyond what it keeps.
    private func trimBusyConfigs() async {
        for await name in service.hundreds.stream {
            await attempt(on: name) {
                guard let record = try await service.engine.config(name) else { return }
                try await service.enforceRetention(of: record)
            }
        }
    }

    private func tidyRegularly() async {
        let interval = service.engine.traits.sweepInterval
        var sinceRetention = retentionInterval
        // Names are looked up each time only where that costs nothing. A failure must not keep the sweeps off until the next time.
        var names: [ConfigName] = []
        var needsNames = true
        while !Task.isCancelled {
            let isDue = sinceRetention >= retentionInterval
            if isDue { await attempt { try await service.administration?.maintain() } }
            needsNames = needsNames || isDue || service.engine.traits.readsTellTail
            if needsNames {
                await attempt {
                    names = try await service.configNames()
                    needsNames = false
                }
            }
            for name in names { await attempt(on: name) { try await tidy(name, withRetention: isDue) } }
            sinceRetention = isDue ? interval : sinceRetention + interval
            // Cancelled means shut down, which the loop looks for.
            try? await service.time.sleep(interval)
        }
    }

    private func tidy(
        _ name: ConfigName, withRetention: Bool, leasesOverdueBy margin: Duration? = nil
    ) async throws {
        try await service.sweep(name, leasesOverdueBy: margin)
        guard withRetention, let record = try await service.engine.config(name) else { return }
        try await service.enforceRetention(of: record)
    }

    /// What fails now is tried again in the next round, and must not keep the rest from its turn.
    ///
    /// The log has a failure that goes on once a minute, and not once for each round.
    private func attempt(on name: ConfigName? = nil, _ work: () async throws -> Void) async {
        do {
            try await work()
        } catch is CancellationError {
            return
        } catch let error as DiscfgError where error.code == .configNotFound {
            // It was deleted since its name was read.
        } catch {
            let subject = name?.description ?? ""
            guard let repeated = failures.note("\(error)", of: subject, at: service.time.instant()) else { return }
            var metadata: Logger.Metadata = ["error": "\(error)"]
            if let name { metadata["discfg.config"] = "\(name)" }
            if repeated > 0 { metadata["repeated"] = "\(repeated)" }
            service.logger.warning("maintenance failed", metadata: metadata)
        }
    }
}
