import Subprocess

#if canImport(System)
import System
#else
import SystemPackage
#endif

/// Credentials that a program prints, as `credential_process` of a profile names one.
///
/// The program is started without a shell, again for every call: put `CachedCredentials` around it. What it writes to
/// its error output is thrown away, as it may hold secrets. Source: AWS SDKs and Tools Reference Guide, “Process
/// credential provider”.
public struct ProcessCredentials: CredentialsProvider {
    private static let timeout = Duration.seconds(60)

    private let command: String
    private let environment: AWSEnvironment
    private let source: String
    private let timeout: Duration
    private let now: @Sendable () -> Double

    /// Names the program.
    ///
    /// - Parameters:
    ///   - command: The program and its arguments, in quotes if they hold spaces.
    ///   - environment: All variables the program gets; its `PATH` says where programs are looked for.
    ///   - now: Seconds since 1970.
    public init(
        command: String, environment: AWSEnvironment, now: @escaping @Sendable () -> Double = { UTCTime.now }
    ) {
        self.init(command, environment, source: "The credential process", now: now)
    }

    init(
        _ command: String, _ environment: AWSEnvironment, source: String, timeout: Duration = Self.timeout,
        now: @escaping @Sendable () -> Double
    ) {
        self.command = command
        self.environment = environment
        self.source = source
        self.timeout = timeout
        self.now = now
    }

    /// Runs the program, for at most a minute.
    ///
    /// - Returns: What it printed.
    /// - Throws: `AWSError` with code `brokenCredentials` if it cannot be started, fails, takes too long, or prints
    ///   something else than it should; or `CancellationError`.
    public func credentials() async throws -> AWSCredentials {
        guard let words = ShellWords.split(command), let program = words.first, !program.isEmpty,
            !command.utf8.contains(0)
        else {
            throw AWSError.broken("\(source) has no program to start.", hint: "Is a quote not closed?")
        }
        let output = try await output(program, Array(words.dropFirst()))
        let document = try CredentialsDocument(parsing: output, from: source)
        guard document.version == 1 else {
            throw AWSError.broken(
                "\(source) printed \(document.version.map { "version \($0)" } ?? "no “Version”").",
                hint: "Only “\"Version\": 1” is known.")
        }
        return try document.credentials(from: source, isTemporary: false, now: now())
    }

    /// What the program prints, if it does so in time and ends well.
    private func output(_ program: String, _ arguments: [String]) async throws -> [UInt8] {
        let (timeout, source) = (timeout, source)
        return try await withThrowingTaskGroup(of: [UInt8]?.self) { group in
            group.addTask { try await run(program, arguments) }
            group.addTask {
                try await Task.sleep(for: timeout)
                return nil
            }
            defer { group.cancelAll() }
            if let first = try await group.next(), let output = first { return output }
            throw AWSError.broken("\(source) did not end within \(timeout.components.seconds) s, and was stopped.")
        }
    }

    private func run(_ program: String, _ arguments: [String]) async throws -> [UInt8] {
        var options = PlatformOptions()
        options.teardownSequence = [.gracefulShutDown(allowedDurationToNextStep: .seconds(1))]
        let variables = environment.all.map { (Environment.Key(stringLiteral: $0.key), $0.value) }
        do {
            let result = try await Subprocess.run(
                program.contains("/") ? .path(FilePath(program)) : .name(program), arguments: Arguments(arguments),
                environment: .custom(Dictionary(variables) { $1 }), platformOptions: options, input: .none,
                output: .bytes(limit: CredentialsDocument.limit), error: .discarded)
            try Task.checkCancellation()
            switch result.terminationStatus {
            case .exited(0): return result.standardOutput
            case .exited(let code): throw failed("ended with status \(code)")
            default: throw failed("was stopped by a signal")
            }
        } catch let error as SubprocessError {
            try Task.checkCancellation()
            switch error.code {
            case .outputLimitExceeded: throw failed("printed more than \(CredentialsDocument.limit) bytes")
            case .executableNotFound: throw failed("cannot be started: there is no program \(Quoted(program))")
            default: throw failed("cannot be run")
            }
        }
    }

    private func failed(_ what: String) -> AWSError {
        .broken("\(source) \(what).", hint: "Run it by hand to see what it says.")
    }
}

extension ProcessCredentials: CustomReflectable {
    /// Nothing of the command, in which a secret may stand.
    public var customMirror: Mirror { Mirror(self, children: ["source": source]) }
}
