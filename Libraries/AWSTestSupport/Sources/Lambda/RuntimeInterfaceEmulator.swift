#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization
import SystemPackage

/// A running AWS Lambda Runtime Interface Emulator: AWS's own runtime API for one function, without AWS and without
/// Docker.
///
/// It comes with the package aws-sam-cli of PyPI, and ends with the process that started it, and the function with it.
/// The function starts with the first invocation, and again with the next one after it ended or was killed for taking
/// too long. Tests that need it are gated by `skipReason`:
///
///     @Suite(.enabled(if: RuntimeInterfaceEmulator.skipReason == nil,
///                     Comment(rawValue: RuntimeInterfaceEmulator.skipReason ?? "")))
public final class RuntimeInterfaceEmulator: Sendable {
    /// The variable that names the virtual environment in which aws-sam-cli is installed.
    public static let environmentVariable = "DISCFG_LAMBDA_VENV"

    /// The addresses at which it takes invocations, and at which the function takes them.
    struct Addresses: Sendable {
        let invocations: Endpoint
        let runtimeAPI: Endpoint
    }

    private let addresses: Addresses
    private let patience: TimeAmount
    private let program: SupervisedProgram
    private let last = Mutex<Task<[UInt8], any Error>?>(nil)

    private init(_ program: SupervisedProgram, at addresses: Addresses, timeout: Int) {
        self.program = program
        self.addresses = addresses
        // The emulator ends what takes too long; this is for an emulator that does not.
        patience = .seconds(Int64(timeout) + 30)
    }

    /// Why it cannot be started here; `nil` if it can.
    public static var skipReason: String? { skipReason(folder: environment(environmentVariable)) }

    /// Starts one; it ends when `stop` is called, with its last reference, or with this process.
    ///
    /// - Parameters:
    ///   - bootstrap: The path of the function's executable; its folder is `LAMBDA_TASK_ROOT`, and not the current one.
    ///   - handler: What `_HANDLER` is for it.
    ///   - environment: What its environment has besides `PATH`, `HOME` and what Lambda sets.
    ///   - timeout: How many seconds an invocation may take.
    /// - Returns: The emulator, which takes invocations; whether the function starts, the first will show.
    /// - Throws: `AWSTestError` when it cannot be started here, with what it said itself.
    public static func start(
        bootstrap: String, handler: String, environment: [String: String] = [:], timeout: Int = 3
    ) async throws -> RuntimeInterfaceEmulator {
        if let skipReason { throw AWSTestError(skipReason) }
        let deadline = ContinuousClock.now + .seconds(60)
        var lastOutput = ""
        // The ports are free when they are chosen; another process may take them before the emulator does.
        for _ in 0..<5 where ContinuousClock.now < deadline {
            let addresses = Addresses(
                invocations: Endpoint(host: "127.0.0.1", port: try await Ministack.freePort()),
                runtimeAPI: Endpoint(host: "127.0.0.1", port: try await Ministack.freePort()))
            let program = try launch(bootstrap, handler, environment, timeout: timeout, at: addresses)
            if await answers(addresses, program, until: deadline) {
                return RuntimeInterfaceEmulator(program, at: addresses, timeout: timeout)
            }
            await program.stop()
            lastOutput = program.lastOutput
        }
        throw AWSTestError("The Runtime Interface Emulator does not start. It said: \(lastOutput)")
    }

    /// Runs a test beside one of its own, and stops that.
    ///
    /// - Parameters:
    ///   - bootstrap: The path of the function's executable.
    ///   - handler: What `_HANDLER` is for it.
    ///   - environment: What its environment has besides.
    ///   - timeout: How many seconds an invocation may take.
    ///   - body: The test.
    /// - Returns: What the test returns.
    /// - Throws: What the test throws, and what `start` throws.
    public static func with<Result>(
        bootstrap: String, handler: String, environment: [String: String] = [:], timeout: Int = 3,
        _ body: (RuntimeInterfaceEmulator) async throws -> Result
    ) async throws -> Result {
        let emulator = try await start(
            bootstrap: bootstrap, handler: handler, environment: environment, timeout: timeout)
        do {
            let result = try await body(emulator)
            await emulator.stop()
            return result
        } catch {
            await emulator.stop()
            throw error
        }
    }

    /// Kills it, and waits until it is gone.
    public func stop() async { await program.stop() }

    /// The last 2 KB of what the emulator and the function wrote.
    public var lastOutput: String { program.lastOutput }

    /// Invokes the function, after all invocations that were asked for before: two at a time would end the emulator.
    ///
    /// - Parameter event: The event.
    /// - Returns: What the function answered, or the error that it told, as `{"errorType": …}`. Of a function that took
    ///   too long the emulator says so in a sentence, `Task timed out after 3.00 seconds`.
    /// - Throws: `AWSTestError` when the function ended instead of answering, with what was said of it.
    public func invoke(_ event: [UInt8]) async throws -> [UInt8] {
        let invocation = last.withLock { last in
            let invocation = Task { [previous = last] in
                _ = await previous?.result
                return try await post(event)
            }
            last = invocation
            return invocation
        }
        return try await invocation.value
    }

    private func post(_ event: [UInt8]) async throws -> [UInt8] {
        let path = "/2015-03-31/functions/function/invocations"
        let (status, body) = try await Self.send(.POST, path, event, to: addresses.invocations, patience: patience)
        guard status == 200 else {
            let text = String(decoding: body.prefix(2048), as: UTF8.self)
            throw AWSTestError("The emulator answered with \(status): \(text). Its log ends so: \(lastOutput)")
        }
        return body
    }

    /// Sends one request on a connection of its own.
    static func send(
        _ method: HTTPMethod, _ path: String, _ body: [UInt8], to endpoint: Endpoint, patience: TimeAmount
    ) async throws -> (status: UInt, body: [UInt8]) {
        let connection = try await HTTPConnection.open(to: endpoint, on: MultiThreadedEventLoopGroup.singleton).get()
        defer { connection.close() }
        var head = HTTPRequestHead(version: .http1_1, method: method, uri: path)
        head.headers.add(name: "Host", value: "\(endpoint.host):\(endpoint.port)")
        head.headers.add(name: "Content-Length", value: "\(body.count)")
        let answer = try await connection.send(head, ByteBuffer(bytes: body), patience: patience).get()
        return (answer.head.status.code, answer.body.map { Array($0.readableBytesView) } ?? [])
    }
}
