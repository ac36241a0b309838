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

/// The files that the connections of a store have open; detects if they are no longer at their paths.
///
/// SQLite itself does not check that in WAL mode: a process would keep writing into files that no other process can
/// open. The files are the database, its write-ahead log, and the index of that log. SQLite keeps all three in place
/// while a connection is open, so another device or inode at one of the paths means that the file was moved, removed or
/// replaced.
///
/// After the first detection the store stays unusable until it is opened again, even if the files are moved back:
/// another process may have written to them meanwhile.
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

    /// Records the files at the paths now, which a connection has opened; an immutable file is read without a log.
    ///
    /// - Throws: `storeUnusable` if the connection has other files open.
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

    /// Checks before and after a write that all files are still at their paths: one `stat` for each.
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

    /// Logs the first detection of a missing file.
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

    /// The identity of the file at a path; `nil` if there is none.
    private static func identity(of path: [CChar], _ errors: ErrorTranslator) throws -> Identity? {
        var status = stat()
        if stat(path, &status) == 0 {
            return Identity(
                device: UInt64(truncatingIfNeeded: status.st_dev), inode: UInt64(truncatingIfNeeded: status.st_ino))
        }
        if errno == ENOENT || errno == ENOTDIR { return nil }
        throw errors.unobservable(String(cString: strerror(errno)))
    }

    /// Whether the file that a connection has open is the one at its path; SQLite compares inodes.
    private static func isInPlace(_ connection: Database) -> Bool {
        var hasMoved: Int32 = 0
        let code = sqlite3_file_control(connection.sqliteConnection, "main", SQLITE_FCNTL_HAS_MOVED, &hasMoved)
        return code != SQLITE_OK || hasMoved == 0
    }
}
