import AWSClient
import AWSTestSupport
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Credentials that end while many work with them: from the source to the server, all of it real.
@Suite("Expiring credentials, live", .needsMinistack)
struct ExpiryTests {
    private static let tasks = 20
    private static let policy =
        #"{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"dynamodb:*","Resource":"*"}]}"#
    private static let read = GetItemRequest(tableName: "reads", key: ["pk": .string("a")])

    @Test("Those of a program that expire are renewed before a request is sent with them, once for all")
    func expired() async throws {
        try await Ministack.with(checkingAccess: true) { ministack in
            try await CredentialsFolder.with { folder in
                let (first, second) = try await keys(ministack)
                // Prints the first key when it is run for the first time, and then the second.
                let program = try folder.write(
                    "program",
                    """
                    #!/bin/sh
                    echo x >> '\(folder.path)/runs'
                    if [ "$(wc -l < '\(folder.path)/runs')" -eq 1 ]
                    then echo '\(document(first, until: "2027-01-15T09:00:00Z"))'
                    else echo '\(document(second, until: "2027-01-15T19:00:00Z"))'
                    fi
                    """, mode: 0o700)
                let clock = ManualClock(1_800_000_000)  // 2027-01-15T08:00:00Z
                let source = ProcessCredentials(command: program, environment: folder.environment(), now: clock.now)
                let cached = CachedCredentials(source, now: clock.now)
                try await LiveClient.with(ministack.url, cached) { live in
                    try await live.createTable("reads")
                    let done = Tally()
                    try await together { _ in
                        for _ in 0..<10 {
                            _ = try await live.dynamoDB.getItem(Self.read)
                            if done.next() == 100 {
                                clock.advance(by: 3601)
                                _ = try await cached.credentials()
                            }
                        }
                    }
                    // Whoever still signs with the first key is refused from now on.
                    _ = try await ministack.iam("DeleteAccessKey", ["UserName": "first", "AccessKeyId": first.id])
                    _ = try await live.dynamoDB.getItem(Self.read)
                    #expect(live.calls.all.count == 202 && live.calls.all.allSatisfy { $0.attempts == 1 })
                    #expect(try await cached.credentials().accessKeyID == second.id)
                }
                let runs = try String(contentsOfFile: "\(folder.path)/runs", encoding: .utf8)
                #expect(runs == "x\nx\n")
            }
        }
    }

    @Test("Those of a container that AWS calls expired are renewed once, and every call succeeds at its second try")
    func refused() async throws {
        try await Ministack.with(checkingAccess: true) { ministack in
            let (first, second) = try await keys(ministack)
            let asked = Tally()
            let answer: LocalHTTPServer.Answer = { _ in
                .text(document(asked.next() == 1 ? first : second, until: "2100-01-01T00:00:00Z"))
            }
            try await LocalHTTPServer.with(answer) { server, transport in
                try await FaultProxy.with(before: ministack.url) { proxy in
                    let container = ContainerCredentials(
                        environment: ["AWS_CONTAINER_CREDENTIALS_FULL_URI": server.url], transport: transport)
                    let cached = CachedCredentials(Late(source: container, proxy: proxy, requests: Self.tasks))
                    try await LiveClient.with(proxy.url, cached) { live in
                        try await live.createTable("reads")
                        proxy.script(Array(repeating: .expiredToken, count: Self.tasks), for: "GetItem")
                        try await together { _ in _ = try await live.dynamoDB.getItem(Self.read) }
                        #expect(live.calls.all.dropFirst().map(\.attempts) == Array(repeating: 2, count: Self.tasks))
                        #expect(try await cached.credentials().accessKeyID == second.id)
                    }
                    #expect(proxy.counts.faults == [.expiredToken: Self.tasks])
                    #expect(asked.value == 2)
                }
            }
        }
    }

    /// A source that renews only when all have been refused: none may meet the fault with the new credentials.
    private struct Late: CredentialsProvider {
        let source: ContainerCredentials
        let proxy: FaultProxy
        let requests: Int
        private let calls = Tally()

        init(source: ContainerCredentials, proxy: FaultProxy, requests: Int) {
            (self.source, self.proxy, self.requests) = (source, proxy, requests)
        }

        func credentials() async throws -> AWSCredentials {
            if calls.next() > 1 {
                while proxy.counts.operations["GetItem"]?.requests ?? 0 < requests { await Task.yield() }
            }
            return try await source.credentials()
        }
    }

    private func keys(_ ministack: Ministack) async throws -> (AccessKey, AccessKey) {
        let first = try await ministack.createUser("first", policy: Self.policy)
        return (first, try await ministack.createUser("second", policy: Self.policy))
    }

    private func together(_ body: @escaping @Sendable (Int) async throws -> Void) async throws {
        try await withThrowingTaskGroup { group in
            for task in 0..<Self.tasks { group.addTask { try await body(task) } }
            try await group.waitForAll()
        }
    }
}

/// What a program or a container answers.
private func document(_ key: AccessKey, until expiration: String) -> String {
    """
    {"Version": 1, "AccessKeyId": "\(key.id)", "SecretAccessKey": "\(key.secret)", \
    "Expiration": "\(expiration)"}
    """
}
