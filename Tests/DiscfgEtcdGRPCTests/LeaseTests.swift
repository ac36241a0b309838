#if EtcdGRPC
import GRPCCore
import SwiftProtobuf
import Testing

@testable import DiscfgEtcdGRPC

@Suite("The Lease service over gRPC")
struct LeaseTests {
    @Test("A lease is granted, described, listed and revoked, with what is attached to it")
    func life() async throws {
        try await EtcdGRPCFixture.open { fixture in
            let granted = try await fixture.lease.leaseGrant(.with { ($0.ttl, $0.id) = (60, 7) })
            #expect((granted.id, granted.ttl) == (7, 60))
            #expect(granted.header.revision == 1)
            #expect(try await fixture.lease.leaseGrant(.with { $0.ttl = 1 }).ttl == 2)
            try await fixture.put("a", "1", lease: 7)
            try await fixture.put("b", "1", lease: 7)
            let described = try await fixture.lease.leaseTimeToLive(.with { ($0.id, $0.keys) = (7, true) })
            #expect(described.grantedTtl == 60)
            #expect((1...60).contains(described.ttl))
            #expect(described.keys == [bytes("a"), bytes("b")])
            #expect(try await fixture.lease.leaseTimeToLive(.with { $0.id = 7 }).keys.isEmpty)
            #expect(try await fixture.lease.leaseLeases(.init()).leases.map(\.id).contains(7))
            let revoked = try await fixture.lease.leaseRevoke(.with { $0.id = 7 })
            #expect(revoked.header.revision == 4)
            #expect(try await fixture.get("a") == nil)
            #expect(try await fixture.lease.leaseTimeToLive(.with { $0.id = 7 }).ttl == -1)
        }
    }

    @Test("One stream keeps many leases alive, and says of which there is none")
    func keepAlive() async throws {
        try await EtcdGRPCFixture.open { fixture in
            for id in 1...20 { _ = try await fixture.grant(Int64(id)) }
            try await fixture.keepingAlive { talk in
                for id in 1...21 { talk.ask(.with { $0.id = Int64(id) }) }
                for id in 1...20 {
                    let answer = try await talk.next()
                    #expect((answer.id, answer.ttl) == (Int64(id), 60))
                }
                let missing = try await talk.next()
                #expect((missing.id, missing.ttl) == (21, 0))
                talk.finish()
                try await talk.expectEnd()
            }
        }
    }
}
#endif
