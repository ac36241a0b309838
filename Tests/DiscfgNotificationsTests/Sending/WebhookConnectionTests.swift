import DiscfgCore
import NIOCore
import NIOHTTP1
import Synchronization
import Testing

@testable import DiscfgNotifications

@Suite("Connections to webhooks")
struct WebhookConnectionTests {
    private func send(
        _ count: Int = 1, by sender: WebhookSender, to server: HostileServer, host: String = "127.0.0.1"
    ) async throws {
        let message = NotificationMessage(
            id: "1", kind: .test, config: .default, revision: 7, time: Timestamp(milliseconds: 0), body: [0x7B, 0x7D])
        for _ in 0..<count {
            try await sender.send(message, to: "http://\(host):\(server.port)/", secret: "12345678")
        }
    }

    @Test(
        "Deliveries to one target share a connection, also after a refusal",
        arguments: [
            "HTTP/1.1 204 No Content\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
            "HTTP/1.1 202 X\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n",
            "HTTP/1.1 500 X\r\nContent-Length: 4\r\n\r\nsick",
        ])
    func shared(answer: String) async throws {
        try await HostileServer.with(.write(answer)) { server in
            try await WebhookSender.with { sender in
                for _ in 1...5 {
                    do {
                        try await send(by: sender, to: server)
                    } catch let failure as DeliveryFailure {
                        #expect(failure.reason == "The webhook answered with status 500.")
                    }
                }
                #expect(server.requests.count == 5 && server.connectionCount == 1 && server.openCount == 1)
            }
            try await eventually { server.openCount == 0 }
        }
    }

    @Test("Deliveries at the same time have a connection each, and later ones use those")
    func concurrent() async throws {
        try await HostileServer.with(.ok) { server in
            try await WebhookSender.with { sender in
                for _ in 1...3 {
                    try await withThrowingTaskGroup { group in
                        for _ in 1...4 { group.addTask { try await self.send(by: sender, to: server) } }
                        try await group.waitForAll()
                    }
                }
                #expect(server.requests.count == 12 && server.connectionCount <= 4)
            }
        }
    }

    @Test("A kept connection that the target closes is replaced without a failure")
    func closedByTarget() async throws {
        try await HostileServer.with(.writeOnce("HTTP/1.1 204 No Content\r\n\r\n")) { server in
            try await WebhookSender.with { sender in
                try await send(3, by: sender, to: server)
                // The second and the third came twice.
                #expect(server.requests.count == 5 && server.connectionCount == 3)
            }
        }
    }

    @Test("A target that never answers is tried once for each delivery, on a new connection")
    func neverAnswers() async throws {
        try await HostileServer.with(.close) { server in
            try await WebhookSender.with { sender in
                for count in 1...3 {
                    await #expect(throws: DeliveryFailure.self) { try await send(by: sender, to: server) }
                    #expect(server.requests.count == count && server.connectionCount == count)
                }
            }
        }
    }

    @Test("The time limit holds for a kept connection too, and covers both attempts")
    func timeout() async throws {
        try await HostileServer.with(.silenceAfter("HTTP/1.1 204 No Content\r\n\r\n")) { server in
            try await WebhookSender.with(timeout: .seconds(1)) { sender in
                // A busy machine may need more than a second for the first answer.
                try await eventually { (try? await send(by: sender, to: server)) != nil }
                let (requests, connections) = (server.requests.count, server.connectionCount)
                let failure = await #expect(throws: DeliveryFailure.self) { try await send(by: sender, to: server) }
                #expect(failure?.reason == "The webhook did not answer within 1 s.")
                #expect(server.requests.count == requests + 1 && server.connectionCount == connections)
                // What failed is not used again.
                try await eventually { (try? await send(by: sender, to: server)) != nil }
                #expect(server.connectionCount > connections)
            }
        }
    }

    @Test("An answer that is longer than what is read, or never ends, closes its connection")
    func longAnswer() async throws {
        let long = "HTTP/1.1 200 OK\r\nContent-Length: 70000\r\n\r\n" + String(repeating: "x", count: 70_000)
        let endless = HostileServer.Behaviour.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nx")
        for behaviour in [HostileServer.Behaviour.write(long), endless] {
            try await HostileServer.with(behaviour) { server in
                try await WebhookSender.with(limits: .init(bodyTime: .milliseconds(50))) { sender in
                    try await send(2, by: sender, to: server)
                    #expect(server.connectionCount == 2)
                    try await eventually { server.openCount == 0 }
                }
            }
        }
    }

    @Test("A connection is closed when it was not used for a while")
    func idle() async throws {
        try await HostileServer.with(.ok) { server in
            try await WebhookSender.with(limits: .init(idleTime: .milliseconds(50))) { sender in
                try await send(by: sender, to: server)
                try await eventually { server.openCount == 0 }
                try await send(by: sender, to: server)
                #expect(server.connectionCount == 2)
            }
        }
    }

    @Test("Only so many connections are kept, those that were used last")
    func bounded() async throws {
        try await HostileServer.with(.ok) { server in
            try await WebhookSender.with(limits: .init(count: 2, idleTime: .seconds(600))) { sender in
                for host in ["127.0.0.1", "localhost", "127.1"] { try await send(by: sender, to: server, host: host) }
                try await eventually { server.openCount == 2 }
                for host in ["localhost", "127.1"] { try await send(by: sender, to: server, host: host) }
                #expect(server.connectionCount == 3)
                try await send(by: sender, to: server, host: "127.0.0.1")
                #expect(server.connectionCount == 4)
            }
        }
    }

    @Test("A delivery that ends after the sender is closed leaves no connection open")
    func closedSender() async throws {
        try await HostileServer.with(.ok) { server in
            try await WebhookSender.with { sender in
                await sender.shutdown()
                try await send(by: sender, to: server)
                #expect(server.requests.count == 1)
                try await eventually { server.openCount == 0 }
            }
        }
    }

    @Test("A host is looked up for each delivery, whatever connections are kept")
    func lookedUpAgain() async throws {
        let isGone = Mutex(false)
        let lookUp: WebhookSender.LookUp = { _, port in
            if isGone.withLock(\.self) { throw IOError(errnoCode: 2, reason: "gone") }
            return try SocketAddress(ipAddress: "127.0.0.1", port: port)
        }
        try await HostileServer.with(.ok) { server in
            try await WebhookSender.with(lookUp: lookUp) { sender in
                try await send(by: sender, to: server, host: "hooks.example")
                isGone.withLock { $0 = true }
                let failure = await #expect(throws: DeliveryFailure.self) {
                    try await send(by: sender, to: server, host: "hooks.example")
                }
                #expect(failure?.reason.hasPrefix("There is no host") == true && server.requests.count == 1)
            }
        }
    }

    #if os(Linux)
    // Elsewhere, 127.0.0.1 is the only loopback address.
    @Test("A host with a new address gets a new connection, to that address")
    func newAddress() async throws {
        let address = Mutex("127.0.0.1")
        let lookUp: WebhookSender.LookUp = { _, port in
            try SocketAddress(ipAddress: address.withLock(\.self), port: port)
        }
        try await HostileServer.with(.ok) { old in
            try await HostileServer.with(.ok, host: "127.0.0.2", port: old.port) { new in
                try await WebhookSender.with(lookUp: lookUp) { sender in
                    try await send(2, by: sender, to: old, host: "hooks.example")
                    address.withLock { $0 = "127.0.0.2" }
                    try await send(2, by: sender, to: old, host: "hooks.example")
                    #expect(old.requests.count == 2 && old.connectionCount == 1)
                    #expect(new.requests.count == 2 && new.connectionCount == 1)
                    #expect(new.requests.first?.head.headers["Host"] == ["hooks.example:\(old.port)"])
                    address.withLock { $0 = "127.0.0.1" }
                    try await send(by: sender, to: old, host: "hooks.example")
                    #expect(old.requests.count == 3 && old.connectionCount == 1)
                }
            }
        }
    }
    #endif
}
