/// An engine on which the config `default` always exists: it is made when somebody misses it.
///
/// So nobody has to look for it first, which would cost a request for each command on a remote store.
struct DefaultConfigEngine: EngineWrapper {
    let engine: any StorageEngine
    let time: TimeSource

    func perform<Result: Sendable>(
        on config: ConfigName, _ call: @Sendable () async throws -> Result
    ) async throws -> Result {
        do {
            return try await call()
        } catch let error as DiscfgError where error.code == .configNotFound && config == .default {
            try await makeDefault()
            return try await call()
        }
    }

    func config(_ name: ConfigName) async throws -> ConfigRecord? {
        if let record = try await engine.config(name) { return record }
        guard name == .default else { return nil }
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
