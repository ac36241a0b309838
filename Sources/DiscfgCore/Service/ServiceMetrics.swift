import Metrics

/// What a service counts; see docs/operations for what the names mean.
struct ServiceMetrics: Sendable {
    let commits: Counter
    let conflicts: Counter
    let expired: Counter
    let appendDuration: Metrics.Timer

    init(factory: any MetricsFactory) {
        commits = Counter(label: "discfg_commits_total", dimensions: [], factory: factory)
        conflicts = Counter(label: "discfg_append_conflicts_total", dimensions: [], factory: factory)
        expired = Counter(label: "discfg_expired_keys_total", dimensions: [], factory: factory)
        appendDuration = Metrics.Timer(label: "discfg_append_duration_seconds", dimensions: [], factory: factory)
    }

    /// Measures an append.
    func measure(_ append: () async throws -> AppendOutcome) async rethrows -> AppendOutcome {
        let start = ContinuousClock.now
        defer { appendDuration.recordNanoseconds((ContinuousClock.now - start).nanoseconds) }
        return try await append()
    }
}

extension Duration {
    fileprivate var nanoseconds: Int64 { components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000 }
}
