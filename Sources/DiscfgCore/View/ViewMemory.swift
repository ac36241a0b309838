import CoreMetrics
import Synchronization

/// The memory for the views of a process: which configs are loaded, and which make room for others.
///
/// A config is loaded when it is first used, in the background; until then, and if it does not fit, the engine answers. A config that
/// was not used for a minute makes room for one that is. A config in use is not evicted to load another, so configs that do not fit
/// together do not take turns being read from the store. Only if configs in use grow beyond the limit together, or were loaded at the
/// same time, is the largest evicted.
final class ViewMemory: Sendable {
    private struct State {
        var loading: Set<ConfigName> = []
        /// Configs that did not fit or could not be read, and when to try again.
        var postponed: [ConfigName: ContinuousClock.Instant] = [:]
        var views: [ConfigName: ConfigView] = [:]
    }

    /// How long a loaded config must be unused before it makes room for another.
    private static let idleTime: Duration = .seconds(60)
    /// How long after a failure, or after a config did not fit beside others, it is tried again.
    private static let pause: Duration = .seconds(60)
    /// How long after a config did not fit alone it is tried again: each time it is read up to the limit.
    private static let longPause: Duration = .seconds(3600)
    /// The most configs that are loaded at the same time.
    private static let maximumLoads = 2

    private let state = Mutex(State())
    /// The bytes that commits have added since memory was last balanced.
    private let growth = Atomic<Int>(0)
    private let limit: Int
    private let engine: any StorageEngine
    private let time: TimeSource
    private let metrics: ViewMetrics

    /// The views may take about `limit` bytes together; with 0, no config is loaded.
    init(limit: Int, engine: any StorageEngine, time: TimeSource, metrics: ViewMetrics) {
        self.limit = limit
        self.engine = engine
        self.time = time
        self.metrics = metrics
    }

    /// Whether configs are loaded at all.
    var isEnabled: Bool { limit > 0 }

    /// Loads a config in the background, unless it is being loaded, or did not fit a moment ago.
    ///
    /// `view` gives the view that takes the config over; it is called once the config is known to exist.
    func load(_ config: ConfigName, into view: @escaping @Sendable () -> ConfigView) {
        guard begin(config) else { return }
        // Not of the caller, which does not wait for it. If it fails, the store answers, and it is tried again.
        Task.detached(executorPreference: time.executor) { try? await self.carryOut(config, into: view) }
    }

    /// Loads a config, unless it is being loaded, or did not fit a moment ago.
    func loadNow(_ config: ConfigName, into view: @Sendable () -> ConfigView) async throws {
        if begin(config) { try await carryOut(config, into: view) }
    }

    /// Notes that a config is being loaded; false if that is not to be done now.
    private func begin(_ config: ConfigName) -> Bool {
        guard isEnabled else { return false }
        let now = time.instant()
        return state.withLock { state in
            guard !state.loading.contains(config), state.loading.count < Self.maximumLoads,
                state.postponed[config].map({ $0 <= now }) ?? true
            else { return false }
            state.loading.insert(config)
            return true
        }
    }

    private func carryOut(_ config: ConfigName, into view: @Sendable () -> ConfigView) async throws {
        let outcome: ViewMetrics.Load
        do {
            outcome = try await read(config, into: view)
        } catch {
            // Names of configs that do not exist are not kept.
            finish(config, .failed, isThere: (error as? DiscfgError)?.code != .configNotFound)
            throw error
        }
        finish(config, outcome)
    }

    private func finish(_ config: ConfigName, _ outcome: ViewMetrics.Load, isThere: Bool = true) {
        state.withLock { state in
            state.loading.remove(config)
            let isAlone = outcome == .tooLarge && state.views.keys.allSatisfy { $0 == config }
            let pause = isAlone ? Self.longPause : Self.pause
            state.postponed[config] = outcome == .loaded || !isThere ? nil : time.instant() + pause
        }
        metrics.count(outcome)
        balance()
    }

    /// Counts what a commit has added; balances memory once that is a sixteenth of the limit.
    func noteGrowth(_ bytes: Int) {
        guard isEnabled, growth.wrappingAdd(bytes, ordering: .relaxed).newValue > limit / 16 else { return }
        growth.store(0, ordering: .relaxed)
        balance()
    }

    /// Forgets a config that is gone.
    func forget(_ config: ConfigName) {
        state.withLock { state in
            state.views[config] = nil
            state.postponed[config] = nil
        }
        report()
    }

    private func read(_ config: ConfigName, into view: @Sendable () -> ConfigView) async throws -> ViewMetrics.Load {
        let loader = ViewLoader(engine: engine, config: config, time: time, limit: limit - busyWeight(without: config))
        guard var loaded = try await loader.load() else { return .tooLarge }
        let view = view()
        while !view.adopt(loaded) {
            let tail = view.current?.tail
            guard tail?.incarnation == loaded.tail.incarnation else { return .failed }
            try await loader.advance(&loaded, to: tail?.revision ?? 0)
        }
        state.withLock { $0.views[config] = view }
        return .loaded
    }

    /// Evicts configs that were not used for a while as long as all together take too much; then those that take most.
    ///
    func balance() {
        guard isEnabled else { return }
        let views = state.withLock { $0.views }
        var usages = views.map { (config: $0.key, view: $0.value, usage: $0.value.usage) }
        var total = usages.reduce(0) { $0 + $1.usage.weight }
        let now = time.instant()
        usages.sort { $0.usage.lastUsed < $1.usage.lastUsed }
        let idle = usages.filter { now - $0.usage.lastUsed >= Self.idleTime }
        let busy = usages.filter { now - $0.usage.lastUsed < Self.idleTime }.sorted {
            $0.usage.weight > $1.usage.weight
        }
        for entry in idle + busy where total > limit && entry.usage.isComplete {
            entry.view.forgetItems()
            total -= entry.usage.weight - entry.view.usage.weight
            metrics.evictions.increment()
            state.withLock { state in
                state.views[entry.config] = nil
                state.postponed[entry.config] = now + Self.pause
            }
        }
        report()
    }

    /// What the views take that another config must not evict.
    private func busyWeight(without config: ConfigName) -> Int {
        let now = time.instant()
        return state.withLock { $0.views }.filter { $0.key != config }.map(\.value.usage)
            .filter { now - $0.lastUsed < Self.idleTime }.reduce(0) { $0 + $1.weight }
    }

    private func report() {
        let (views, loading) = state.withLock { ($0.views, $0.loading.count) }
        let usages = views.values.map(\.usage)
        metrics.bytes.record(usages.reduce(0) { $0 + $1.weight })
        metrics.configs.record(usages.count { $0.isComplete })
        metrics.loading.record(loading)
    }
}
