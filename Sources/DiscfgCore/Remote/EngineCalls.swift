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
    package static let history = EngineCall("history") { engine, config, selection, part, limit in
        try await engine.history(of: config, selection: selection, part, limit: limit)
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

    package static let leases = EngineCall("leases") { engine, selection, config, position in
        try await engine.leases(selection, of: config, after: position)
    }
    package static let changeLease = EngineCall("change-lease", isRead: false) { engine, change, config in
        try await engine.changeLease(change, in: config)
    }

    package static let cells = EngineCall("cells") { engine, config, first, last, limit in
        try await engine.cells(of: config, from: first, through: last, limit: limit)
    }
    package static let replaceCell = EngineCall("replace-cell", isRead: false) {
        (engine, name: String, bytes: EngineBytes?, version: Int64, config: ConfigName) in
        try await engine.replaceCell(name, with: bytes?.bytes, version: version, in: config)
    }

    /// Every call that a server answers.
    package static let all: [any ServedEngineCall] = [
        profile, config, configNames, createConfig, updateConfig, removeConfig, tail, append, basis, log, history,
        lastRevision, trim, items, range, overdueKeys, leases, changeLease, cells, replaceCell,
    ]
}

/// What a remote engine must know of the store behind its server.
package struct EngineProfile: EngineCodable, Hashable {
    /// The description of the store.
    package var description: StorageDescription
    /// The description of the store and its current state.
    package var status: StorageDescription
    package var limits: StorageLimits
    package var hasSettings: Bool

    init(
        description: StorageDescription, status: StorageDescription, limits: StorageLimits, hasSettings: Bool
    ) {
        self.description = description
        self.status = status
        self.limits = limits
        self.hasSettings = hasSettings
    }

    package init(from reader: inout EngineReader) throws(DiscfgError) {
        description = try StorageDescription(from: &reader)
        status = try StorageDescription(from: &reader)
        limits = StorageLimits(changes: try Int(from: &reader), bytes: try Int(from: &reader))
        hasSettings = try Bool(from: &reader)
    }

    package func write(to writer: inout EngineWriter) {
        description.write(to: &writer)
        status.write(to: &writer)
        limits.changes.write(to: &writer)
        limits.bytes.write(to: &writer)
        hasSettings.write(to: &writer)
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

/// Some of the leases of a selection: as many as one answer takes.
package struct LeasePage: EngineCodable, Hashable {
    /// Where a page ends.
    package enum Position: Hashable, Sendable {
        /// After the lease of this id.
        case lease(Int64)
        /// After this key of the one lease.
        case key(Key)
    }

    package var leases: [StoredLease]
    /// The position after which the next page begins; `nil` if this is the last page.
    package var next: Position?

    package init(_ leases: [StoredLease], next: Position? = nil) {
        self.leases = leases
        self.next = next
    }

    package init(from reader: inout EngineReader) throws(DiscfgError) {
        self.init(try [StoredLease](from: &reader), next: try Position?(from: &reader))
    }

    package func write(to writer: inout EngineWriter) {
        leases.write(to: &writer)
        next.write(to: &writer)
    }
}
