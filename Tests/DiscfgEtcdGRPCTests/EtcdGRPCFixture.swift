#if EtcdGRPC
import DiscfgCore
import DiscfgEtcd
import DiscfgTestSupport
import GRPCCore
import GRPCNIOTransportHTTP2Posix
import SwiftProtobuf
import Testing

@testable import DiscfgEtcdGRPC

/// A server on an empty memory store, and a client that is connected to it.
struct EtcdGRPCFixture: Sendable {
    typealias Transport = HTTP2ClientTransport.Posix

    let client: GRPCClient<Transport>
    let port: Int
    let log: LogCapture
    /// The store behind the server.
    let store: ConfigService
    let server: EtcdGRPCServer

    var kv: Etcdserverpb_KV.Client<Transport> { .init(wrapping: client) }
    var watch: Etcdserverpb_Watch.Client<Transport> { .init(wrapping: client) }
    var lease: Etcdserverpb_Lease.Client<Transport> { .init(wrapping: client) }
    var cluster: Etcdserverpb_Cluster.Client<Transport> { .init(wrapping: client) }
    var maintenance: Etcdserverpb_Maintenance.Client<Transport> { .init(wrapping: client) }
    var auth: Etcdserverpb_Auth.Client<Transport> { .init(wrapping: client) }
    var locks: V3lockpb_Lock.Client<Transport> { .init(wrapping: client) }
    var election: V3electionpb_Election.Client<Transport> { .init(wrapping: client) }

    static let identity = EtcdIdentity(clusterID: 14, memberID: 25, name: "discfg")

    /// Runs the server and the client for the time of the body.
    static func open(
        limits: EtcdGRPCLimits = EtcdGRPCLimits(), authority: String? = nil, windowSize: Int? = nil,
        _ body: (EtcdGRPCFixture) async throws -> Void
    ) async throws {
        let log = LogCapture()
        let store = ConfigService(engine: MemoryEngine(), logger: log.logger)
        let server = Self.server(store: store, log: log, limits: limits)
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await server.run() }
            let port = try #require(await server.address).port
            let transport = try Self.transport(to: port, authority: authority, windowSize: windowSize)
            try await withGRPCClient(transport: transport) { client in
                try await body(EtcdGRPCFixture(client: client, port: port, log: log, store: store, server: server))
            }
            tasks.cancelAll()
        }
    }

    /// Connects one more client for the time of the body.
    func connect(_ body: (EtcdGRPCFixture) async throws -> Void) async throws {
        try await withGRPCClient(transport: try Self.transport(to: port)) { client in
            try await body(EtcdGRPCFixture(client: client, port: port, log: log, store: store, server: server))
        }
    }

    static func server(
        store: ConfigService, log: LogCapture, port: Int = 0, limits: EtcdGRPCLimits = EtcdGRPCLimits()
    ) -> EtcdGRPCServer {
        EtcdGRPCServer(
            api: EtcdAPI(store: store, config: .default, identity: identity, logger: log.logger),
            port: port, limits: limits, logger: log.logger)
    }

    static func transport(
        to port: Int, authority: String? = nil, windowSize: Int? = nil
    ) throws -> Transport {
        try .http2NIOPosix(
            target: .ipv4(address: "127.0.0.1", port: port), transportSecurity: .plaintext,
            config: .defaults { config in
                config.http2.authority = authority
                if let windowSize { config.http2.targetWindowSize = windowSize }
            })
    }
}

extension EtcdGRPCFixture {
    /// Puts a key; gives the revision.
    @discardableResult
    func put(_ key: String, _ value: String, lease: Int64 = 0) async throws -> Int64 {
        try await kv.put(.with { ($0.key, $0.value, $0.lease) = (bytes(key), bytes(value), lease) }).header.revision
    }

    /// The value of a key, where there is one.
    func get(_ key: String) async throws -> String? {
        try await kv.range(.with { $0.key = bytes(key) }).kvs.first?.valueText
    }

    /// Makes a lease of a minute.
    func grant(_ id: Int64 = 0) async throws -> Int64 {
        try await lease.leaseGrant(.with { ($0.ttl, $0.id) = (60, id) }).id
    }

    /// Fails unless the connection goes on.
    func expectServing(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let revision = try await put("serving", "1")
        #expect(revision > 1, sourceLocation: sourceLocation)
    }

    /// Waits until there are so many keys below a prefix.
    func waitForKeys(_ count: Int64, below prefix: String) async throws {
        let request = Etcdserverpb_RangeRequest.with {
            ($0.key, $0.rangeEnd, $0.countOnly) = (bytes(prefix), end(of: prefix), true)
        }
        while try await kv.range(request).count != count { await Task.yield() }
    }
}

/// Fails unless the call is refused with that code and message.
func expectRefusal(
    _ code: RPCError.Code, _ message: String, sourceLocation: SourceLocation = #_sourceLocation,
    _ call: () async throws -> Void
) async {
    let error = await #expect(throws: RPCError.self, sourceLocation: sourceLocation) { try await call() }
    #expect(error?.code == code, sourceLocation: sourceLocation)
    #expect(error?.message == message, sourceLocation: sourceLocation)
}
#endif
