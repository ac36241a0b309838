#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import NIOCore
import NIOHTTP1
import NIOPosix
import SystemPackage

extension Ministack {
    /// Starts the program; it may fail yet.
    static func launch(port: Int, token: String, checkingAccess: Bool) throws -> SupervisedProgram {
        let folder = try temporaryFolder()
        let program = FilePath("\(environment(environmentVariable) ?? "")/bin/ministack")
        return try SupervisedProgram.start(
            program,
            environment: [
                "PATH": "/usr/bin:/bin", "HOME": folder, "TMPDIR": folder, "LC_ALL": "C.UTF-8",
                "BIND_HOST": "127.0.0.1", "GATEWAY_PORT": "\(port)", "DOCKER_HOST": "", "LOG_LEVEL": "WARNING",
                "PERSIST_STATE": "0", "STATE_DIR": "\(folder)/state", "S3_PERSIST": "0", "S3_DATA_DIR": "\(folder)/s3",
                "AUTH": checkingAccess ? "true" : "false", "MINISTACK_VERSION": token,
                // For the functions that it runs: they find in it what ministack has.
                "AWS_ENDPOINT_URL": "http://127.0.0.1:\(port)",
            ], in: FilePath(folder))
    }

    /// Waits until it answers as the one with that token, or is known never to.
    static func answers(
        _ endpoint: Endpoint, token: String, _ program: SupervisedProgram, until deadline: ContinuousClock.Instant
    ) async -> Bool {
        while !program.hasEnded, ContinuousClock.now < deadline {
            let answer = try? await send(.GET, "/_ministack/health", [:], "", to: endpoint)
            // Any other program may answer at that port; ours says the version that it was told to say.
            if let answer, answer.contains("\"\(token)\"") { return true }
            try? await Task.sleep(for: .milliseconds(20))
        }
        return false
    }

    /// Sends one request on a connection of its own, and returns the answer's body.
    func send(_ method: HTTPMethod, _ path: String, _ headers: HTTPHeaders, _ body: String) async throws -> String {
        try await Self.send(method, path, headers, body, to: endpoint)
    }

    private static func send(
        _ method: HTTPMethod, _ path: String, _ headers: HTTPHeaders, _ body: String, to endpoint: Endpoint
    ) async throws -> String {
        let connection = try await HTTPConnection.open(
            to: endpoint, on: MultiThreadedEventLoopGroup.singleton
        ).get()
        defer { connection.close() }
        var head = HTTPRequestHead(version: .http1_1, method: method, uri: path, headers: headers)
        head.headers.add(name: "Host", value: "\(endpoint.host):\(endpoint.port)")
        head.headers.add(name: "Content-Length", value: "\(body.utf8.count)")
        let response = try await connection.send(head, ByteBuffer(string: body), patience: .seconds(10)).get()
        let text = response.body.map { String(buffer: $0) } ?? ""
        guard response.head.status.code < 300 else {
            throw AWSTestError("ministack answered \(method) \(path) with \(response.head.status.code): \(text)")
        }
        return text
    }

    /// A port on which nobody listens now, and which no system gives to those who ask for any port.
    static func freePort() async throws -> Int {
        for _ in 0..<100 {
            let port = Int.random(in: 10_000..<32_000)
            let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            guard let channel = try? await bootstrap.bind(host: "127.0.0.1", port: port).get() else { continue }
            try await channel.close()
            return port
        }
        throw AWSTestError("None of 100 ports of this machine was free.")
    }
}

/// A variable of this process's environment.
func environment(_ name: String) -> String? { ProcessInfo.processInfo.environment[name] }

/// A new folder, which only this user can read.
private func temporaryFolder() throws -> String {
    let folder = FileManager.default.temporaryDirectory.appending(path: "ministack-\(UUID().uuidString)")
    try FileManager.default.createDirectory(
        at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    return folder.path
}
