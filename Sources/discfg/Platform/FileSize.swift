#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The bytes of a file; 0 where there is none.
func fileSize(_ path: String) -> Int64 {
    var status = stat()
    return stat(path, &status) == 0 ? Int64(status.st_size) : 0
}

/// The bytes of a SQLite file and of its write-ahead log.
///
/// SQLite keeps the log beside the file that a symbolic link leads to.
func databaseSize(_ path: String) -> Int64 {
    guard let resolved = realpath(path, nil) else { return 0 }
    defer { free(resolved) }
    return fileSize(path) + fileSize(String(cString: resolved) + "-wal")
}
