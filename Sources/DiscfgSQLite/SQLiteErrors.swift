#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif
import DiscfgCore
import GRDB

/// Translates SQLite's errors into those of the store, by their code, never by guessing.
struct ErrorTranslator: Sendable {
    let path: String

    func callAsFunction(_ error: any Error) -> any Error {
        switch error {
        case is DiscfgError, is CancellationError: error
        case let failure as CommitFailure: translate(failure.cause, atCommit: true)
        case let row as DamagedRow: damaged(row.what)
        default: translate(error, atCommit: false)
        }
    }

    private func translate(_ error: any Error, atCommit: Bool) -> DiscfgError {
        guard let error = error as? DatabaseError else {
            return DiscfgError(.internalError, "The store “\(path)” failed: \(error).", cause: error)
        }
        switch error.resultCode {
        case .SQLITE_BUSY, .SQLITE_LOCKED, .SQLITE_PROTOCOL:
            return make(
                .storeUnavailable, "is busy: another process holds it",
                "Try again; if it stays so, see what else has it open.", error)
        case .SQLITE_FULL:
            return make(.storeNotWritable, "cannot grow: the disk is full", "Make room, or compact the history.", error)
        case .SQLITE_READONLY where error.extendedResultCode == .SQLITE_READONLY_DBMOVED:
            return moved(error)
        case .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_AUTH:
            return notWritable(error)
        case .SQLITE_IOERR where atCommit:
            return make(
                .outcomeUnknown, "failed while the write was being made durable (\(error.extendedResultCode))",
                "Read before you write again; check the disk.", error)
        case .SQLITE_IOERR:
            return make(
                .storeUnavailable, "could not be read or written (\(error.extendedResultCode))",
                "Try again, and check the disk.", error)
        case .SQLITE_CANTOPEN, .SQLITE_NOMEM:
            return make(
                .storeUnavailable, "cannot be opened now (\(obstacle ?? "\(error.extendedResultCode)"))",
                "Check that its folder is there and may be used, and that not too many files are open.", error)
        case .SQLITE_CORRUPT: return damaged("SQLite finds it malformed", error)
        case .SQLITE_NOTADB: return notADatabase(error)
        case .SQLITE_CONSTRAINT: return damaged("its tables contradict each other", error)
        case .SQLITE_TOOBIG:
            return make(.tooLarge, "does not take a value of that size", "Store large content elsewhere.", error)
        default:
            return make(
                .storeUnusable, "failed: SQLite says “\(error.message ?? "\(error.resultCode)")”", "Check the file.",
                error)
        }
    }

    /// The reason why the file cannot be opened, if the system reports one.
    private var obstacle: String? {
        access(path, R_OK) == 0 ? nil : String(cString: strerror(errno))
    }

    private func make(_ code: DiscfgError.Code, _ problem: String, _ hint: String, _ cause: (any Error)?) -> DiscfgError
    {
        DiscfgError(code, "The store “\(path)” \(problem).", hint: hint, cause: cause)
    }

    /// The file or its folder is read-only.
    func notWritable(_ cause: (any Error)? = nil) -> DiscfgError {
        make(.storeNotWritable, "is read-only", "Check who owns the file and its folder; reading works.", cause)
    }

    /// The content cannot have been written by discfg.
    func damaged(_ what: String, _ cause: (any Error)? = nil) -> DiscfgError {
        make(
            .storeUnusable, "is damaged: \(what)",
            "Keep a copy of the file, check it with “PRAGMA integrity_check”, and restore a backup.", cause)
    }

    /// The path no longer leads to the open file.
    func moved(_ cause: (any Error)? = nil) -> DiscfgError {
        make(
            .storeUnusable, "was moved, removed or replaced while it was open",
            "Stop every process that has it open, put the file and its -wal in place, then start again.", cause)
    }

    /// The path no longer leads to the written file.
    func movedDuringCommit(_ cause: any Error) -> DiscfgError {
        make(
            .outcomeUnknown, "was moved, removed or replaced while the write was being made durable",
            "The write is in the file that was moved, if that is still there with its -wal. "
                + "Stop every process that has it open, put both in place, then start again.", cause)
    }

    /// The system does not report the identity of the file at the path.
    func unobservable(_ reason: String) -> DiscfgError {
        make(
            .storeUnavailable, "cannot be found at its path: \(reason)",
            "Check that its folder is there and may be used.", nil)
    }

    func notADatabase(_ cause: (any Error)? = nil) -> DiscfgError {
        make(.storeUnusable, "is not an SQLite database", "Name another file; this one was left as it is.", cause)
    }

    func foreign() -> DiscfgError {
        make(
            .storeUnusable, "is the database of another program", "Name another file; this one was left as it is.", nil)
    }

    func newer(_ version: Int64) -> DiscfgError {
        make(
            .storeUnusable, "has format \(version), and this discfg knows formats up to \(Schema.version)",
            "Use the newer discfg that wrote it; the file was left as it is.", nil)
    }

    func unopenable(_ why: String, _ hint: String, _ cause: (any Error)? = nil) -> DiscfgError {
        make(.storeUnusable, why, hint, cause)
    }
}

/// A row that discfg cannot have written; becomes an error that names the file.
struct DamagedRow: Error {
    var what: String
}
