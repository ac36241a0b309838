#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import NIOHTTP1
import Synchronization

/// A running stand-in for AWS, ministack from PyPI: DynamoDB, Lambda, IAM and others behind one address of this machine.
///
/// It holds everything in memory, and ends with the process that started it. Tests that need it are gated by `skipReason`:
///
///     @Suite(.enabled(if: Ministack.skipReason == nil, Comment(rawValue: Ministack.skipReason ?? "")))
public final class Ministack: Sendable {
    /// The variable that names the virtual environment in which ministack is installed.
    public static let environmentVariable = "DISCFG_AWS_VENV"

    /// The region that ministack takes where a request is not signed for another.
    public static let region = "us-east-1"
    /// The account that owns everything.
    public static let account = "000000000000"
    /// The pair of keys of the account itself, which may do everything, and whose signatures are never checked.
    public static let rootKey = AccessKey(id: "test", secret: "test")

    /// Where it listens, such as `http://127.0.0.1:4566`.
    public var url: String { endpoint.url }
    /// Whether it checks signatures and policies of IAM users.
    public let checksAccess: Bool

    let endpoint: Endpoint
    private let program: SupervisedProgram

    private init(_ program: SupervisedProgram, at endpoint: Endpoint, checksAccess: Bool) {
        self.program = program
        self.endpoint = endpoint
        self.checksAccess = checksAccess
    }

    /// Why ministack cannot be started here; `nil` if it can.
    public static var skipReason: String? { skipReason(folder: environment(environmentVariable)) }

    /// Why it cannot be started from that virtual environment.
    static func skipReason(folder: String?) -> String? {
        guard let folder, !folder.isEmpty else {
            return "\(environmentVariable) is not set: it names the virtual environment that has ministack."
        }
        if FileManager.default.isExecutableFile(atPath: "\(folder)/bin/ministack") { return nil }
        return "There is no program \(folder)/bin/ministack, in the folder that \(environmentVariable) names."
    }

    /// The one that all tests of a process share; it is started when it is first asked for, and checks no access.
    ///
    /// What a test makes there, others see: tables need names of their own.
    ///
    /// - Returns: The running stand-in.
    /// - Throws: `AWSTestError` when it does not start; then it fails for all that ask.
    public static func shared() async throws -> Ministack {
        let task = sharedStart.withLock { task in
            if let task { return task }
            let new = Task { try await start() }
            task = new
            return new
        }
        return try await task.value
    }

    private static let sharedStart = Mutex<Task<Ministack, any Error>?>(nil)

    /// Starts another one; it ends when `stop` is called, with its last reference, or with this process.
    ///
    /// - Parameter checkingAccess: Whether it checks signatures and policies of IAM users.
    /// - Returns: The stand-in, which answers.
    /// - Throws: `AWSTestError` when it cannot be started here, with what it said itself.
    public static func start(checkingAccess: Bool = false) async throws -> Ministack {
        if let skipReason { throw AWSTestError(skipReason) }
        let deadline = ContinuousClock.now + .seconds(60)
        var lastOutput = ""
        // The port is free when it is chosen; another process may take it before ministack does.
        for _ in 0..<5 where ContinuousClock.now < deadline {
            let token = UInt64.random(in: 0 ... .max)
            let endpoint = Endpoint(host: "127.0.0.1", port: try await freePort())
            let program = try launch(port: endpoint.port, token: "\(token)", checkingAccess: checkingAccess)
            if await answers(endpoint, token: "\(token)", program, until: deadline) {
                return Ministack(program, at: endpoint, checksAccess: checkingAccess)
            }
            await program.stop()
            lastOutput = program.lastOutput
        }
        throw AWSTestError("ministack does not start. It said: \(lastOutput)")
    }

    /// Runs a test beside one of its own, and stops that.
    ///
    /// - Parameters:
    ///   - checkingAccess: Whether it checks signatures and policies of IAM users.
    ///   - body: The test.
    /// - Returns: What the test returns.
    /// - Throws: What the test throws, and what `start` throws.
    public static func with<Result>(
        checkingAccess: Bool = false, _ body: (Ministack) async throws -> Result
    ) async throws -> Result {
        let ministack = try await start(checkingAccess: checkingAccess)
        do {
            let result = try await body(ministack)
            await ministack.stop()
            return result
        } catch {
            await ministack.stop()
            throw error
        }
    }

    /// Kills it, and waits until it is gone; nothing can be lost, since nothing is kept.
    public func stop() async { await program.stop() }

    /// Forgets everything: tables, users, functions.
    ///
    /// - Throws: `AWSTestError` when it does not answer with success.
    public func reset() async throws {
        _ = try await send(.POST, "/_ministack/reset", [:], "")
    }
}
