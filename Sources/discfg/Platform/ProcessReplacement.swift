import DiscfgCore

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Becomes another program: its signals and its status are then its own.
struct ProcessReplacement {
    let command: [String]
    /// Each as `NAME=value`, in bytes, because values need not be text.
    let environment: [[UInt8]]
    /// The directories to look in.
    let searchPath: String

    /// Replaces this process; comes back only when that failed, with what a shell would exit with.
    func replace() -> Int32 {
        guard let name = command.first else { return 127 }
        // A thread of a pool has signals blocked, which the new program would inherit.
        var none = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, nil)
        var failure: Int32 = ENOENT
        for path in candidates(name) {
            execute(path, command)
            if errno == ENOEXEC { execute("/bin/sh", ["sh", path] + command.dropFirst()) }
            // Like a shell: what was found but may not be run matters more than what was not found.
            if errno != ENOENT, errno != ENOTDIR { failure = errno }
        }
        return failure == ENOENT ? 127 : 126
    }

    func candidates(_ name: String) -> [String] {
        if name.contains("/") { return [name] }
        return searchPath.split(separator: ":", omittingEmptySubsequences: false).map {
            ($0.isEmpty ? "." : $0) + "/" + name
        }
    }

    private func execute(_ path: String, _ arguments: [String]) {
        let argv = arguments.map { Array($0.utf8) }.map(Self.copy) + [nil]
        let envp = environment.map(Self.copy) + [nil]
        _ = execve(path, argv, envp)
        let number = errno
        for pointer in argv + envp { free(pointer) }
        errno = number
    }

    private static func copy(_ bytes: [UInt8]) -> UnsafeMutablePointer<CChar>? {
        strdup(bytes.map { CChar(bitPattern: $0) } + [0])
    }
}

/// What is true of this process.
enum CurrentProcess {
    /// The directory that relative paths begin at.
    static var directory: String {
        guard let path = getcwd(nil, 0) else { return "." }
        defer { free(path) }
        return String(cString: path)
    }

    /// The name under which the user logged in, or `nil` if the system does not know.
    static var loginName: String? {
        guard let entry = getpwuid(getuid()), let name = entry.pointee.pw_name else { return nil }
        return String(cString: name)
    }

    /// The value of an environment variable.
    static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

    static func end(_ status: Int32) -> Never { exit(status) }

    /// Makes writing to a closed pipe an error instead of the end.
    static func ignoreBrokenPipes() { _ = signal(SIGPIPE, SIG_IGN) }
}
