/// One call of `StorageEngine` as a remote engine sends it and a server carries it out.
package struct EngineCall<Answer: EngineCodable, each Argument: EngineCodable>: ServedEngineCall {
    /// The name of the call, the last segment of its path.
    package let name: String
    /// Whether the call changes nothing, so that it can be sent again.
    package let isRead: Bool
    private let perform: @Sendable (ServedEngine, repeat each Argument) async throws -> Answer

    fileprivate init(
        _ name: String, isRead: Bool = true,
        _ perform: @escaping @Sendable (ServedEngine, repeat each Argument) async throws -> Answer
    ) {
        self.name = name
        self.isRead = isRead
        self.perform = perform
    }

    /// The body of a request.
    package func request(_ arguments: repeat each Argument) -> [UInt8] {
        var writer = EngineWriter()
        repeat (each arguments).write(to: &writer)
        return writer.bytes
    }

    package func prepare(
        _ request: [UInt8]
    ) throws(DiscfgError) -> @Sendable (ServedEngine) async throws -> [UInt8] {
        var reader = EngineReader(request)
        let arguments = (repeat try (each Argument)(from: &reader))
        try reader.end()
        return { [perform] engine in EngineWriter.bytes(of: try await perform(engine, repeat each arguments)) }
    }
}

/// A call without its types, for the table of a server.
package protocol ServedEngineCall: Sendable {
    var name: String { get }
    /// Whether the call changes nothing.
    var isRead: Bool { get }

    /// Reads the body of a request.
    ///
    /// - Returns: What carries it out, and returns the body of the answer.
    /// - Throws: `DiscfgError` with code `invalidRequest` or `invalidName`.
    func prepare(
        _ request: [UInt8]
    ) throws(DiscfgError) -> @Sendable (ServedEngine) async throws -> [UInt8]
}

/// The calls of a remote engine: for each one of `StorageEngine` that reads or writes a store.
package enum EngineCalls {
    /// The version of the encoding and of the calls.
    package static let version = 1
    /// The path of a call, without its name.
    package static let path = "/engine/v\(version)/"
    /// The media type of the bodies.
    package static let contentType = "application/vnd.discfg.engine"

    package static let profile = EngineCall("profile") { engine in try await engine.profile() }

    package static let config = EngineCall("config") { engine, name in try await engine.config(name) }
    package static let configs = EngineCall("configs") { engine, after, limit in
        try await engine.configs(after: after, limit: limit)
    }
    package static let configNames = EngineCall("config-names") { engine, after, limit in
        try await engine.configNames(after: after, limit: limit)
    }
    package static let createConfig = EngineCall("create-config", isRead: false) { engine, name, settings, first in
        try await engine.createConfig(name, settings: settings, first: first)
        return true
    }
    package static let updateConfig = EngineCall("update-config", isRead: false) { engine, name, settings, old in
        try await engine.updateConfig(name, settings: settings, replacing: old)
    }
    package static let removeConfig = EngineCall("remove-config", isRead: false) { engine, name in
        try await engine.removeConfig(name)
    }

    package static let tail = EngineCall("tail") { engine, config, known in
        try await engine.tail(of: config, knowing: known)
    }
    package static let append = EngineCall("append", isRead: false) { engine, commits, config, incarnation in
        try await engine.append(commits, to: config, incarnation: incarnation)
    }
    package static let basis = EngineCall("basis") { engine, keys, config in
        try await engine.firstItems(of: keys, in: config)
    }
    package static let log = EngineCall("log") { engine, config, after, limit, incarnation, consistency in
        try await engine.log(
            of: config, after: after, limit: limit, incarnation: incarnation, consistency: consistency)
    }
    package static let history = EngineCall("history") { engine, config, selection, through, limit in
        try await engine.history(of: config, selection: selection, through: through, limit: limit)
    }
    package static let firstChange = EngineCall("first-change") { engine, key, config, after in
        try await engine.firstChange(to: key, in: config, after: after)
    }
    package static let lastRevision = EngineCall("last-revision") { engine, config, time in
        try await engine.lastRevision(of: config, before: time)
    }
    package static let trim = EngineCall("trim", isRead: false) { engine, config, through, moment in
        try await engine.trim(config, through: through, keepingSince: moment)
    }

    package static let items = EngineCall("items") { engine, keys, config, consistency in
        try await engine.firstItems(of: keys, in: config, consistency: consistency)
    }
    package static let range = EngineCall("range") { engine, range, config, limit, values, consistency in
        try await engine.items(range, in: config, limit: limit, values: values, consistency: consistency)
    }
    package static let overdueKeys = EngineCall("overdue-keys") { engine, config, now, limit in
        try await engine.overdueKeys(in: config, at: now, limit: limit)
    }

    package static let createLease = EngineCall("create-lease", isRead: false) { engine, lease, config in
        try await engine.createLease(lease, in: config)
    }
    package static let lease = EngineCall("lease") { engine, id, config in try await engine.lease(id, in: config) }
    package static let leases = EngineCall("leases") { engine, config, after, limit in
        try await engine.leases(of: config, after: after, limit: limit)
    }
    package static let renewLease = EngineCall("renew-lease", isRead: false) { engine, id, config, now in
        try await engine.renewLease(id, in: config, at: now)
    }
    package static let endLease = EngineCall("end-lease", isRead: false) { engine, id, config, lease in
        try await engine.endLease(id, in: config, ifUnchanged: lease)
    }
    package static let keysOfLease = EngineCall("keys-of-lease") { engine, id, generation, config in
        try await engine.keys(of: id, generation: generation, in: config)
    }
    package static let removeLease = EngineCall("remove-lease", isRead: false) { engine, id, generation, config in
        try await engine.removeLease(id, generation: generation, in: config)
        return true
    }
    package static let overdueLeases = EngineCall("overdue-leases") { engine, config, now in
        try await engine.overdueLeases(in: config, at: now)
    }

    package static let cell = EngineCall("cell") { engine, name, config in try await engine.cell(name, in: config) }
    package static let cells = EngineCall("cells") { engine, config, prefix, after, limit in
        try await engine.cells(of: config, prefix: prefix, after: after, limit: limit)
    }
    package static let replaceCell = EngineCall("replace-cell", isRead: false) {
        (engine, name: String, bytes: EngineBytes?, version: Int64, config: ConfigName) in
        try await engine.replaceCell(name, with: bytes?.bytes, version: version, in: config)
    }

    /// Every call that a server answers.
    package static let all: [any ServedEngineCall] = [
        profile, config, configs, configNames, createConfig, updateConfig, removeConfig, tail, append, basis, log,
        history, firstChange, lastRevision, trim, items, range, overdueKeys, createLease, lease, leases, renewLease,
        endLease, keysOfLease, removeLease, overdueLeases, cell, cells, replaceCell,
    ]
}

/// What a remote engine must know of the store behind its server.
package struct EngineProfile: EngineCodable, Hashable {
    /// The description of the store.
    package var description: StorageDescription
    /// The description of the store and its current state.
    package var status: StorageDescription
    package var limits: StorageLimits
    package var hasCapacity: Bool

    init(
        description: StorageDescription, status: StorageDescription, limits: StorageLimits, hasCapacity: Bool
    ) {
        self.description = description
        self.status = status
        self.limits = limits
        self.hasCapacity = hasCapacity
    }

    package init(from reader: inout EngineReader) throws(DiscfgError) {
        description = try StorageDescription(from: &reader)
        status = try StorageDescription(from: &reader)
        limits = StorageLimits(changes: try Int(from: &reader), bytes: try Int(from: &reader))
        hasCapacity = try Bool(from: &reader)
    }

    package func write(to writer: inout EngineWriter) {
        description.write(to: &writer)
        status.write(to: &writer)
        limits.changes.write(to: &writer)
        limits.bytes.write(to: &writer)
        hasCapacity.write(to: &writer)
    }
}

/// The items of the first of some keys: as many keys as one answer takes.
package struct FirstItems: EngineCodable, Hashable {
    /// Maximum number of keys in one request.
    package static let maximumKeys = 10_000

    package var items: [Item]
    /// The number of keys that were read.
    package var count: Int

    package init(items: [Item] = [], count: Int = 0) {
        self.items = items
        self.count = count
    }

    package init(from reader: inout EngineReader) throws(DiscfgError) {
        self.init(items: try [Item](from: &reader), count: try Int(from: &reader))
    }

    package func write(to writer: inout EngineWriter) {
        items.write(to: &writer)
        count.write(to: &writer)
    }
}

/// The basis for the first of some keys, and their number.
package struct FirstBasis: EngineCodable, Hashable {
    package var basis: WriteBasis
    /// The number of keys that were read.
    package var count: Int

    package init(basis: WriteBasis, count: Int) {
        self.basis = basis
        self.count = count
    }

    package init(from reader: inout EngineReader) throws(DiscfgError) {
        self.init(basis: try WriteBasis(from: &reader), count: try Int(from: &reader))
    }

    package func write(to writer: inout EngineWriter) {
        basis.write(to: &writer)
        count.write(to: &writer)
    }
}
