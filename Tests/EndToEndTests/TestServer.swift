import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import Subprocess
import SystemPackage
import Testing

/// A running `discfg serve` on a free port.
struct TestServer: Sendable {
    let url: String
    /// The address of `--etcd-http-listen`, as a URL, if the server was told to have it.
    var etcdURL = ""
    /// The address of `--etcd-listen`, as `HOST:PORT`, if the server was told to have it.
    var etcdAddress = ""
    /// The address of `--listen`, as `HOST:PORT`.
    var address: String { String(url.dropFirst("http://".count)) }
    let processID: pid_t

    /// Does not try a connection again that was refused: a server that was killed stays away.
    static let client: HTTPClient = {
        var configuration = HTTPClient.Configuration()
        configuration.connectionPool.retryConnectionEstablishment = false
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }()

    /// What a server that never said where it listens said instead.
    struct DidNotStart: Error {
        let output: String
    }

    /// Starts a server, runs the test beside it, and stops it; returns how it ended.
    @discardableResult
    static func with(
        _ sandbox: Sandbox, _ arguments: [String] = [], _ body: (TestServer) async throws -> Void
    ) async throws -> TerminationStatus {
        let result = try await Subprocess.run(
            .path(FilePath("\(Sandbox.products)/discfg")),
            arguments: Arguments(["serve", "--listen", "127.0.0.1:0"] + arguments),
            environment: sandbox.environment, workingDirectory: FilePath(sandbox.folder.path), input: .none,
            output: .sequence,
            error: .discarded
        ) { execution in
            var said = ""
            var lines = execution.standardOutput.strings().makeAsyncIterator()
            while let line = try await lines.next() {
                said += line + "\n"
                // The greeting ends with how to stop; its first line has the address.
                if line.contains("Stop it with") { break }
            }
            guard let address = said.firstMatch(of: /http:\/\/127\.0\.0\.1:[0-9]+/) else {
                throw DidNotStart(output: said)
            }
            var server = TestServer(url: String(address.output), processID: pid_t(execution.processIdentifier.value))
            if let found = said.firstMatch(of: /HTTP at (http:[^\n]+)/) { server.etcdURL = String(found.1) }
            if let found = said.firstMatch(of: /gRPC at ([^\n]+)/) { server.etcdAddress = String(found.1) }
            do {
                try await body(server)
            } catch {
                server.signal(SIGKILL)
                throw error
            }
            server.signal(SIGTERM)
        }
        return result.terminationStatus
    }

    /// Sends the process a signal; one that has ended already is left alone.
    func signal(_ signal: CInt) { kill(processID, signal) }

    /// What a server answered.
    struct Answer: Sendable {
        let status: Int
        let headers: HTTPHeaders
        let body: String
    }

    /// Sends a request.
    func send(
        _ method: HTTPMethod, _ path: String, _ body: String? = nil, headers: [String: String] = [:]
    ) async throws -> Answer {
        var request = HTTPClientRequest(url: url + path)
        request.method = method
        for (name, value) in headers { request.headers.add(name: name, value: value) }
        if let body { request.body = .bytes(ByteBuffer(string: body)) }
        let response = try await Self.client.execute(request, timeout: .hours(1))
        let bytes = try await response.body.collect(upTo: 64 << 20)
        return Answer(status: Int(response.status.code), headers: response.headers, body: String(buffer: bytes))
    }
}
