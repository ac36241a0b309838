public import CoreMetrics
import Synchronization

/// Keeps what swift-metrics records, and writes it in the Prometheus text format.
///
/// Counters become counters, recorders and meters gauges, and timers histograms in seconds.
/// Source: the text format 0.0.4, <https://prometheus.io/docs/instrumenting/exposition_formats/>.
public final class PrometheusRegistry: MetricsFactory {
    private let series = Mutex<[SeriesName: any Series]>([:])

    /// A registry without series; pass it to `MetricsSystem.bootstrap` and to the responder.
    public init() {}

    /// The counter of this name and these labels, which is created if it does not exist.
    public func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        series(label, dimensions) { CounterSeries() }
    }

    /// The gauge of this name and these labels: the last value that was recorded, whether or not it is to be
    /// aggregated.
    public func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        series(label, dimensions) { GaugeSeries() }
    }

    /// The gauge of this name and these labels, which can also be raised and lowered.
    public func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        series(label, dimensions) { GaugeSeries() }
    }

    /// The histogram of this name and these labels, in seconds.
    public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        series(label, dimensions) { HistogramSeries() }
    }

    /// Does nothing: a counter that went back to 0 would look like a restart.
    public func destroyCounter(_ handler: any CounterHandler) {}
    /// Does nothing: the last value stays in the answer of `/metrics`.
    public func destroyRecorder(_ handler: any RecorderHandler) {}
    /// Does nothing: the last value stays in the answer of `/metrics`.
    public func destroyMeter(_ handler: any MeterHandler) {}
    /// Does nothing: a histogram that went back to 0 would look like a restart.
    public func destroyTimer(_ handler: any TimerHandler) {}

    /// Everything that was recorded, as text.
    public func exposition() -> String {
        let all = series.withLock { $0 }
        var text = ""
        for (name, members) in Dictionary(grouping: all, by: \.key.name).sorted(by: { $0.key < $1.key }) {
            guard let kind = members.first?.value.kind else { continue }
            text += "# TYPE \(name) \(kind)\n"
            for (series, value) in members.sorted(by: { $0.key.labels < $1.key.labels }) {
                for (suffix, extra, number) in value.samples {
                    let labels = [series.labels, extra].filter { !$0.isEmpty }.joined(separator: ",")
                    text += "\(name)\(suffix)\(labels.isEmpty ? "" : "{\(labels)}") \(number)\n"
                }
            }
        }
        return text
    }

    /// The series of that name; a second request for it gets the same.
    private func series<Kind: Series>(_ label: String, _ dimensions: [(String, String)], _ make: () -> Kind) -> Kind {
        let name = SeriesName(label, dimensions)
        return series.withLock { series in
            if let known = series[name] as? Kind { return known }
            let made = make()
            series[name] = made
            return made
        }
    }
}

/// A metric's name with its labels, both as Prometheus writes them.
private struct SeriesName: Hashable {
    let name: String
    let labels: String

    init(_ label: String, _ dimensions: [(String, String)]) {
        name = Self.sanitized(label)
        labels = dimensions.map { "\(Self.sanitized($0))=\"\(Self.escaped($1))\"" }.joined(separator: ",")
    }

    private static func sanitized(_ text: String) -> String {
        String(text.map { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") ? $0 : "_" })
    }

    private static func escaped(_ text: String) -> String {
        text.reduce(into: "") { $0 += $1 == "\\" ? "\\\\" : $1 == "\"" ? "\\\"" : $1 == "\n" ? "\\n" : String($1) }
    }
}

/// What was recorded under one name and set of labels.
private protocol Series: AnyObject, Sendable {
    var kind: String { get }
    /// The suffix of the name, further labels, and the number of each line.
    var samples: [(suffix: String, labels: String, number: String)] { get }
}

private final class CounterSeries: Series, CounterHandler {
    private let count = Atomic<Int64>(0)
    let kind = "counter"
    var samples: [(suffix: String, labels: String, number: String)] { [("", "", "\(count.load(ordering: .relaxed))")] }
    func increment(by amount: Int64) { count.wrappingAdd(amount, ordering: .relaxed) }
    func reset() { count.store(0, ordering: .relaxed) }
}

private final class GaugeSeries: Series, RecorderHandler, MeterHandler {
    private let value = Mutex(0.0)
    let kind = "gauge"
    var samples: [(suffix: String, labels: String, number: String)] { [("", "", "\(value.withLock { $0 })")] }
    func record(_ value: Int64) { set(Double(value)) }
    func record(_ value: Double) { set(value) }
    func set(_ value: Int64) { set(Double(value)) }
    func set(_ value: Double) { self.value.withLock { $0 = value } }
    func increment(by amount: Double) { value.withLock { $0 += amount } }
    func decrement(by amount: Double) { value.withLock { $0 -= amount } }
}

private final class HistogramSeries: Series, TimerHandler {
    private struct State {
        var buckets = [Int](repeating: 0, count: HistogramSeries.bounds.count)
        var sum = 0.0
        var count = 0
    }

    /// In seconds; from a read out of memory to a long poll.
    private static let bounds = [
        0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30,
    ]

    private let state = Mutex(State())
    let kind = "histogram"

    func recordNanoseconds(_ duration: Int64) {
        let seconds = Double(duration) / 1e9
        state.withLock { state in
            if let bucket = Self.bounds.firstIndex(where: { seconds <= $0 }) { state.buckets[bucket] += 1 }
            state.sum += seconds
            state.count += 1
        }
    }

    var samples: [(suffix: String, labels: String, number: String)] {
        let state = state.withLock { $0 }
        var lines: [(suffix: String, labels: String, number: String)] = []
        var cumulative = 0
        for (bound, count) in zip(Self.bounds, state.buckets) {
            cumulative += count
            lines.append(("_bucket", "le=\"\(bound)\"", "\(cumulative)"))
        }
        return lines + [
            ("_bucket", "le=\"+Inf\"", "\(state.count)"), ("_sum", "", "\(state.sum)"),
            ("_count", "", "\(state.count)"),
        ]
    }
}
