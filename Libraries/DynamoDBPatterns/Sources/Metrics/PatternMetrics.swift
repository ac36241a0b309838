public import CoreMetrics

/// What the patterns of a table count and measure, by `swift-metrics`.
///
/// Each metric has the labels `pattern` (`aggregator`, `periodic`, `processor`, `outbox`, `consumer`, `idempotent`,
/// `lease`) and `name`, the name that the pattern was given. No label holds a key, so that their number is bounded.
public struct PatternMetrics: Sendable {
    let factory: any MetricsFactory

    /// The metrics of a table.
    ///
    /// - Parameter factory: Makes them; `nil` for the one with which `MetricsSystem` was bootstrapped.
    public init(factory: (any MetricsFactory)? = nil) { self.factory = factory ?? MetricsSystem.factory }
}

/// A pattern's kind and name, as labels.
struct MetricSubject: Sendable, Hashable {
    var pattern: String
    var name: String

    init(_ pattern: String, _ name: String) {
        self.pattern = pattern
        self.name = name
    }

    /// The pattern whose items begin with a prefix, such as `P#orders#`; `nil` for those without workers.
    init?(_ prefix: PatternTable.Prefix) {
        let parts = prefix.text.split(separator: "#")
        guard parts.count >= 2 else { return nil }
        switch (parts[0], parts.count) {
        case ("A", 2): pattern = "aggregator"
        case ("B", 2): pattern = "periodic"
        case ("P", 2): pattern = "processor"
        case ("P", 3) where parts[2] == "outbox": pattern = "outbox"
        default: return nil
        }
        name = String(parts[1])
    }
}

extension PatternMetrics {
    /// The names of the metrics; the article on metrics says what each means.
    enum Label {
        static let lateness = "dynamodb_patterns_lateness_seconds"
        static let failures = "dynamodb_patterns_failed_attempts_total"
        static let waiting = "dynamodb_patterns_waiting"
        static let overdue = "dynamodb_patterns_overdue_seconds"
        static let stuck = "dynamodb_patterns_stuck"
        static let outbox = "dynamodb_patterns_outbox"
        static let lag = "dynamodb_patterns_stream_lag_seconds"
        static let calls = "dynamodb_patterns_idempotent_calls_total"
        static let lost = "dynamodb_patterns_leases_lost_total"
    }

    /// How late a worker is at a look for what is due.
    func late(by milliseconds: Int64, _ subject: MetricSubject) {
        timer(Label.lateness, subject).recordNanoseconds(max(milliseconds, 0) * 1_000_000)
    }

    /// An attempt failed and was not stopped, and is made again.
    func failed(_ subject: MetricSubject) { counter(Label.failures, subject).increment() }

    /// How old a record of a stream is when it is handled.
    func lag(of milliseconds: Int64, _ subject: MetricSubject) {
        timer(Label.lag, subject).recordNanoseconds(max(milliseconds, 0) * 1_000_000)
    }

    /// What became of a call of an idempotent handler.
    func called(_ outcome: String, _ name: String) {
        Counter(
            label: Label.calls, dimensions: [("pattern", "idempotent"), ("name", name), ("outcome", outcome)],
            factory: factory
        ).increment()
    }

    /// A lease was lost under its body.
    func lost(_ name: String) { counter(Label.lost, MetricSubject("lease", name)).increment() }

    /// Sets a value that goes up and down.
    func set(_ label: String, _ subject: MetricSubject, to value: Double) {
        Gauge(label: label, dimensions: subject.dimensions, factory: factory).record(value)
    }

    private func counter(_ label: String, _ subject: MetricSubject) -> Counter {
        Counter(label: label, dimensions: subject.dimensions, factory: factory)
    }

    private func timer(_ label: String, _ subject: MetricSubject) -> CoreMetrics.Timer {
        Timer(label: label, dimensions: subject.dimensions, factory: factory)
    }
}

extension MetricSubject {
    var dimensions: [(String, String)] { [("pattern", pattern), ("name", name)] }
}
