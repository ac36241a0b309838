/// An engine on which the config `default` always exists: it is made when somebody misses it.
///
/// So nobody has to look for it first, which would cost a request for each command on a remote store.
///
/// When the engine says that another config does not exist, this process forgets its items: after that answer no read may show them.
struct DefaultConfigEngine: EngineWrapper {
    let engine: any StorageEngine
    let time: TimeSource
    let active: ActiveConfigs

    func perform<Result: Sendable>(
        on config: ConfigName, _ call: @Sendable () async throws -> Result
    ) async throws -> Result {
        let log = active[config]?.view.announced.log
        do {
            return try await call()
        } catch let error as DiscfgError where error.code == .configNotFound {
            guard config == .default else {
                active[config]?.view.reset(ifLogIs: log)
                throw error
            }
            try await makeDefault()
            return try await call()
        }
    }

    func config(_ name: ConfigName) async throws -> ConfigRecord? {
        let log = active[name]?.view.announced.log
        if let record = try await engine.config(name) { return record }
        guard name == .default else {
            active[name]?.view.reset(ifLogIs: log)
            return nil
        }
        try await makeDefault()
        return try await engine.config(name)
    }

    private func makeDefault() async throws {
        do {
            try await engine.createConfig(
                .default, settings: ConfigSettings(), first: .creation(by: "", at: time.now()))
        } catch let error as DiscfgError where error.code == .configExists {
            // Another process was first.
        }
    }
}

extension Commit {
    /// The first commit of a config, beyond what earlier configs of its name may have come to.
    static func creation(by author: String, at time: Timestamp, after revision: Revision = 0) -> Commit {
        Commit(revision: revision + 1, time: time, author: author, message: "created", changes: [])
    }
}
