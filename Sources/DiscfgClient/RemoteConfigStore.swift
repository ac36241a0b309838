public import DiscfgModel
public import Logging
import NIOHTTP1

/// Configs on a discfg server, over HTTP.
///
/// Values are sent exact to the byte. A write whose answer was lost throws `outcomeUnknown`; everything that could not be sent
/// throws `storeUnavailable`, and changed nothing.
public final class RemoteConfigStore: Sendable {
    let connection: ServerConnection

    /// Returns header fields that authenticate a request, such as `Authorization`.
    public typealias Authorize =
        @Sendable (
            _ method: String, _ url: String, _ fields: [(name: String, value: String)], _ body: [UInt8]
        ) async throws -> [(name: String, value: String)]

    /// A store at a server's address, such as `http://127.0.0.1:8899`; nothing is sent yet.
    ///
    /// - Parameters:
    ///   - url: The address; a path in it is put before the paths of all requests.
    ///   - author: The author of the changes, unless the server authenticates the caller.
    ///   - authorize: Returns the header fields with which each request is authenticated; `nil` for none.
    ///   - logger: The logger of the connections.
    /// - Throws: `DiscfgError` with code `invalidRequest` if the address is not valid.
    public convenience init(url: String, author: String, authorize: Authorize? = nil, logger: Logger) throws {
        try self.init(url: url, author: author, authorize: authorize, pace: BodyPace(), logger: logger)
    }

    /// A store that closes the connection if the body of an answer comes more slowly than `pace`.
    package init(url: String, author: String, authorize: Authorize? = nil, pace: BodyPace, logger: Logger) throws {
        connection = try ServerConnection(url: url, author: author, authorize: authorize, pace: pace, logger: logger)
    }

    /// Closes the connections; every later call throws an error.
    public func shutdown() async throws { try await connection.shutdown() }
}

extension RemoteConfigStore: ConfigStore {
    /// `GET /v1/cfgs`: every config, in the order of their names.
    public func configs() async throws -> [ConfigInfo] {
        let answer = try await connection.send(.GET, "/v1/cfgs")
        return try (answer["cfgs"]?.array ?? []).map { value throws in try ConfigInfo(wire: value) }
    }

    /// `GET /v1/CFG/cfg`: settings, revision and store of a config.
    public func info(of config: ConfigName) async throws -> ConfigInfo {
        try ConfigInfo(wire: try await connection.send(.GET, "/v1/\(config)/cfg"))
    }

    /// `PUT /v1/CFG/cfg`: creates a config with these settings.
    public func createConfig(_ name: ConfigName, settings: ConfigSettings, author: String) async throws -> ConfigInfo {
        try ConfigInfo(
            wire: try await connection.send(.PUT, "/v1/\(name)/cfg", body: settings.json.bytes, author: author))
    }

    /// `PATCH /v1/CFG/cfg`: changes the settings that the patch (RFC 7396) contains.
    public func updateConfig(_ name: ConfigName, patch: JSONValue) async throws -> ConfigInfo {
        try ConfigInfo(wire: try await connection.send(.PATCH, "/v1/\(name)/cfg", body: patch.bytes))
    }

    /// `DELETE /v1/CFG/cfg`: deletes a config with its history.
    public func deleteConfig(_ name: ConfigName) async throws {
        _ = try await connection.send(.DELETE, "/v1/\(name)/cfg")
    }

    /// `GET /v1/CFG/keys/KEY`: one key, now or at a revision.
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

    /// `GET /v1/CFG/keys/DIRECTORY/`: one page of a directory.
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

    /// `POST /v1/CFG/txn`: one transaction; a failed precondition is a result, not an error.
    public func commit(_ transaction: Transaction, to config: ConfigName) async throws -> TransactionResult {
        try transaction.validateWire()
        let body = JSONWriter.bytes { transaction.write(to: &$0) }
        return try TransactionResult(
            wire: try await connection.send(
                .POST, "/v1/\(config)/txn", query: [("exact", "true")], body: body, author: transaction.author))
    }

    /// `GET /v1/CFG/changes`: the commits after a revision; the request takes as long as the query waits.
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

    /// `GET /v1/CFG/history`: the commits before a revision, newest first.
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

    /// `GET /v1/CFG/diff`: what differs between two revisions.
    public func diff(_ query: DiffQuery, in config: ConfigName) async throws -> Difference {
        let answer = try await connection.send(
            .GET, "/v1/\(config)/diff",
            query: [
                ("from", String(query.from)), ("to", query.to?.description), ("prefix", try query.selection.remotePath),
                ("exact", "true"),
            ])
        return try Difference(wire: answer)
    }

    /// `POST /v1/CFG/rollback`: restores the selected keys to a revision.
    public func rollback(_ request: RollbackRequest, in config: ConfigName) async throws -> RollbackResult {
        _ = try request.selection.remotePath
        let body = JSONWriter.bytes { request.write(to: &$0) }
        return try RollbackResult(
            wire: try await connection.send(
                .POST, "/v1/\(config)/rollback", query: [("exact", "true")], body: body, author: request.author))
    }

    /// `PUT /v1/CFG/import`: imports all values with one request; `progress` is not called.
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

    /// `POST /v1/CFG/compact`: compacts the history; returns the oldest revision that can be read.
    public func compact(_ config: ConfigName, keeping request: CompactionRequest) async throws -> Revision {
        let body = JSONWriter.bytes { request.write(to: &$0) }
        let answer = try await connection.send(.POST, "/v1/\(config)/compact", body: body)
        return answer["cfgOldest"]?.integer ?? 0
    }
}

extension KeySelection {
    /// The name of the selection, with which a server selects the same keys.
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
