import Foundation
import Subprocess
import SystemPackage
import Testing

/// A real etcd, with its v2 API, on free ports and an empty folder.
enum Etcd {
    /// Starts etcd, runs the test beside it with its URL, and stops it.
    static func with(_ sandbox: Sandbox, _ body: @escaping @Sendable (String) async throws -> Void) async throws {
        // Another program may take a port between the choice and etcd's start: then etcd ends at once, and has others.
        for _ in 0..<5 {
            let (client, peer) = ("http://127.0.0.1:\(try freePort())", "http://127.0.0.1:\(try freePort())")
            let folder = sandbox.folder.appending(path: "etcd-\(UUID().uuidString)").path
            let arguments = [
                "--enable-v2", "--data-dir", folder, "--listen-client-urls", client, "--advertise-client-urls", client,
                "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer, "--initial-cluster",
                "default=\(peer)", "--logger", "zap", "--log-level", "error",
            ]
            let result = try await Subprocess.run(
                .name("etcd"), arguments: Arguments(arguments), environment: sandbox.environment, input: .none,
                output: .discarded, error: .discarded
            ) { execution in
                defer { try? execution.send(signal: .kill) }
                guard try await isReady(client, sandbox) else { return false }
                try await body(client)
                return true
            }
            if result.closureResult { return }
        }
        Issue.record("etcd did not start")
    }

    /// Whether it answers; `false` when it has ended.
    private static func isReady(_ url: String, _ sandbox: Sandbox) async throws -> Bool {
        let answer = try await sandbox.bash(
            "curl -fsS --retry 100 --retry-delay 0 --retry-max-time 30 --retry-connrefused '\(url)/health'")
        return answer.status == 0
    }

    private static func freePort() throws -> Int {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, length) == 0 && getsockname(descriptor, address, &length) == 0
            }
        }
        try #require(bound)
        return Int(UInt16(bigEndian: address.sin_port))
    }
}
