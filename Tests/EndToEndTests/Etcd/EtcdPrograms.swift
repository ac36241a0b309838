import Foundation
import Testing

/// The programs in `Programs/` that drive etcd's clients, in the Python environment that `make test` makes for them.
enum EtcdPrograms {
    private static let venv =
        ProcessInfo.processInfo.environment["DISCFG_ETCD_VENV"] ?? Sandbox.checkout.path + "/.venv-etcd"
    private static let folder = Sandbox.checkout.path + "/Tests/EndToEndTests/Etcd/Programs"

    /// Why the programs cannot run; `nil` where they can.
    private static var missing: String? {
        let python = venv + "/bin/python"
        guard FileManager.default.isExecutableFile(atPath: python) else {
            return "there is no \(python): run make test, or set DISCFG_ETCD_VENV"
        }
        let places = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        for program in ["etcd", "etcdctl"]
        where !places.contains(where: { FileManager.default.isExecutableFile(atPath: "\($0)/\(program)") }) {
            return "there is no \(program): run make test, which installs it"
        }
        return nil
    }

    /// Shown where something is not installed.
    static let areAvailable = ConditionTrait.enabled(if: missing == nil, Comment(rawValue: missing ?? ""))

    /// Runs a program; what it says is shown where it fails.
    static func run(_ program: String, _ arguments: String..., in sandbox: Sandbox) async throws {
        try await run(program, arguments, in: sandbox)
    }

    static func run(_ program: String, _ arguments: [String], in sandbox: Sandbox) async throws {
        let words = arguments.map { "'\($0)'" }.joined(separator: " ")
        let result = try await sandbox.bash("exec '\(venv)/bin/python' -B '\(folder)/\(program)' \(words) 2>&1")
        #expect(result.status == 0, "\(program) \(words): \(result.output.suffix(4000))")
    }
}

/// The stores on which etcd's clients are tried.
enum EtcdStore: String, CaseIterable, Sendable {
    case sqlite, dynamodb
    /// Another server, on a file.
    case agent

    /// Whether the server can tell the size of the store; the stand-in for DynamoDB cannot, nor can another server.
    var hasSize: Bool { self == .sqlite }

    /// Runs a test beside a server on the store, which serves etcd's APIs.
    func serving(
        _ arguments: [String] = [], _ body: @escaping @Sendable (Sandbox, TestServer) async throws -> Void
    ) async throws {
        let serve = { @Sendable (sandbox: Sandbox) async throws in
            let listeners = ["--etcd-listen", "127.0.0.1:0", "--etcd-http-listen", "127.0.0.1:0"]
            _ = try await TestServer.with(sandbox, listeners + arguments) { try await body(sandbox, $0) }
        }
        switch self {
        case .sqlite: try await Sandbox.with(serve)
        case .agent:
            try await Sandbox.with { sandbox in
                _ = try await TestServer.with(sandbox) { try await serve(sandbox.on($0.url)) }
            }
        case .dynamodb:
            try await DynamoDBStore.with { sandbox in
                let made = try await sandbox.discfg("store", "init")
                #expect(made.status == 0, "\(made.error)")
                try await serve(sandbox)
            }
        }
    }
}
