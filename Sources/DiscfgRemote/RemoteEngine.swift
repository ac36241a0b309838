public import DiscfgClient
public import DiscfgCore
public import Logging
import Synchronization

/// A discfg server as a storage engine: the log, the items, the leases and the cells as its store has them.
///
/// A `ConfigService` on it is an agent: it keeps views of the configs, watches them and serves every API as on a store of its
/// own. Each call is one request. Appends compete with those of the server, as those of any other process.
///
/// While the server cannot be reached, calls throw `storeUnavailable`, and a service answers eventual reads from the configs
/// that it has loaded. An append whose answer was lost throws `outcomeUnknown`. The server keeps the secrets of
/// notifications to itself: settings have marks in their place, which it replaces when they are written back.
public final class RemoteEngine: Sendable {
    private static let readPatience = Duration.seconds(10)
    private static let writePatience = Duration.seconds(60)

    private let connection: ServerConnection
    private let url: String
    private let profile = Mutex<EngineProfile?>(nil)

    /// An engine at a server's address, such as `http://127.0.0.1:8899`; nothing is sent yet.
    ///
    /// - Parameters:
    ///   - url: The address; a path stands before the paths of all requests.
    ///   - authorize: Adds to each request what the server asks for.
    ///   - logger: Where the connections are logged.
    /// - Throws: `DiscfgError` with code `invalidRequest` when the address is not one.
    public init(url: String, authorize: RemoteConfigStore.Authorize? = nil, logger: Logger) throws {
        connection = try ServerConnection(url: url, author: "", authorize: authorize, pace: BodyPace(), logger: logger)
        self.url = url
    }

    /// Closes the connections; nothing can be asked afterwards.
    public func shutdown() async throws { try await connection.shutdown() }

    /// Sends one call.
    ///
    /// A write is finished also if the caller's task is cancelled: otherwise its outcome would be unknown.
    private func send<Answer, each Argument>(
        _ call: EngineCall<Answer, repeat each Argument>, _ arguments: repeat each Argument
    ) async throws -> Answer {
        try Task.checkCancellation()
        let body = call.request(repeat each arguments)
        if call.isRead { return try await exchange(call.name, body, isRead: true) }
        return try await Task { try await exchange(call.name, body, isRead: false) }.value
    }

    private func exchange<Answer: EngineCodable>(_ name: String, _ body: [UInt8], isRead: Bool) async throws -> Answer {
        do {
            let (status, bytes) = try await connection.post(
                EngineCalls.path + name, body: body, contentType: EngineCalls.contentType,
                patience: isRead ? Self.readPatience : Self.writePatience, mayHaveTakenEffect: !isRead)
            return try await LongWork.run(onBytes: bytes.count) { [connection] _ throws(DiscfgError) in
                do throws(DiscfgError) {
                    return try EngineReader.value(in: bytes)
                } catch {
                    throw connection.notUnderstood(status: status, mayHaveTakenEffect: !isRead)
                }
            }
        } catch let error as DiscfgError where error.code == .routeNotFound {
            throw DiscfgError(
                .unsupported, "The server at \(url) cannot be the store of another server.",
                hint: "Use “discfg serve” of this release there; a Lambda function has no agents.")
        } catch let error as DiscfgError where error.code == .outcomeUnknown && isRead {
            throw DiscfgError(.storeUnavailable, error.message, hint: "Try again.", cause: error.cause)
        }
    }

    /// Learns the limits of the store, before the first call that they may concern.
    private func learnProfile() async throws {
        guard profile.withLock({ $0 == nil }) else { return }
        _ = try await readProfile()
    }

    fileprivate func readProfile() async throws -> EngineProfile {
        let found = try await send(EngineCalls.profile)
        profile.withLock { $0 = found }
        return found
    }

    /// Adds the items of the keys that one answer did not have.
    private func addItems(
        of keys: ArraySlice<Key>, to items: inout [Key: Item], in config: ConfigName, consistency: Consistency
    ) async throws {
        var rest = keys
        // Also for no key: the config may be unknown.
        repeat {
            let page = try await send(
                EngineCalls.items, Array(rest.prefix(FirstItems.maximumKeys)), config, consistency)
            for item in page.items { items[item.key] = item }
            if !rest.isEmpty { rest = rest.dropFirst(try progress(page.count)) }
        } while !rest.isEmpty
    }

    private func progress(_ count: Int) throws(DiscfgError) -> Int {
        guard count > 0 else {
            throw DiscfgError(
                .storeUnavailable, "The server at \(url) answers with none of what was asked for.",
                hint: "Use the same release of discfg on both sides.")
        }
        return count
    }
}

// Each member sends its call to the server; `StorageEngine` documents them.
// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
extension RemoteEngine: StorageEngine {
    /// The description, the limits and the settings are those of the store behind the server, as soon as they are known; a
    /// service reads before it appends.
    public var traits: StorageTraits {
        let known = profile.withLock { $0 }
        return StorageTraits(
            known?.description ?? StorageDescription(name: "server", options: ["url": url]),
            limits: known?.limits ?? StorageLimits(changes: 100_000, bytes: 48 << 20),
            readsTellTail: false, pollInterval: .milliseconds(100) ... .seconds(1), sweepInterval: .seconds(5),
            hasSettings: known?.hasSettings ?? false, toleratesOutage: true)
    }

    public func createConfig(_ name: ConfigName, settings: ConfigSettings, first: Commit) async throws {
        _ = try await send(EngineCalls.createConfig, name, settings, first)
    }

    public func config(_ name: ConfigName) async throws -> ConfigRecord? {
        try await learnProfile()
        return try await send(EngineCalls.config, name)
    }

    public func configNames(after: ConfigName?, limit: Int) async throws -> [ConfigName] {
        try await send(EngineCalls.configNames, after, limit)
    }

    public func updateConfig(
        _ name: ConfigName, settings: ConfigSettings, replacing old: ConfigSettings
    ) async throws -> Bool {
        try await send(EngineCalls.updateConfig, name, settings, old)
    }

    public func removeConfig(_ name: ConfigName) async throws -> Bool {
        try await send(EngineCalls.removeConfig, name)
    }

    public func tail(of config: ConfigName, knowing known: LogTail?) async throws -> LogTail {
        try await learnProfile()
        return try await send(EngineCalls.tail, config, known)
    }

    public func append(_ commits: [Commit], to config: ConfigName, incarnation: String?) async throws -> AppendOutcome {
        try await send(EngineCalls.append, commits, config, incarnation)
    }

    public func basis(for keys: [Key], in config: ConfigName) async throws -> WriteBasis {
        try await learnProfile()
        let first = try await send(EngineCalls.basis, Array(keys.prefix(FirstItems.maximumKeys)), config)
        var basis = first.basis
        if first.count < keys.count {
            let rest = keys.dropFirst(try progress(first.count))
            try await addItems(of: rest, to: &basis.items, in: config, consistency: .strong)
            basis.isExact = false
        }
        return basis
    }

    public func log(
        of config: ConfigName, after: Revision, limit: Int, incarnation: String?, consistency: Consistency
    ) async throws -> LogPage {
        try await send(EngineCalls.log, config, after, limit, incarnation, consistency)
    }

    public func history(
        of config: ConfigName, selection: KeySelection, _ part: LogPart, limit: Int
    ) async throws -> HistoryPage {
        try await send(EngineCalls.history, config, selection, part, limit)
    }

    public func trim(_ config: ConfigName, through: Revision, keepingSince moment: Timestamp) async throws -> Bool {
        try await send(EngineCalls.trim, config, through, moment)
    }

    public func items(_ keys: [Key], in config: ConfigName, consistency: Consistency) async throws -> ItemBatch {
        try await learnProfile()
        var batch = ItemBatch(items: [:], tail: nil)
        try await addItems(of: keys[...], to: &batch.items, in: config, consistency: consistency)
        return batch
    }

    public func items(
        _ range: KeyRange, in config: ConfigName, limit: Int, values: Bool, consistency: Consistency
    ) async throws -> ItemPage {
        var page = try await send(EngineCalls.range, range, config, limit, values, consistency)
        page.tail = nil
        return page
    }

    public func overdueKeys(in config: ConfigName, at now: Timestamp, limit: Int) async throws -> [Key] {
        try await send(EngineCalls.overdueKeys, config, now, limit)
    }

    public func lastRevision(of config: ConfigName, before time: Timestamp) async throws -> Revision {
        try await send(EngineCalls.lastRevision, config, time)
    }

    public func leases(_ selection: LeaseSelection, of config: ConfigName) async throws -> [StoredLease] {
        var page = try await send(EngineCalls.leases, selection, config, nil)
        guard page.next != nil else { return page.leases }
        if case .withKeys(let id, _) = selection, var found = page.leases.first {
            // The id may be granted again between two pages.
            let same = LeaseSelection.withKeys(id, generation: found.generation)
            while let next = page.next {
                page = try await send(EngineCalls.leases, same, config, next)
                guard let more = page.leases.first else { return [] }
                if page.next != nil { _ = try progress(more.keys.count) }
                found.keys += more.keys
            }
            return [found]
        }
        var leases = page.leases
        while let next = page.next {
            page = try await send(EngineCalls.leases, selection, config, next)
            if page.next != nil { _ = try progress(page.leases.count) }
            leases += page.leases
        }
        return leases
    }

    public func changeLease(_ change: LeaseChange, in config: ConfigName) async throws -> StoredLease? {
        try await send(EngineCalls.changeLease, change, config)
    }

    public func cells(
        of config: ConfigName, from first: String, through last: String, limit: Int
    ) async throws -> [Cell] {
        try await learnProfile()
        return try await send(EngineCalls.cells, config, first, last, limit)
    }

    public func replaceCell(
        _ name: String, with bytes: [UInt8]?, version: Int64, in config: ConfigName
    ) async throws -> Bool {
        try await send(EngineCalls.replaceCell, name, bytes.map(EngineBytes.init), version, config)
    }
}

/// The description of the store; its operator creates, maintains and destroys it at the server.
extension RemoteEngine: StoreAdministration {
    /// `nil`: nobody destroys the store through a server.
    public var subject: StoreSubject? { nil }

    /// Refused: the store is there, and has the properties that it was created with.
    public func create(_ properties: StoreProperties) async throws -> [StoreWarning] {
        guard properties == StoreProperties() else { throw isOfTheServer }
        return []
    }

    /// The description of the store behind the server, and its current state.
    public func status() async throws -> StorageDescription { try await readProfile().status }

    /// Does nothing: the server maintains its store.
    public func maintain() async throws {}

    /// Refused.
    public func destroy() async throws { throw isOfTheServer }

    private var isOfTheServer: DiscfgError {
        DiscfgError(
            .unsupported, "The store of the server at \(url) cannot be changed by a client.",
            hint: "Use “discfg store” with the store's own URL, where the server runs.")
    }
}
