#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif
import DiscfgCore
import DiscfgHTTP
import Logging
import NIOCore
import NIOPosix
import Testing

@testable import discfg

@Suite("Connections and descriptors")
struct ConnectionLimitTests {
    @Test(
        "There are as many connections as descriptors allow, shared by the addresses",
        arguments: [
            (10_000, 1, 1 << 20, 10_000), (10_000, 1, 1024, 960), (10_000, 3, 1024, 320), (12, 3, 1024, 12),
            (10_000, 3, 40, 1), (10_000, 1, Int.max, 10_000),
        ])
    func connections(asked: Int, listeners: Int, limit: Int, count: Int) {
        #expect(DescriptorLimit.connections(asked, listeners: listeners, limit: limit) == count)
    }

    @Test("Fewer connections than the standard number are no warning if nobody asked for a number")
    func shortage() throws {
        let address = try ListenAddress(ListenAddress.standard)
        let server = Server(options: .init(address: address), registry: PrometheusRegistry())
        #expect(server.connections(with: 1024) == 960 && server.shortageLevel == .info)
        let asked = Server(options: .init(address: address, maximumConnections: 5000), registry: PrometheusRegistry())
        #expect(asked.connections(with: 1024) == 960 && asked.shortageLevel == .warning)
        #expect(asked.connections(with: 1 << 20) == 5000)
    }

    @Test("The soft limit is raised to the hard one")
    func raise() {
        #expect(DescriptorLimit.raise() >= 64)
        #expect(DescriptorLimit.raise() == DescriptorLimit.raise())
    }

    @Test("A listener without descriptors stops looking for connections for a while, and then goes on")
    func pause() async throws {
        let listener = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .bind(host: "127.0.0.1", port: 0).get()
        try await listener.eventLoop.submit {
            try listener.pipeline.syncOperations.addHandler(
                AcceptPause(pause: .milliseconds(20), logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }),
                position: .first)
            listener.pipeline.fireErrorCaught(IOError(errnoCode: EMFILE, reason: "accept"))
            #expect(try listener.syncOptions?.getOption(.autoRead) == false)
        }.get()
        let client = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .connect(to: try #require(listener.localAddress)).get()
        while try await listener.getOption(.autoRead).get() == false { await Task.yield() }
        try await client.close()
        try await listener.close()
    }
}
