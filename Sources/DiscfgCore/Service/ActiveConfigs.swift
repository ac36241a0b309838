import Synchronization

/// What this process keeps for a config that was written, watched or loaded in it.
struct ActiveConfig: Sendable {
    let view: ConfigView
    let pipeline: CommitPipeline
    let follower: LogFollower
    let leases = LeaseObservations()
}

/// What this process keeps for each such config.
final class ActiveConfigs: Sendable {
    private let all = Mutex<[ConfigName: ActiveConfig]>([:])

    subscript(config: ConfigName) -> ActiveConfig? { all.withLock { $0[config] } }

    /// What is kept for a config; `make` makes it if there is nothing yet.
    func config(_ name: ConfigName, orMake make: () -> ActiveConfig) -> ActiveConfig {
        all.withLock { all in
            if let config = all[name] { return config }
            let config = make()
            all[name] = config
            return config
        }
    }

    func remove(_ config: ConfigName) { all.withLock { $0[config] = nil } }
}
