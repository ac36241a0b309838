import Foundation
import Testing

/// How many random requests are sent, and which; both can be asked for, as `make compare-etcd` does.
private enum RandomRequests {
    private static let environment = ProcessInfo.processInfo.environment
    static let asked = environment["DISCFG_DIFFERENTIAL_STEPS"]
    static let steps = asked ?? "3000"
    static var seed: String { environment["DISCFG_DIFFERENTIAL_SEED"] ?? String(Int.random(in: 0..<1_000_000)) }
}

/// The answers of the real server beside those of etcd 3.4.23: recorded ones, and those of an etcd that runs beside it.
@Suite(
    "Compared with etcd", EtcdPrograms.areAvailable, .serialized)
struct EtcdComparisonTests {
    /// What the newer etcd 3.6 takes and 3.4 does not, and so does discfg.
    private static let newer = ["url-safe-base64", "no-pad-base64"]
    /// What needs authentication to be switched on, which discfg refuses.
    private static let authentication = [
        "user-add-root", "user-add-dup", "role-add-root", "user-grant", "user-add-alice", "role-add-r", "role-grant",
        "role-get", "user-grant-alice", "user-get", "user-list", "role-list", "auth-enable", "no-token",
        "authenticate-bad", "authenticate", "alice-denied", "bad-token", "auth-disable",
    ]

    @Test("Every recorded case of the v2 API agrees, on a config that keeps a thousand revisions as etcd keeps events")
    func recordedV2() async throws {
        try await EtcdStore.sqlite.serving { sandbox, server in
            let retention = "{\"retention\":{\"age\":\"0s\",\"revisions\":1000}}"
            #expect(try await sandbox.discfg("cfg", "update", "default", retention).status == 0)
            try await EtcdPrograms.run("golden.py", "v2", server.url, in: sandbox)
        }
    }

    @Test("Every recorded case of the v3 JSON gateway agrees, but for two that 3.6 answers, and those that need users")
    func recordedV3() async throws {
        try await EtcdStore.sqlite.serving { sandbox, server in
            // On a busy machine the lease of two seconds may be over when the leases are listed.
            let exceptions =
                (Self.newer + Self.authentication).flatMap { ["--except", $0] } + ["--either", "lease-list"]
            try await EtcdPrograms.run("golden.py", ["v3", server.url] + exceptions, in: sandbox)
        }
    }

    @Test("Random requests of the v2 API are answered as etcd answers them")
    func randomV2() async throws {
        // What etcd does only when it looks back, and only for a thousand events; what overflows; what no HTTP parser lets through.
        try await compareRandomly(
            "differential_v2.py", without: ["lookalike", "hidden-history", "history-end", "overflow", "methods"])
    }

    @Test("Random requests of the v3 JSON gateway are answered as etcd answers them")
    func randomV3() async throws {
        // What etcd's checks miss, and what several events of one revision show of the order of operations.
        try await compareRandomly(
            "differential_v3.py", without: ["from-key-overlap", "nested-overlap", "several-errors", "event-order"])
    }

    /// Sends the same random requests to a server and to an etcd; what it says where they differ ends with how to repeat it.
    private func compareRandomly(_ program: String, without quirks: [String]) async throws {
        let arguments =
            ["--steps", RandomRequests.steps, "--seed", RandomRequests.seed] + quirks.flatMap { ["--without", $0] }
        try await EtcdStore.sqlite.serving { sandbox, server in
            try await Etcd.with(sandbox) { etcd in
                try await EtcdPrograms.run(program, [etcd, server.url] + arguments, in: sandbox)
            }
        }
    }
}
