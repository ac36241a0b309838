#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif
import Subprocess
import Synchronization
import SystemPackage

/// A program that ends with the process that started it, however that one ends: also when it crashes or is killed.
///
/// Its standard input is empty; its output goes to the file `log` of a folder that is removed when it ends.
final class SupervisedProgram: Sendable {
    /// Waits for the end of its input, which comes with the end of the process that holds the other end of the pipe, and
    /// kills the program then, with all that it started: they are one session.
    private static let supervisor = """
        folder=$1
        shift
        exec 3<&0 </dev/null 2>&1
        "$@" 3<&- &
        program=$!
        { while read -r line <&3; do :; done; kill -KILL "$program"; } &
        wait "$program"
        rm -rf -- "$folder"
        kill -KILL 0
        """

    private struct State {
        var lifeline: FileDescriptor?
        var hasEnded = false
    }

    private let state: Mutex<State>
    private let log: FileDescriptor
    private let run: Mutex<Task<Void, Never>?> = Mutex(nil)

    private init(lifeline: FileDescriptor, log: FileDescriptor) {
        state = Mutex(State(lifeline: lifeline))
        self.log = log
    }

    deinit {
        try? state.withLock { $0.lifeline }?.close()
        try? log.close()
    }

    /// Starts a program in a folder that is its own.
    ///
    /// - Parameters:
    ///   - program: The path of the program.
    ///   - arguments: What follows its name.
    ///   - environment: All of its environment.
    ///   - folder: Its folder, which it takes over.
    /// - Returns: The program, which may fail yet.
    /// - Throws: `Errno` when there are no more files to open.
    static func start(
        _ program: FilePath, _ arguments: [String] = [], environment: [String: String], in folder: FilePath
    ) throws -> SupervisedProgram {
        let path = folder.appending("log")
        let output = try FileDescriptor.open(
            path, .writeOnly, options: [.create, .append, .closeOnExec], permissions: .ownerReadWrite)
        let log = try FileDescriptor.open(path, .readOnly, options: .closeOnExec)
        let (input, lifeline) = try FileDescriptor.pipe()
        // No other child may hold the pipe open: its end would never come.
        for end in [input, lifeline] { _ = fcntl(end.rawValue, F_SETFD, FD_CLOEXEC) }
        let supervised = SupervisedProgram(lifeline: lifeline, log: log)
        let variables = Dictionary(
            environment.map { (Environment.Key(stringLiteral: $0.key), $0.value) }, uniquingKeysWith: { $1 })
        let task = Task { [weak supervised] in
            var options = PlatformOptions()
            options.createSession = true
            _ = try? await Subprocess.run(
                .path("/bin/sh"),
                arguments: Arguments(["-c", Self.supervisor, "sh", folder.string, program.string] + arguments),
                environment: .custom(variables), workingDirectory: folder, platformOptions: options,
                input: .fileDescriptor(input, closeAfterSpawningProcess: true),
                output: .fileDescriptor(output, closeAfterSpawningProcess: true))
            supervised?.state.withLock { $0.hasEnded = true }
        }
        supervised.run.withLock { $0 = task }
        return supervised
    }

    /// Whether the program is no more.
    var hasEnded: Bool { state.withLock { $0.hasEnded } }

    /// The last 2 KB of its output.
    var lastOutput: String {
        let size = Int((try? log.seek(offset: 0, from: .end)) ?? 0)
        let offset = max(0, size - 2048)
        var bytes = [UInt8](repeating: 0, count: size - offset)
        let count =
            (try? bytes.withUnsafeMutableBytes { try log.read(fromAbsoluteOffset: Int64(offset), into: $0) }) ?? 0
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }

    /// Kills the program, and waits until it is gone with all that it started.
    func stop() async {
        let lifeline = state.withLock { state in
            let lifeline = state.lifeline
            state.lifeline = nil
            return lifeline
        }
        try? lifeline?.close()
        await run.withLock { $0 }?.value
    }
}
