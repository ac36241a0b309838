#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif
import DiscfgCore
import GRDB
import GRDBSQLite
import Logging
import Synchronization

/// The files that the connections of a store have open, to notice when they are no longer at their paths.
///
/// SQLite itself does not look for that in WAL mode: a process would go on writing into files that nobody else can open. The
/// files are the database, its write-ahead log, and the index of that log. SQLite keeps all three in place while a connection
/// is open, so another device or inode at one of the paths means that somebody moved, removed or replaced it.
///
/// What was noticed once stays so until the store is opened again, also if the files come back: another process may have
/// written to them meanwhile.
final class OpenFiles: Sendable {
    private struct File {
        /// The path for `stat`, with the zero byte at its end.
        let path: [CChar]
        let identity: Identity
    }

    private struct Identity: Equatable {
        let device: UInt64
        let inode: UInt64
    }

    private let database: File
    private let logFiles: [File]
    private let hasMoved = Atomic(false)
    private let errors: ErrorTranslator
    private let logger: Logger?

    /// Takes note of what is at the paths now, which a connection has opened; an immutable file is read without a log.
    ///
    /// - Throws: `storeUnusable` if the connection has something else open.
    init(
        _ file: DatabaseFile, isImmutable: Bool, of connection: Database, errors: ErrorTranslator, logger: Logger?
    ) throws {
        guard let database = try Self.file(file.path, errors) else { throw errors.moved() }
        self.database = database
        let path = file.realPath
        logFiles = try (isImmutable ? [] : ["-wal", "-shm"]).compactMap { try Self.file(path + $0, errors) }
        (self.errors, self.logger) = (errors, logger)
        guard Self.isInPlace(connection) else { throw errors.moved() }
    }

    /// Checks before a read that the database is still at its path: one `stat`.
    func checkDatabase() throws { try check(database) }

    /// Checks around a write that all files are still at their paths: one `stat` for each.
    func checkAll() throws {
        try check(database)
        for file in logFiles { try check(file) }
    }

    /// Checks that a new connection has opened the same files.
    func check(_ connection: Database) throws {
        if !Self.isInPlace(connection) { throw noteMoved() }
        try checkAll()
    }

    private func check(_ file: File) throws {
        if isPlanted(.missesMovedFiles) { return }
        if hasMoved.load(ordering: .relaxed) { throw errors.moved() }
        if try Self.identity(of: file.path, errors) != file.identity { throw noteMoved() }
    }

    /// Logs the first time that a file is missed.
    private func noteMoved() -> DiscfgError {
        let error = errors.moved()
        if !hasMoved.exchange(true, ordering: .relaxed) {
            logger?.critical(
                "the store's file was moved, removed or replaced; nothing is read or written any more",
                metadata: ["error": "\(error.message)", "error.hint": "\(error.hint ?? "")"])
        }
        return error
    }

    private static func file(_ path: String, _ errors: ErrorTranslator) throws -> File? {
        let path = Array(path.utf8CString)
        return try identity(of: path, errors).map { File(path: path, identity: $0) }
    }

    /// What is at a path; `nil` if nothing is.
    private static func identity(of path: [CChar], _ errors: ErrorTranslator) throws -> Identity? {
        var status = stat()
        if stat(path, &status) == 0 {
            return Identity(
                device: UInt64(truncatingIfNeeded: status.st_dev), inode: UInt64(truncatingIfNeeded: status.st_ino))
        }
        if errno == ENOENT || errno == ENOTDIR { return nil }
        throw errors.unobservable(String(cString: strerror(errno)))
    }

    /// Whether the file that a connection has open is the one at its path, as far as SQLite tells: it compares inodes.
    private static func isInPlace(_ connection: Database) -> Bool {
        var hasMoved: Int32 = 0
        let code = sqlite3_file_control(connection.sqliteConnection, "main", SQLITE_FCNTL_HAS_MOVED, &hasMoved)
        return code != SQLITE_OK || hasMoved == 0
    }
}
