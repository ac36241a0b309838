public import DiscfgCore
import GRDB
public import Logging

/// An engine on one SQLite file, which any number of processes may use at the same time.
///
/// The file has a write-ahead log, and an append is one transaction that is on the disk when the call returns. Readers
/// never wait for writers. If the file or its folder is read-only, reads work, and writes throw `storeNotWritable`.
public final class SQLiteEngine: StorageEngine {
    let connections: Connections
    let errors: ErrorTranslator
    let file: DatabaseFile
    let realPath: String

    /// What the engine does itself, and how it is best used.
    public let traits: StorageTraits

    /// Opens a file, and creates it and its folders if they do not exist, for the owner alone.
    ///
    /// - Throws: `DiscfgError` with code `storeUnusable` if the file is not discfg's or is of a newer discfg (it is
    ///   then left unchanged) or cannot be opened, `storeUnavailable` if another process holds it, `storeNotWritable`
    ///   if it must be created or converted to the newest format and cannot be written.
    /// - Parameters:
    ///   - path: The file.
    ///   - logger: Logs, once, if the file is moved, removed or replaced while it is open.
    public convenience init(path: String, logger: Logger? = nil) throws {
        try self.init(path: path, readOnly: false, logger: logger)
    }

    /// Opens a file, optionally only for reading, as a file that no other process writes.
    package init(path: String, readOnly: Bool, logger: Logger? = nil) throws {
        file = DatabaseFile(path)
        errors = ErrorTranslator(path: path)
        do {
            connections = try Connections(file: file, readOnly: readOnly, errors: errors, logger: logger)
        } catch {
            throw errors(error)
        }
        realPath = file.realPath
        traits = StorageTraits(StorageDescription(name: "sqlite", options: ["path": realPath]))
    }

    /// Inserts the config and its first commit in one transaction.
    public func createConfig(_ name: ConfigName, settings: ConfigSettings, first: Commit) async throws {
        try await write { db in
            guard try db.record(of: name) == nil else {
                throw DiscfgError(
                    .configExists, "There is a config named “\(name)” already.", hint: "Choose another name.")
            }
            var query = try db.query(
                "INSERT INTO configs(name, settings, created, tail, tail_time, trimmed) VALUES(?, ?, ?, 0, 0, ?) RETURNING id"
            )
            query.bind(name.description)
            query.bind(settings.json.text)
            query.bind(first.time.milliseconds)
            query.bind(first.revision - 1)
            guard let id = try query.first({ $0.integer(0) }) else { throw DamagedRow(what: "a config has no number") }
            try db.write([first], config: id)
        }
    }

    /// One row, by the index of names.
    public func config(_ name: ConfigName) async throws -> ConfigRecord? {
        try await read { try $0.record(of: name)?.record }
    }

    /// The names of the configs after `after`, in order, at most `limit`.
    public func configNames(after: ConfigName?, limit: Int) async throws -> [ConfigName] {
        try await read { db in
            var query = try db.query("SELECT name FROM configs WHERE name > ? ORDER BY name LIMIT ?")
            query.bind(after?.description ?? "")
            query.bind(Int64(limit))
            var names: [ConfigName] = []
            try query.forEach { row in
                guard let name = try? ConfigName(row.text(0)) else { throw DamagedRow(what: "a config has no name") }
                names.append(name)
                return true
            }
            return names
        }
    }

    /// Compares the settings and writes them in one transaction.
    public func updateConfig(
        _ name: ConfigName, settings: ConfigSettings, replacing old: ConfigSettings
    ) async throws -> Bool {
        try await write { db in
            guard let found = try db.record(of: name) else { throw DiscfgError.noConfig(name) }
            guard found.record.settings == old else { return false }
            var query = try db.query("UPDATE configs SET settings = ? WHERE id = ?")
            query.bind(settings.json.text)
            query.bind(found.id)
            try query.run()
            return true
        }
    }

    /// The end of the log, read on the caller's thread.
    public func tail(of config: ConfigName, knowing known: LogTail?) async throws -> LogTail {
        try await read { try $0.head(of: config).tail }
    }

    /// Reads on the caller's thread.
    func read<Result: Sendable>(_ body: @escaping @Sendable (Database) throws -> Result) async throws -> Result {
        do { return try await connections.read(body) } catch { throw errors(error) }
    }

    /// Reads on another thread, for reads that take longer.
    func readApart<Result: Sendable>(_ body: @escaping @Sendable (Database) throws -> Result) async throws -> Result {
        do { return try await connections.readApart(body) } catch { throw errors(error) }
    }

    /// Writes in one transaction.
    func write<Result: Sendable>(_ body: @escaping @Sendable (Database) throws -> Result) async throws -> Result {
        try Task.checkCancellation()
        do { return try await connections.write(body) } catch { throw errors(error) }
    }
}

/// A row of `configs`.
struct StoredConfig {
    static let selection = """
        SELECT id, tail, tail_time, trimmed, name, settings, created,
        EXISTS(SELECT 1 FROM log WHERE config = configs.id AND revision <= configs.trimmed)
        OR EXISTS(SELECT 1 FROM changes WHERE config = configs.id AND revision <= configs.trimmed)
        FROM configs
        """

    var id: Int64
    var record: ConfigRecord

    init(_ row: Query) throws {
        id = row.integer(0)
        do {
            record = ConfigRecord(
                name: try ConfigName(row.text(4)), settings: try ConfigSettings(json: JSONValue(parsing: row.text(5))),
                created: Timestamp(milliseconds: row.integer(6)), tail: LogTail(row), hasRemains: row.integer(7) != 0)
        } catch {
            throw DamagedRow(what: "the settings of config number \(id) cannot be read")
        }
    }
}

/// The part of a config that every read and write needs: its number and the ends of its log.
struct ConfigHead {
    var id: Int64
    var tail: LogTail
}

extension LogTail {
    /// From columns 0 to 3; a config's number is never used again for another config.
    init(_ row: Query) {
        self.init(
            revision: row.integer(1), time: Timestamp(milliseconds: row.integer(2)), trimmed: row.integer(3),
            incarnation: String(row.integer(0)))
    }
}

extension Database {
    func record(of name: ConfigName) throws -> StoredConfig? {
        var query = try query("\(StoredConfig.selection) WHERE name = ?")
        query.bind(name.description)
        return try query.first { try StoredConfig($0) }
    }

    /// - Throws: `configNotFound`.
    func head(of name: ConfigName) throws -> ConfigHead {
        var query = try query("SELECT id, tail, tail_time, trimmed FROM configs WHERE name = ?")
        query.bind(name.description)
        guard let head = try query.first({ ConfigHead(id: $0.integer(0), tail: LogTail($0)) }) else {
            throw DiscfgError.noConfig(name)
        }
        return head
    }
}
