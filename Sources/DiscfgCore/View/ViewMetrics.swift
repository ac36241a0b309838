import CoreMetrics
import Metrics

/// What views count; see docs/operations for what the names mean.
struct ViewMetrics: Sendable {
    /// How an attempt to load a config ended.
    enum Load: String, CaseIterable {
        case loaded
        case tooLarge = "too_large"
        case failed
    }

    /// Bytes that loaded configs take.
    let bytes: Gauge
    /// Configs that are loaded.
    let configs: Gauge
    /// Configs that are being loaded.
    let loading: Gauge
    /// Looks at the end of a log that reads caused.
    let checks: Counter
    let evictions: Counter
    /// Reads that a view answered, and reads that the store answered.
    let viewReads: Counter
    let storeReads: Counter
    private let loads: [Load: Counter]

    init(factory: any MetricsFactory) {
        bytes = Gauge(label: "discfg_view_bytes", dimensions: [], factory: factory)
        configs = Gauge(label: "discfg_view_configs", dimensions: [("state", "loaded")], factory: factory)
        loading = Gauge(label: "discfg_view_configs", dimensions: [("state", "loading")], factory: factory)
        checks = Counter(label: "discfg_view_checks_total", dimensions: [], factory: factory)
        evictions = Counter(label: "discfg_view_evictions_total", dimensions: [], factory: factory)
        viewReads = Counter(label: "discfg_reads_total", dimensions: [("from", "view")], factory: factory)
        storeReads = Counter(label: "discfg_reads_total", dimensions: [("from", "store")], factory: factory)
        loads = Dictionary(
            uniqueKeysWithValues: Load.allCases.map {
                (
                    $0,
                    Counter(label: "discfg_view_loads_total", dimensions: [("outcome", $0.rawValue)], factory: factory)
                )
            })
    }

    func count(_ load: Load) { loads[load]?.increment() }
}
