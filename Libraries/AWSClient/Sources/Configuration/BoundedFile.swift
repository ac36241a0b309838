#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A file that is read whole, and is not longer than it may be.
enum BoundedFile {
    /// Why a file was not read.
    enum Failure: Error {
        /// There is no such file, or what is there is not a file.
        case missing
        /// It may not be read.
        case forbidden
        case tooLong
        case other(Int32)

        /// What is the matter, as the end of a sentence about the file.
        var phrase: String {
            switch self {
            case .missing: "is not there"
            case .forbidden: "may not be read by this user"
            case .tooLong: "is too long"
            case .other(let code): "cannot be read (error \(code))"
            }
        }
    }

    /// The bytes of a file of at most `limit` bytes.
    static func read(_ path: String, limit: Int) throws(Failure) -> [UInt8] {
        // What is not a file, such as a pipe, must not hold us up when it is opened.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw failure(errno) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw failure(errno) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .missing }
        var bytes: [UInt8] = []
        while bytes.count <= limit {
            var buffer = [UInt8](repeating: 0, count: 16_384)
            let count = buffer.withUnsafeMutableBytes { DescriptorRead.into($0, from: descriptor) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw failure(errno) }
            if count == 0 { return bytes }
            bytes += buffer.prefix(count)
        }
        throw .tooLong
    }

    private static func failure(_ code: Int32) -> Failure {
        switch code {
        case ENOENT, ENOTDIR, ELOOP, ENAMETOOLONG, EISDIR, ENXIO: .missing
        case EACCES, EPERM: .forbidden
        default: .other(code)
        }
    }
}

/// The call, out of reach of the method with the same name.
private enum DescriptorRead {
    static func into(_ buffer: UnsafeMutableRawBufferPointer, from descriptor: Int32) -> Int {
        read(descriptor, buffer.baseAddress, buffer.count)
    }
}
