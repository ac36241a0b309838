public import DiscfgModel
public import Logging
import NIOHTTP1

/// Configs on a discfg server, over HTTP.
///
/// Values travel exact to the byte. A write whose answer was lost throws `outcomeUnknown`; everything that could not be sent
/// throws `storeUnavailable`, and changed nothing.
public final class RemoteConfigStore: Sendable {
    let connection: ServerConnection

    /// Tells the header fields that prove who sends a request.
    public typealias Authorize =
        @Sendable (
            _ method: String, _ url: String, _ fields: [(name: String, value: String)], _ body: [UInt8]
        ) async throws -> [(name: String, value: String)]

    /// A store at a server's address, such as `http://127.0.0.1:8899`; nothing is sent yet.
    ///
    /// - Parameters:
    ///   - url: The address; a path stands before the paths of all requests.
    ///   - author: Who makes the changes, where the server does not know that better.
    ///   - authorize: Adds to each request what a server asks for that does not let everybody in.
    ///   - logger: Where the connections are logged.
    /// - Throws: `DiscfgError` with code `invalidRequest` when the address is not one.
    public convenience init(url: String, author: String, authorize: Authorize? = nil, logger: Logger) throws {
        try self.init(url: url, author: author, authorize: authorize, pace: BodyPace(), logger: logger)
    }

    /// A store that closes the connection if the body of an answer comes more slowly than `pace`.
    package init(url: String, author: String, authorize: Authorize? = nil, pace: BodyPace, logger: Logger) throws {
        connection = try ServerConnection(url: url, author: author, authorize: authorize, pace: pace, logger: logger)
    }

    /// Closes the connections; nothing can be asked afterwards.
    public func shutdown() async throws { try await connection.shutdown() }
}

extension RemoteConfigStore: ConfigStore {
    public func configs() async throws -> [ConfigInfo] {
        let answer = try await connection.send(.GET, "/v1/cfgs")
        return try (answer["cfgs"]?.array ?? []).map { value throws in try ConfigInfo(wire: value) }
    }

    public func info(of config: ConfigName) async throws -> ConfigInfo {
        try ConfigInfo(wire: try await connection.send(.GET, "/v1/\(config)/cfg"))
    }

    public func createConfig(_ name: ConfigName, settings: ConfigSettings, author: String) async throws -> ConfigInfo {
        try ConfigInfo(
            wire: try await connection.send(.PUT, "/v1/\(name)/cfg", body: settings.json.bytes, author: author))
    }

    public func updateConfig(_ name: ConfigName, patch: JSONValue) async throws -> ConfigInfo {
        try ConfigInfo(wire: try await connection.send(.PATCH, "/v1/\(name)/cfg", body: patch.bytes))
    }

    public func deleteConfig(_ name: ConfigName) async throws {
        _ = try await connection.send(.DELETE, "/v1/\(name)/cfg")
    }

    public func get(
        _ key: Key, in config: ConfigName, at revision: Revision?, consistency: Consistency
    ) async throws -> Reading {
        let (path, name) = URLText.place(of: key.name)
        let answer = try await connection.send(
            .GET, "/v1/\(config)/keys\(path)",
            query: [
                ("key", name), ("exact", "true"), ("rev", revision?.description),
                ("consistent", consistency == .strong ? "true" : nil),
            ])
        return Reading(item: try Item(wire: answer["item"] ?? .null), revision: answer["cfgVersion"]?.integer ?? 0)
    }

    public func list(_ query: ListQuery, in config: ConfigName) async throws -> Listing {
        let (path, name) = URLText.place(of: try KeySelection.below(query.directory).path)
        let answer = try await connection.send(
            .GET, "/v1/\(config)/keys\(path)",
            query: [
                ("key", name), ("exact", "true"),
                ("recursive", query.isRecursive ? "true" : nil),
                ("keysOnly", query.keysOnly ? "true" : nil),
                ("rev", query.revision?.description), ("limit", String(query.limit)), ("after", query.after),
                ("consistent", query.consistency == .strong ? "true" : nil),
            ])
        return try Listing(wire: answer)
    }

    public func commit(_ transaction: Transaction, to config: ConfigName) async throws -> TransactionResult {
        try transaction.validateWire()
        let body = JSONWriter.bytes { transaction.write(to: &$0) }
        return try TransactionResult(
            wire: try await connection.send(
                .POST, "/v1/\(config)/txn", query: [("exact", "true")], body: body, author: transaction.author))
    }

    public func changes(_ query: ChangesQuery, in config: ConfigName) async throws -> ChangePage {
        let answer = try await connection.send(
            .GET, "/v1/\(config)/changes",
            query: [
                ("after", String(query.after)), ("prefix", try query.selection.remotePath),
                ("limit", String(query.limit)),
                ("wait", query.wait.map { "\($0.milliseconds)ms" }), ("exact", "true"), ("prev", "true"),
                ("log", query.log),
            ], waiting: query.wait ?? .zero)
        return try ChangePage(wire: answer)
    }

    public func history(_ query: HistoryQuery, in config: ConfigName) async throws -> ChangePage {
        let (path, name) = URLText.place(of: try query.selection.remotePath)
        let answer = try await connection.send(
            .GET, "/v1/\(config)/history\(path == "/" ? "" : path)",
            query: [
                ("prefix", name), ("limit", String(query.limit)), ("before", query.before?.description),
                ("exact", "true"), ("prev", "true"),
            ])
        return try ChangePage(wire: answer)
    }

    public func diff(_ query: DiffQuery, in config: ConfigName) async throws -> Difference {
        let answer = try await connection.send(
            .GET, "/v1/\(config)/diff",
            query: [
                ("from", String(query.from)), ("to", query.to?.description), ("prefix", try query.selection.remotePath),
                ("exact", "true"),
            ])
        return try Difference(wire: answer)
    }

    public func rollback(_ request: RollbackRequest, in config: ConfigName) async throws -> RollbackResult {
        _ = try request.selection.remotePath
        let body = JSONWriter.bytes { request.write(to: &$0) }
        return try RollbackResult(
            wire: try await connection.send(
                .POST, "/v1/\(config)/rollback", query: [("exact", "true")], body: body, author: request.author))
    }

    public func importValues(
        _ values: ImportedValues, in config: ConfigName, progress: (_ done: Int, _ total: Int) async -> Void
    ) async throws -> ImportOutcome {
        let request = values.request
        let body = JSONWriter.bytes { values.write(to: &$0) }
        return try ImportOutcome(
            wire: try await connection.send(
                .PUT, "/v1/\(config)/import",
                query: [
                    ("as", "items"), ("prefix", request.prefix), ("prune", request.prunes ? "true" : nil),
                    ("ifRevision", request.ifRevision?.description),
                    ("message", request.message.isEmpty ? nil : request.message),
                ], body: body, author: request.author))
    }

    public func compact(_ config: ConfigName, keeping request: CompactionRequest) async throws -> Revision {
        let body = JSONWriter.bytes { request.write(to: &$0) }
        let answer = try await connection.send(.POST, "/v1/\(config)/compact", body: body)
        return answer["cfgOldest"]?.integer ?? 0
    }
}

extension KeySelection {
    /// The name of the selection, from which a server makes the same one.
    ///
    /// - Throws: `DiscfgError` with code `unsupported` for a selection that has none: a server would take more keys, or fewer.
    fileprivate var remotePath: String {
        get throws(DiscfgError) {
            guard let exactPath else {
                throw DiscfgError(
                    .unsupported, "The keys “\(path)” have no name that could be sent to a server.",
                    hint: "Name a key with what is below it, or a directory; or use a local store.")
            }
            return exactPath
        }
    }
}
