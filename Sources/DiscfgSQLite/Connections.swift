import DiscfgCore
import Dispatch
import GRDB
import GRDBSQLite
import Logging
import Synchronization

/// The connections to one file: one for writes, and one for each read that runs at the same time.
///
/// Reads run on the caller's thread: a read of one key takes microseconds, less than any switch of threads. GRDB's pool
/// can deadlock here: a task returns the connection of an async read, and that task may not run while synchronous reads
/// wait for the connection on all threads of the cooperative pool. In this type no read waits for another.
final class Connections: Sendable {
    private static let keptReaders = 4
    /// The time for which a write, and all attempts of a read together, wait for another process.
    private static let patience: Int64 = 5000
    /// The time for which one attempt to read waits; it may block a thread that other tasks need.
    private static let readPatience: Int64 = 20

    /// Whether the store refuses writes.
    let isReadOnly: Bool
    private let file: DatabaseFile
    private let isImmutable: Bool
    private let errors: ErrorTranslator
    private let writer: DatabaseQueue
    private let files: OpenFiles
    private let readers = Mutex<[DatabaseQueue]>([])

    /// Opens the file, and creates it if it does not exist.
    init(file: DatabaseFile, readOnly: Bool, errors: ErrorTranslator, logger: Logger?) throws {
        self.file = file
        self.errors = errors
        let deadline = ContinuousClock.now + .milliseconds(Self.patience)
        let (writer, access) = try DatabaseFile.opening.withLock { _ in
            while true {
                do {
                    return try Self.open(file, readOnly: readOnly, errors: errors)
                } catch let error as DatabaseError
                    where error.resultCode == .SQLITE_BUSY && ContinuousClock.now < deadline
                {
                    // Another process is creating the file, in steps for which SQLite itself does not wait.
                    sqlite3_sleep(10)
                }
            }
        }
        (self.writer, isReadOnly, isImmutable) = (writer, access != .readWrite, access == .immutable)
        files = try writer.unsafeRead { db in
            try OpenFiles(file, isImmutable: access == .immutable, of: db, errors: errors, logger: logger)
        }
    }

    private enum Access {
        case readWrite, readOnly, immutable
    }

    private static func open(_ file: DatabaseFile, readOnly: Bool, errors: ErrorTranslator) throws -> (
        DatabaseQueue, Access
    ) {
        try file.checkKind(errors: errors)
        if !readOnly { try file.create(errors: errors) }
        // Determines the kind of the file without changing it: a file that is not discfg's must stay unchanged.
        var immutable: DatabaseQueue?
        let kind: Schema.Kind
        do {
            let connection = try connect(file, isImmutable: true, isReader: true)
            kind = try connection.unsafeRead { try Schema.kind($0) }
            immutable = connection
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT && file.hasLog {
            // Without its log, a file whose last checkpoint was interrupted looks damaged. Its kind is determined
            // below, with the log.
            kind = .discfg(version: 0)
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT {
            // Another process may have merged its log into the file just then. A file that is really damaged is so at
            // the second try too.
            let connection = try connect(file, isImmutable: true, isReader: true)
            kind = try connection.unsafeRead { try Schema.kind($0) }
            immutable = connection
        }
        switch kind {
        case .foreign: throw errors.foreign()
        case .discfg(let version) where version > Schema.version: throw errors.newer(version)
        default: break
        }
        if !readOnly {
            do {
                let writer = try connect(file, isImmutable: false, isReader: false)
                let isReadOnly = try writer.writeWithoutTransaction { db in
                    let isReadOnly = sqlite3_db_readonly(db.sqliteConnection, "main") == 1
                    if isReadOnly, try Schema.kind(db) != .discfg(version: Schema.version) {
                        throw errors.notWritable()
                    }
                    if !isReadOnly { try Schema.prepare(db, errors: errors) }
                    return isReadOnly
                }
                return (writer, isReadOnly ? .readOnly : .readWrite)
            } catch let error as DatabaseError where [.SQLITE_CANTOPEN, .SQLITE_READONLY].contains(error.resultCode) {
                // Its folder is read-only, so there can be no write-ahead log next to it, and no process can write.
            }
        }
        guard let immutable, kind == .discfg(version: Schema.version) else { throw errors.notWritable() }
        guard !file.hasLog else {
            throw errors.unopenable(
                "is read-only, and has a write-ahead log that must be merged first",
                "Open it once where it can be written.")
        }
        return (immutable, .immutable)
    }

    private static func connect(_ file: DatabaseFile, isImmutable: Bool, isReader: Bool) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.label = "discfg"
        configuration.readonly = isImmutable
        configuration.foreignKeysEnabled = false
        // A transaction that could not be ended is an error to report; it must not stop the process.
        configuration.allowsUnsafeTransactions = true
        configuration.prepareDatabase { db in
            try db.execute(sql: "PRAGMA busy_timeout = \(isReader ? readPatience : patience)")
            if isImmutable { return }
            if isReader { return try db.execute(sql: "PRAGMA query_only = 1") }
            // An acknowledged write survives a loss of power, also on systems on which fsync alone does not reach the
            // disk.
            try db.execute(sql: "PRAGMA synchronous = FULL; PRAGMA fullfsync = 1; PRAGMA checkpoint_fullfsync = 1")
            if isPlanted(.syncsNothing) { try db.execute(sql: "PRAGMA synchronous = OFF") }
            // A page that many commits change is copied into the file once for 16 MiB of log; the log is truncated to
            // that size.
            try db.execute(sql: "PRAGMA wal_autocheckpoint = 4000; PRAGMA journal_size_limit = 16777216")
            try db.execute(sql: "PRAGMA cache_size = -8000")
        }
        return try DatabaseQueue(path: isImmutable ? file.immutableURI : file.path, configuration: configuration)
    }

    /// Reads, on this thread if the file is not locked; each statement sees one moment.
    func read<Result: Sendable>(_ body: @escaping @Sendable (Database) throws -> Result) async throws -> Result {
        do {
            return try readOnce(body)
        } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
            return try await readApart(body)
        }
    }

    /// Reads on a separate thread, for a read that takes longer.
    func readApart<Result: Sendable>(_ body: @escaping @Sendable (Database) throws -> Result) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(with: Swift.Result { try self.readPatiently(body) })
            }
        }
    }

    private func readPatiently<Result>(_ body: (Database) throws -> Result) throws -> Result {
        let deadline = ContinuousClock.now + .milliseconds(Self.patience)
        while true {
            do {
                return try readOnce(body)
            } catch let error as DatabaseError
                where error.resultCode == .SQLITE_BUSY && ContinuousClock.now < deadline
            {
                sqlite3_sleep(1)
            }
        }
    }

    private func readOnce<Result>(_ body: (Database) throws -> Result) throws -> Result {
        try files.checkDatabase()
        let kept = readers.withLock { $0.popLast() }
        let reader = try kept ?? Self.connect(file, isImmutable: isImmutable, isReader: true)
        let result = Swift.Result { try reader.unsafeRead(body) }
        // A new connection opens the log with its first statement.
        if kept == nil { try reader.unsafeRead { try files.check($0) } }
        // A connection with an error is closed: the next read opens another.
        if case .failure(let error) = result, error is DatabaseError {
            try files.checkAll()
            throw error
        }
        readers.withLock { if $0.count < Self.keptReaders { $0.append(reader) } }
        return try result.get()
    }

    /// Writes, one after the other, on a separate thread; a write in progress is finished.
    func write<Result: Sendable>(_ body: @escaping @Sendable (Database) throws -> Result) async throws -> Result {
        guard !isReadOnly else { throw errors.notWritable() }
        return try await withCheckedThrowingContinuation { continuation in
            writer.asyncWriteWithoutTransaction { db in
                continuation.resume(with: Swift.Result { try self.change(db, body) })
            }
        }
    }

    /// Writes in one transaction, and only into files that are at their paths before the commit and after it.
    ///
    /// - Throws: The errors of `body`, and `storeUnusable`, with nothing changed; `outcomeUnknown` if a file was moved
    ///   while the transaction was committed: the write is in the moved files.
    private func change<Result>(_ db: Database, _ body: (Database) throws -> Result) throws -> Result {
        // Checked first, so that a write to a moved file does not wait for other processes.
        try files.checkDatabase()
        let result = try db.changing {
            let result = try body(db)
            try files.checkAll()
            return result
        }
        do { try files.checkAll() } catch { throw errors.movedDuringCommit(error) }
        return result
    }
}
