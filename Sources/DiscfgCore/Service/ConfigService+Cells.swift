/// The cells next to a log, and what a sender of notifications needs besides them.
extension ConfigService {
    /// The config as the store has it, with the secrets of its settings.
    ///
    /// - Throws: `configNotFound`.
    package func record(of config: ConfigName) async throws -> ConfigRecord {
        guard let record = try await engine.config(config) else { throw DiscfgError.noConfig(config) }
        return record
    }

    /// What the store says of itself, for identities: the same however its URL is written.
    package var storeName: String {
        let options = engine.description.options.sorted(by: <).map { " \($0)=\($1)" }
        return engine.description.name + options.joined()
    }

    /// The names of all configs.
    package func configNames() async throws -> [ConfigName] {
        var names: [ConfigName] = []
        while true {
            let page = try await engine.configNames(after: names.last, limit: 1000)
            if page.isEmpty { return names }
            names += page
        }
    }

    /// The commits of that very log beyond a revision, strongly consistent; none only where there are none.
    ///
    /// - Throws: `compacted`, also when the config was made anew since.
    package func log(of config: ConfigName, after: Revision, incarnation: String) async throws -> LogPage {
        try await engine.log(of: config, after: after, limit: 100, incarnation: incarnation, consistency: .strong)
    }

    package func cell(_ name: String, in config: ConfigName) async throws -> Cell? {
        try await engine.cell(name, in: config)
    }

    package func cells(of config: ConfigName, prefix: String, after: String? = nil, limit: Int = 100) async throws
        -> [Cell]
    {
        try await engine.cells(of: config, prefix: prefix, after: after, limit: limit)
    }

    package func replaceCell(
        _ name: String, with bytes: [UInt8]?, version: Int64, in config: ConfigName
    ) async throws -> Bool {
        try await engine.replaceCell(name, with: bytes, version: version, in: config)
    }

    /// The current moment, as the service has it.
    package var now: Timestamp { time.now() }

    package func sleep(_ duration: Duration) async throws { try await time.sleep(duration) }
}
