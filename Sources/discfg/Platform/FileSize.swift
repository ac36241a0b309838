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
