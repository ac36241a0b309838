#if EtcdGRPC
import DiscfgCore
import DiscfgTestSupport
import GRPCCore
import Logging
import NIOCore
import ServiceLifecycle
import ServiceLifecycleTestKit
import SwiftProtobuf
import Testing

@testable import DiscfgEtcdGRPC

@Suite("The end of the server")
struct ShutdownTests {
    private static let stopped = "etcdserver: server stopped"

    @Test("Watches, keepalives, observers and those who wait for a lock are told that the server stops")
    func graceful() async throws {
        try await testGracefulShutdown { trigger in
            try await EtcdGRPCFixture.open { fixture in
                let owner = try await fixture.grant()
                _ = try await fixture.locks.lock(.with { ($0.name, $0.lease) = (bytes("l"), owner) })
                let next = try await fixture.grant()
                async let waiting: Void = expectRefusal(.unavailable, Self.stopped) {
                    _ = try await fixture.locks.lock(.with { ($0.name, $0.lease) = (bytes("l"), next) })
                }
                try await fixture.waitForKeys(2, below: "l/")
                async let observing: Void = expectRefusal(.unavailable, Self.stopped) {
                    try await fixture.election.observe(.with { $0.name = bytes("l") }) { response in
                        for try await answer in response.messages where answer.hasKv {
                            trigger.triggerGracefulShutdown()
                        }
                    }
                }
                await expectRefusal(.unavailable, Self.stopped) {
                    try await fixture.keepingAlive { talk in
                        talk.ask(.with { $0.id = owner })
                        #expect(try await talk.next().ttl == 60)
                        _ = try await talk.next()
                    }
                }
                _ = await (waiting, observing)
            }
        }
    }

    @Test("A watch ends, the server returns, and its port is free")
    func returns() async throws {
        let log = LogCapture()
        let store = ConfigService(engine: MemoryEngine(), logger: log.logger)
        let server = EtcdGRPCFixture.server(store: store, log: log)
        try await testGracefulShutdown { trigger in
            async let running: Void = server.run()
            let port = try #require(await server.address).port
            let transport = try EtcdGRPCFixture.transport(to: port)
            try await withGRPCClient(transport: transport) { client in
                let fixture = EtcdGRPCFixture(client: client, port: port, log: log, store: store, server: server)
                await expectRefusal(.unavailable, Self.stopped) {
                    try await fixture.watching { talk in
                        _ = try await talk.create("a")
                        trigger.triggerGracefulShutdown()
                        _ = try await talk.next()
                    }
                }
            }
            try await running
            #expect(await server.address == nil)
            #expect(log.lines.filter { $0.level >= .warning }.isEmpty)
        }
    }

    @Test("An address that is taken is the system's error")
    func taken() async throws {
        try await EtcdGRPCFixture.open { fixture in
            // A client that is stopped before it has begun to connect is an error of grpc-swift.
            try await fixture.put("a", "1")
            let log = LogCapture()
            let store = ConfigService(engine: MemoryEngine(), logger: log.logger)
            let second = EtcdGRPCFixture.server(store: store, log: log, port: fixture.port)
            await #expect(throws: IOError.self) { try await second.run() }
        }
    }
}
#endif
