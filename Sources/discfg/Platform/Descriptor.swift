import DiscfgCore
import NIOCore

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// An open file: standard input, output and error, or one that was opened by its path.
struct Descriptor: Sendable {
    let number: Int32

    static let input = Descriptor(number: 0)
    static let output = Descriptor(number: 1)
    static let error = Descriptor(number: 2)

    /// Whether a person sits at the other end.
    var isTerminal: Bool { isatty(number) == 1 }

    /// The columns of the terminal; 80 where that cannot be known.
    var width: Int {
        var size = winsize()
        return ioctl(number, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 ? Int(size.ws_col) : 80
    }

    /// Writes everything.
    ///
    /// When nobody reads any more, the process ends quietly, as after SIGPIPE.
    func write(_ bytes: [UInt8]) throws(DiscfgError) {
        try write(bytes, name: number == 2 ? "standard error" : "standard output")
    }

    fileprivate func write(_ bytes: [UInt8], name: String) throws(DiscfgError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { systemWrite(number, $0.baseAddress, $0.count) }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno == EPIPE {
                exit(128 + SIGPIPE)
            } else if errno != EINTR {
                throw .file(name, "cannot be written", errno)
            }
        }
    }

    /// Reads to the end, or until there is more than the limit.
    fileprivate func read(name: String, limit: Int) throws(DiscfgError) -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while bytes.count <= limit {
            let count = chunk.withUnsafeMutableBytes { systemRead(number, $0.baseAddress, $0.count) }
            if count == 0 { break }
            if count > 0 {
                bytes += chunk[..<count]
            } else if errno != EINTR {
                throw .file(name, "cannot be read", errno)
            }
        }
        return bytes
    }
}

extension Descriptor {
    /// How many files libdispatch opens when the first task starts: an epoll, two events, a timer and a file of /proc.
    static let neededToStart = 5
    /// How many files a command on a SQLite file has open at a time.
    static let neededForFile = 10
    /// How many files a client of a server or of AWS opens: NIO ends the process if an event loop does not get its three.
    static let neededForNetwork = 3 * NIOSingletons.groupLoopCountSuggestion + 4
    /// How many files a server opens besides those of its store and of its connections.
    static let neededForServer = neededForNetwork + 16

    /// Checks that the process may open so many more files.
    ///
    /// Without that, SQLite reports a file that is read-only, and libdispatch and NIO end the process.
    ///
    /// - Throws: `DiscfgError` with code `storeUnavailable` that names the limit; `problem` begins its message.
    static func checkFree(_ count: Int, or problem: String) throws(DiscfgError) {
        var open: [Int32] = []
        defer { for number in open { close(number) } }
        while open.count < count {
            let number = openNull()
            if number >= 0 {
                open.append(number)
            } else if errno == EMFILE || errno == ENFILE {
                throw DiscfgError(
                    .storeUnavailable,
                    "\(problem): this process may open only \(open.count) more file\(open.count == 1 ? "" : "s").",
                    hint: "Raise the limit on open files, as with “ulimit -n 1024”.")
            } else {
                // Without /dev/null there is nothing to count with.
                return
            }
        }
    }
}

/// Files by their path; `-` is standard input.
enum LocalFile {
    /// What the file holds.
    ///
    /// - Throws: `DiscfgError` with code `invalidRequest` when it cannot be read, `tooLarge` beyond the limit.
    static func read(_ path: String, limit: Int = .max - 65_536) throws(DiscfgError) -> [UInt8] {
        let name = path == "-" ? "standard input" : path
        let number = path == "-" ? 0 : open(path, O_RDONLY | O_CLOEXEC)
        guard number >= 0 else { throw .file(name, "cannot be read", errno) }
        defer { if path != "-" { close(number) } }
        let bytes = try Descriptor(number: number).read(name: name, limit: limit)
        guard bytes.count <= limit else {
            throw DiscfgError(
                .tooLarge, "“\(name)” has more than \(limit) bytes.",
                hint: "Store large content elsewhere, its address here.")
        }
        return bytes
    }

    /// Writes a file; with `isPrivate` it must be new, and only its owner can read it.
    static func write(_ bytes: [UInt8], to path: String, isPrivate: Bool = false) throws(DiscfgError) {
        let number = open(
            path, O_WRONLY | O_CREAT | O_CLOEXEC | (isPrivate ? O_EXCL : O_TRUNC), isPrivate ? 0o600 : 0o666)
        guard number >= 0 else { throw .file(path, "cannot be written", errno) }
        defer { close(number) }
        try Descriptor(number: number).write(bytes, name: path)
    }

    static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    static func remove(_ path: String) { unlink(path) }
}

extension DiscfgError {
    /// A file with which something could not be done.
    fileprivate static func file(_ name: String, _ problem: String, _ number: Int32) -> DiscfgError {
        .invalid(
            "“\(name)” \(problem): \(String(cString: strerror(number))).", hint: "Check the path and its permissions.")
    }
}

private func openNull() -> Int32 { open("/dev/null", O_RDONLY | O_CLOEXEC) }

// The members of Descriptor hide the functions of the system that have the same names.
private func systemWrite(_ number: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(number, bytes, count)
}
private func systemRead(_ number: Int32, _ bytes: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    read(number, bytes, count)
}
