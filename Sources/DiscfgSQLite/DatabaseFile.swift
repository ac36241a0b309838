#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif
import DiscfgCore
import Synchronization

/// The file of a store, as the file system sees it.
struct DatabaseFile: Sendable {
    let path: String

    /// Only one thread of this process opens a file at a time: closing a descriptor of a file drops SQLite's locks on
    /// it.
    static let opening = Mutex(())

    /// - Parameter path: The path; a relative path starts at the current folder.
    init(_ path: String) {
        // SQLite treats a path that begins with “file:” as a URI.
        self.path = path.hasPrefix("/") ? path : "./" + path
    }

    /// The path as a URI with which SQLite treats the file as immutable: it reads it without locks and helper files.
    var immutableURI: String {
        let escaped = path.utf8.map { byte in
            switch byte {
            case UInt8(ascii: "?"), UInt8(ascii: "#"), UInt8(ascii: "%"), 0x80...: "%" + byte.hex
            default: String(Unicode.Scalar(byte))
            }
        }
        return "file:" + escaped.joined() + "?immutable=1"
    }

    /// The absolute path without symbolic links, once the file exists.
    var realPath: String {
        guard let resolved = realpath(path, nil) else { return path }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// The sizes in bytes of the file and of its write-ahead log.
    ///
    /// SQLite keeps the log next to the file to which a symbolic link leads.
    var sizes: (file: Int64, log: Int64) { (Self.size(of: path), Self.size(of: realPath + "-wal")) }

    private static func size(of path: String) -> Int64 {
        var status = stat()
        return stat(path, &status) == 0 ? Int64(status.st_size) : 0
    }

    /// Whether there is a write-ahead log that is not empty.
    var hasLog: Bool { sizes.log > 0 }

    /// Refuses a path that is not a regular file: opening a pipe would wait until a process writes to it.
    func checkKind(errors: ErrorTranslator) throws(DiscfgError) {
        var status = stat()
        guard stat(path, &status) == 0 else { return }
        switch status.st_mode & S_IFMT {
        case S_IFREG: return
        case S_IFDIR: throw errors.unopenable("is a folder", "Name a file in it.")
        default: throw errors.unopenable("is not a regular file", "Name a regular file, or one that is not there yet.")
        }
    }

    /// Creates the file and its folders if they do not exist, for the owner alone: values may be secrets.
    func create(errors: ErrorTranslator) throws(DiscfgError) {
        var status = stat()
        if stat(path, &status) == 0 {
            // SQLite treats a file of one byte as empty, and would overwrite it.
            if (1..<512).contains(status.st_size) { throw errors.notADatabase() }
            return
        }
        if errno != ENOENT { throw problem(errno, errors: errors) }
        if hasLog {
            throw errors.unopenable(
                "is missing, while its write-ahead log “\(path)-wal” is still there",
                "Put the file back beside its log. For a new store, move the log away first.")
        }
        try createFolder(of: path[...], errors: errors)
        let descriptor = open(path, O_CREAT | O_EXCL | O_RDWR, 0o600)
        // If another process has created the file first, that is fine.
        if descriptor < 0, errno != EEXIST { throw problem(errno, errors: errors) }
        if descriptor >= 0 { close(descriptor) }
    }

    private func createFolder(of path: Substring, errors: ErrorTranslator) throws(DiscfgError) {
        guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return }
        let folder = path[..<slash]
        if mkdir(String(folder), 0o700) == 0 || errno == EEXIST { return }
        if errno != ENOENT { throw problem(errno, errors: errors) }
        try createFolder(of: folder, errors: errors)
        if mkdir(String(folder), 0o700) != 0, errno != EEXIST { throw problem(errno, errors: errors) }
    }

    private func problem(_ code: Int32, errors: ErrorTranslator) -> DiscfgError {
        let reason = String(cString: strerror(code))
        switch code {
        case EACCES, EPERM, EROFS, ENOSPC, EDQUOT:
            return DiscfgError(
                .storeNotWritable, "The store “\(path)” cannot be created: \(reason).",
                hint: "Name a file in a folder where you may write, or make room.")
        default:
            return errors.unopenable("cannot be created: \(reason)", "Name a file in a folder that exists.")
        }
    }
}
