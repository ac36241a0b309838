import Foundation
import Subprocess
import SystemPackage
import Testing

/// A folder of its own for one test, in which the real binary runs as a user would run it.
struct Sandbox: Sendable {
    let folder: URL
    /// The store that commands use when they name none.
    let store: String
    /// What else is in the environment.
    var variables: [String: String] = [:]

    /// Makes a sandbox, runs the test in it, and removes it.
    static func with(_ body: (Sandbox) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "discfg-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body(Sandbox(folder: folder, store: "sqlite:\(folder.path)/store.db"))
    }

    /// The same folder, with another store.
    func on(_ store: String) -> Sandbox { Sandbox(folder: folder, store: store, variables: variables) }

    /// The folder of the binaries that were built with the tests.
    static let products = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().path

    /// The checkout.
    static let checkout = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// What every program of a test finds in its environment.
    var environment: Environment {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        let standard = [
            "PATH": "\(Self.products):\(path)", "HOME": folder.path, "XDG_DATA_HOME": folder.path + "/data",
            "LOGNAME": "ann",
            "DISCFG_STORE": store, "LC_ALL": "C.UTF-8", "TMPDIR": folder.path,
        ]
        return .custom(
            Dictionary(
                uniqueKeysWithValues: standard.merging(variables) { $1 }.map {
                    (Environment.Key(stringLiteral: $0), $1)
                }))
    }

    /// What came of a program.
    struct Result: Sendable {
        let status: Int
        let output: String
        let error: String
        /// The output without the newline at its end.
        var line: String { output.hasSuffix("\n") ? String(output.dropLast()) : output }
    }

    /// Runs `discfg`.
    @discardableResult
    func discfg(_ arguments: String..., input: String = "") async throws -> Result {
        try await run(.path(FilePath("\(Self.products)/discfg")), Arguments(arguments), input)
    }

    /// Runs `discfg` with arguments from a table.
    func run(_ arguments: [String]) async throws -> Result {
        try await run(.path(FilePath("\(Self.products)/discfg")), Arguments(arguments), "")
    }

    /// Runs a script with bash.
    @discardableResult
    func bash(_ script: String) async throws -> Result { try await run(.name("bash"), ["-c", script], "") }

    /// Ends the test as skipped, and says so, if a shell is not installed.
    func require(_ shell: String) async throws {
        if try await bash("command -v \(shell)").status == 0 { return }
        try Test.cancel("\(shell) is not installed; “make test” installs it on Linux.")
    }

    /// Runs a script with a shell by its name.
    func run(_ shell: String, _ script: String) async throws -> Result {
        try await run(.name(shell), ["-c", script], "")
    }

    private func run(_ program: Executable, _ arguments: Arguments, _ input: String) async throws -> Result {
        let result = try await Subprocess.run(
            program, arguments: arguments, environment: environment, workingDirectory: FilePath(folder.path),
            input: .string(input), output: .string(limit: 64 << 20), error: .string(limit: 1 << 20))
        let status: Int =
            switch result.terminationStatus {
            case .exited(let code): Int(code)
            case .signaled(let signal): 128 + Int(signal)
            }
        return Result(status: status, output: result.standardOutput, error: result.standardError)
    }

    /// Writes a file into the folder, and returns its path.
    @discardableResult
    func write(_ name: String, _ text: String) throws -> String {
        let path = folder.appending(path: name)
        try Data(text.utf8).write(to: path)
        return path.path
    }
}
