#if EtcdGRPC
import DiscfgCore
import DiscfgTestSupport
import GRPCCore
import NIOCore
import NIOPosix
import ServiceLifecycle
import ServiceLifecycleTestKit
import SwiftProtobuf
import Testing

@testable import DiscfgEtcdGRPC

@Suite("What a call may hold")
struct StreamGuardTests {
    /// Waits until the calls hold memory that meets a condition.
    private static func wait(for budget: MemoryBudget, _ condition: (Int) -> Bool) async throws {
        while !condition(budget.held) { try await Task.sleep(for: .milliseconds(2)) }
    }

    /// The beginning of a message of that many bytes.
    private static func message(_ length: Int) -> [UInt8] {
        [0] + withUnsafeBytes(of: UInt32(length).bigEndian) { Array($0) }
    }

    @Test(
        "A call without a message is answered with one code, whether it ends with its headers or with data",
        arguments: [
            "etcdserverpb.KV/Range", "etcdserverpb.KV/Compact", "etcdserverpb.Lease/LeaseGrant",
            "etcdserverpb.Maintenance/Status", "v3lockpb.Lock/Lock",
        ], [true, false])
    func empty(method: String, endsWithHeaders: Bool) async throws {
        try await EtcdGRPCFixture.open { fixture in
            try await RawStream.connected(to: fixture.port) { connection in
                var call = try await connection.call("/\(method)", endsWithHeaders: endsWithHeaders)
                if !endsWithHeaders { try await call.send([], ends: true) }
                #expect(try await call.status() == "12")
            }
            try await fixture.expectServing()
        }
    }

    @Test("Messages under way share a budget, beyond which a call is refused")
    func budget() async throws {
        var limits = EtcdGRPCLimits()
        limits.requests = RequestLimits(bodies: MemoryBudget(100_000))
        let budget = limits.requests.bodies
        try await EtcdGRPCFixture.open(limits: limits) { fixture in
            try await RawStream.connected(to: fixture.port) { connection in
                var first = try await connection.call("/etcdserverpb.KV/Put", endsWithHeaders: false)
                try await first.send(Self.message(90_000) + [UInt8](repeating: 0, count: 50_000))
                try await Self.wait(for: budget) { $0 == 50_005 }
                var second = try await connection.call("/etcdserverpb.KV/Put", endsWithHeaders: false)
                try await second.send(Self.message(90_000) + [UInt8](repeating: 0, count: 60_000))
                #expect(try await second.status() == "8")
                try await fixture.expectServing()
                // To close a stream that is open is to reset it, which NIO reports as an error.
                await #expect(throws: (any Error).self) { try await first.stream.close() }
                #expect(try await first.status() == nil)
                try await Self.wait(for: budget) { $0 == 0 }
            }
            try await fixture.expectServing()
        }
    }

    @Test(
        "A message that would take far more memory than its bytes is refused before it is decoded",
        arguments: [
            ("etcdserverpb.KV/Txn", [0x0A, 0x00], 1 << 20, "more than 16384 elements"),
            ("etcdserverpb.KV/Txn", [0x12, 0x00], 1 << 20, "more than 16384 elements"),
            ("etcdserverpb.Watch/Watch", [0x00], 1 << 20, "larger than max (1048576 vs. 65536)"),
            ("etcdserverpb.Cluster/MemberAdd", [0x0A, 0x00], 1 << 20, "larger than max (1048576 vs. 65536)"),
            // Short enough to be decoded, and refused by the service.
            ("etcdserverpb.KV/Txn", [0x12, 0x00], 1 << 10, "too many operations"),
        ] as [(String, [UInt8], Int, String)])
    func elements(method: String, element: [UInt8], size: Int, message: String) async throws {
        try await EtcdGRPCFixture.open { fixture in
            try await RawStream.connected(to: fixture.port) { connection in
                var call = try await connection.call("/\(method)", endsWithHeaders: false)
                let request = [[UInt8]](repeating: element, count: size / element.count).flatMap { $0 }
                try await call.send(Self.message(request.count) + request, ends: true)
                let end = try await call.end()
                #expect(end.message?.contains(message) == true, "\(end)")
            }
            try await fixture.expectServing()
        }
    }

    @Test("The elements of a transaction are counted in all that are nested in it, but not in values")
    func elementCount() throws {
        var put = Etcdserverpb_RequestOp()
        put.requestPut.value = bytes(String(repeating: "\u{12}\u{0}", count: 1000))
        func count(_ transaction: Etcdserverpb_TxnRequest) throws -> Int {
            try (transaction.serializedBytes() as [UInt8]).withUnsafeBytes { ElementCount(of: $0).count }
        }
        var transaction = Etcdserverpb_TxnRequest()
        #expect(try count(transaction) == 0)
        transaction.compare = [.init(), .init()]
        transaction.success = [put, put]
        transaction.failure = [.init()]
        #expect(try count(transaction) == 5)
        for depth in 1...3 {
            let nested = transaction
            transaction = Etcdserverpb_TxnRequest()
            transaction.success = [.with { $0.requestTxn = nested }]
            #expect(try count(transaction) == 5 + depth)
        }
        // Nested without end, and cut off anywhere.
        var deep: [UInt8] = []
        while deep.count < 1 << 14 {
            for tag in [0x22, 0x12] as [UInt8] {
                var length = deep.count
                var head = [tag]
                while length >= 0x80 {
                    head.append(UInt8(length & 0x7F) | 0x80)
                    length >>= 7
                }
                deep = head + [UInt8(length)] + deep
            }
        }
        #expect(deep.withUnsafeBytes { ElementCount(of: $0).count } == 51)
        let cut = try transaction.serializedBytes() as [UInt8]
        for length in 0...cut.count { #expect(cut.prefix(length).withUnsafeBytes { ElementCount(of: $0).count } <= 8) }
    }

    @Test("A message that comes too slowly ends with its call")
    func pace() async throws {
        var limits = EtcdGRPCLimits()
        limits.requests.pace.grace = .milliseconds(50)
        try await EtcdGRPCFixture.open(limits: limits) { [limits] fixture in
            try await RawStream.connected(to: fixture.port) { connection in
                var call = try await connection.call("/etcdserverpb.KV/Put", endsWithHeaders: false)
                try await call.send(Self.message(1000) + [0])
                #expect(try await call.status() == nil)
            }
            try await Self.wait(for: limits.requests.bodies) { $0 == 0 }
            try await fixture.expectServing()
        }
    }

    /// Begins a call for a key of 1000 bytes on a connection that lets nothing of an answer through.
    private static func unreadAnswer(
        _ limits: EtcdGRPCLimits, _ body: (inout RawStream.Call) async throws -> Void
    ) async throws {
        try await EtcdGRPCFixture.open(limits: limits) { fixture in
            let value = Value(String(repeating: "v", count: 1000))
            _ = try await fixture.store.commit(Transaction(then: [.set(Key(path: "/a"), value)]), to: .default)
            try await RawStream.connected(to: fixture.port, streamWindow: 0) { connection in
                var call = try await connection.call("/etcdserverpb.KV/Range", endsWithHeaders: false)
                let request = try Etcdserverpb_RangeRequest.with { $0.key = bytes("/a") }.serializedBytes() as [UInt8]
                try await call.send(Self.message(request.count) + request, ends: true)
                try await body(&call)
            }
            try await Self.wait(for: limits.requests.answers) { $0 == 0 }
            try await fixture.expectServing()
        }
    }

    @Test("Answers that are not read count, also small ones")
    func unreadAnswers() async throws {
        let limits = EtcdGRPCLimits()
        try await Self.unreadAnswer(limits) { _ in
            try await Self.wait(for: limits.requests.answers) { $0 > 1000 }
        }
    }

    @Test("A call of which the client reads nothing for too long is cut off")
    func unreadForTooLong() async throws {
        var limits = EtcdGRPCLimits()
        limits.requests.readingPatience = .milliseconds(50)
        try await Self.unreadAnswer(limits) { call in
            let status = try await call.status()
            #expect(status == nil)
        }
    }

    @Test("A watch of a client that reads nothing does not hold up the end of the server")
    func unread() async throws {
        var limits = EtcdGRPCLimits()
        limits.drain = .milliseconds(100)
        let log = LogCapture()
        let store = ConfigService(engine: MemoryEngine(), logger: log.logger)
        let server = EtcdGRPCFixture.server(store: store, log: log, limits: limits)
        try await testGracefulShutdown { trigger in
            let running = Task { try await server.run() }
            let port = try #require(await server.address).port
            try await RawStream.connected(to: port) { connection in
                let call = try await connection.call("/etcdserverpb.Watch/Watch", endsWithHeaders: false)
                let request =
                    try Etcdserverpb_WatchRequest.with { $0.createRequest.key = bytes("/a") }.serializedBytes()
                    as [UInt8]
                try await call.send(Self.message(request.count) + request)
                // From here on nothing is read, so that the events stay in the server.
                try await call.stream.parent?.setOption(.autoRead, value: false).get()
                let value = Value(String(repeating: "v", count: 1_000_000))
                for _ in 0..<20 {
                    _ = try await store.commit(Transaction(then: [.set(Key(path: "/a"), value)]), to: .default)
                }
                try await Self.wait(for: limits.requests.answers) { $0 > 1_000_000 }
                // Its PINGs show that the client is alive: nothing but the end of the server closes its connection.
                try await connection.pinging {
                    trigger.triggerGracefulShutdown()
                    try await running.value
                }
            }
        }
    }
}
#endif
