import DiscfgCore
import NIOHTTP1
import Testing

@testable import DiscfgNotifications

@Suite("Where webhooks may go")
struct WebhookAddressTests {
    private let strict = WebhookSender(policy: AddressPolicy(allowsPrivate: false), timeout: .seconds(600))

    private func message() throws -> NotificationMessage {
        NotificationMessage(
            id: "1", kind: .test, config: .default, revision: 7, time: Timestamp(milliseconds: 0), body: [0x7B, 0x7D])
    }

    private func check(_ url: String) -> DiscfgError? {
        do throws(DiscfgError) {
            try strict.check(url)
            return nil
        } catch {
            return error
        }
    }

    @Test("Nothing of this machine is reached by a webhook, however its address is written")
    func loopback() async throws {
        try await HostileServer.with(.ok) { server in
            let hosts = [
                "127.0.0.1", "localhost", "LOCALHOST", "[::1]", "[::ffff:127.0.0.1]", "2130706433",
                "0x7f.1", "0x7f000001", "127.1", "0177.0.0.1", "0", "0.0.0.0", "[::]", "[0:0:0:0:0:0:0:1]",
            ]
            for host in hosts {
                for scheme in ["https", "http"] {
                    let failure = await #expect(throws: DeliveryFailure.self, "\(host)") {
                        try await strict.send(
                            message(), to: "\(scheme)://\(host):\(server.port)/PATHSECRET", secret: "12345678")
                    }
                    #expect(failure?.reason.contains("SECRET") == false)
                    #expect(
                        failure?.reason.contains(scheme == "http" ? "encrypted" : "private network") == true, "\(host)")
                }
            }
            #expect(server.connectionCount == 0)
        }
    }

    @Test(
        "A private address that is written out, and plain HTTP, is refused as soon as somebody asks for it",
        arguments: [
            "https://127.0.0.1/", "https://10.1.2.3:8443/x", "https://[::1]/", "https://[fe80::1]/",
            "https://169.254.169.254/latest/meta-data", "https://[::ffff:10.0.0.1]:1/",
        ])
    func early(url: String) {
        let error = check(url)
        #expect(error?.code == .forbidden && error?.message.contains("private network") == true)
        #expect(error?.hint?.contains("--allow-private-webhooks") == true)
        #expect(error?.hint?.contains("Lambda") == false, "the variable works everywhere")
    }

    @Test("Plain HTTP is refused without telling the path, public hosts with TLS are not")
    func schemes() {
        let error = check("http://hooks.example/PATHSECRET?QUERYSECRET")
        #expect(error?.code == .forbidden)
        #expect(error?.message == "A webhook to “http://hooks.example” would not be encrypted.")
        for url in [
            "https://hooks.example", "https://hooks.example:8443/a?b", "https://1.1.1.1/", "https://[2606::1]/",
        ] {
            #expect(check(url) == nil, "\(url)")
        }
    }

    @Test(
        "An address that can be read in two ways is refused",
        arguments: [
            "https://local%68ost/", "https://a%2e127.0.0.1.nip.example/", "https://exa\\mple/", "https://a;b/",
            "https://a:80:90/", "https://a:/", "https://a:x/", "https://a:70000/", "https://[::1/", "https://[::1]x/",
            "https://[::1%25lo]/", "https://[hooks.example]/", "https://:443/", "https:///", "https://a,b/",
        ])
    func ambiguous(url: String) async throws {
        #expect(check(url)?.code == .invalidRequest)
        let failure = await #expect(throws: DeliveryFailure.self) {
            try await WebhookSender.with { lax in try await lax.send(message(), to: url, secret: "12345678") }
        }
        #expect(failure?.reason == "The webhook's address has no host.")
    }

    @Test("Where private addresses are allowed all of these are reached, by the very host that was looked at")
    func allowed() async throws {
        try await HostileServer.with(.ok) { server in
            try await WebhookSender.with { lax in
                for host in ["127.0.0.1", "localhost", "LocalHost", "127.1", "2130706433"] {
                    try await lax.send(message(), to: "http://\(host):\(server.port)/Path?Q", secret: "12345678")
                }
            }
            #expect(server.requests.map(\.head.uri) == Array(repeating: "/Path?Q", count: 5))
            let hosts = server.requests.flatMap { $0.head.headers["Host"] }
            #expect(hosts.count == 5 && hosts.dropFirst().prefix(2).allSatisfy { $0 == "localhost:\(server.port)" })
        }
    }
}
