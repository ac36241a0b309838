#if EtcdGRPC
import Testing

@testable import DiscfgEtcdGRPC

@Suite("Refusals over gRPC")
struct RefusalTests {
    @Test(
        "A refusal has etcd's code and message",
        arguments: [
            Refusal.ofKeys, Refusal.ofTransactions, Refusal.ofLeases, Refusal.ofOperations, Refusal.ofAuthentication,
        ].joined())
    func refusal(_ refusal: Refusal) async throws {
        try await EtcdGRPCFixture.open { fixture in
            await expectRefusal(refusal.code, refusal.message) { try await refusal.call(fixture) }
        }
    }
}
#endif
