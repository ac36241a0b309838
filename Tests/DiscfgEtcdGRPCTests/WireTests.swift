#if EtcdGRPC
import GRPCCore
import NIOCore
import NIOPosix
import SwiftProtobuf
import Testing

@testable import DiscfgEtcdGRPC

@Suite("What comes over the wire")
struct WireTests {
    @Test("A value of 1.5 MiB with its key is too large, and just below it is not")
    func largeValues() async throws {
        try await EtcdGRPCFixture.open { fixture in
            let most = 1536 << 10
            try await fixture.put("a", String(repeating: "v", count: most - 1))
            #expect(try await fixture.get("a")?.utf8.count == most - 1)
            await expectRefusal(.invalidArgument, "etcdserver: request is too large") {
                try await fixture.put("a", String(repeating: "v", count: most))
            }
            await expectRefusal(.invalidArgument, "etcdserver: request is too large") {
                _ = try await fixture.kv.txn(
                    .with { txn in
                        txn.success = ["a", "b"].map { key in
                            .with {
                                $0.requestPut.key = bytes(key)
                                $0.requestPut.value = bytes(String(repeating: "v", count: most / 2))
                            }
                        }
                    })
            }
        }
    }

    @Test("A message beyond the limit is refused, and the connection goes on")
    func beyondLimit() async throws {
        var limits = EtcdGRPCLimits()
        limits.requestBytes = 1000
        try await EtcdGRPCFixture.open(limits: limits) { fixture in
            for (length, code) in [(1000, RPCError.Code.resourceExhausted), (3000, nil)] {
                let error = await #expect(throws: RPCError.self) {
                    try await fixture.put("a", String(repeating: "v", count: length))
                }
                if let code { #expect(error?.code == code) }
            }
            try await fixture.expectServing()
        }
    }

    @Test(
        "Bytes that are no message are refused, and the connection goes on",
        arguments: [
            ("etcdserverpb.KV", "Put"), ("etcdserverpb.KV", "Compact"), ("etcdserverpb.Lease", "LeaseGrant"),
            ("etcdserverpb.Watch", "Watch"), ("v3lockpb.Lock", "Lock"),
        ])
    func garbage(service: String, method: String) async throws {
        try await EtcdGRPCFixture.open { fixture in
            let error = await #expect(throws: RPCError.self) {
                _ = try await fixture.call(service, method, [0x0A, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F, 0x01])
            }
            #expect(error?.code == .invalidArgument)
            try await fixture.expectServing()
        }
    }

    @Test("Transactions in transactions without end are refused")
    func depth() async throws {
        try await EtcdGRPCFixture.open { fixture in
            let request = Self.nested(5000)
            let error = await #expect(throws: RPCError.self) {
                _ = try await fixture.call("etcdserverpb.KV", "Txn", request)
            }
            #expect(error?.code == .invalidArgument)
            try await fixture.expectServing()
        }
    }

    /// A transaction with a transaction in its success branch, and so on, as bytes: from the inside out.
    private static func nested(_ depth: Int) -> [UInt8] {
        var reversed: [UInt8] = []
        for _ in 0..<depth {
            // RequestOp.request_txn is field 4, TxnRequest.success field 2; both are length-delimited.
            for tag in [0x22, 0x12] as [UInt8] {
                var (length, digits) = (reversed.count, [UInt8]())
                repeat {
                    digits.append(UInt8(length & 0x7F) | (length > 0x7F ? 0x80 : 0))
                    length >>= 7
                } while length > 0
                reversed += digits.reversed() + [tag]
            }
        }
        return reversed.reversed()
    }

    @Test("A method and a service that there are not are unimplemented")
    func unknownMethods() async throws {
        try await EtcdGRPCFixture.open { fixture in
            for (service, method) in [("etcdserverpb.KV", "RangeStream"), ("grpc.Nothing", "Do")] {
                let error = await #expect(throws: RPCError.self) { _ = try await fixture.call(service, method, []) }
                #expect(error?.code == .unimplemented)
            }
        }
    }

    @Test("A peer that does not speak HTTP/2 is closed, and others are served")
    func strangers() async throws {
        try await EtcdGRPCFixture.open { fixture in
            let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
                .connect(host: "127.0.0.1", port: fixture.port).get()
            try await channel.writeAndFlush(ByteBuffer(string: "GET /v3/kv/range HTTP/1.1\r\nHost: a\r\n\r\n"))
            try await channel.closeFuture.get()
            try await fixture.expectServing()
        }
    }
}
#endif
