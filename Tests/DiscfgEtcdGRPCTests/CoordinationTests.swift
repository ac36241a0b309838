#if EtcdGRPC
import GRPCCore
import SwiftProtobuf
import Testing

@testable import DiscfgEtcdGRPC

@Suite("The Lock and Election services over gRPC")
struct CoordinationTests {
    @Test("A lock goes to the next when the lease of its owner ends, and then when it is unlocked")
    func lock() async throws {
        try await EtcdGRPCFixture.open { fixture in
            let leases = [try await fixture.grant(10), try await fixture.grant(11), try await fixture.grant(12)]
            let first = try await fixture.locks.lock(.with { ($0.name, $0.lease) = (bytes("l"), leases[0]) })
            #expect(text(first.key) == "l/a")
            async let second = fixture.locks.lock(.with { ($0.name, $0.lease) = (bytes("l"), leases[1]) })
            try await fixture.waitForKeys(2, below: "l/")
            async let third = fixture.locks.lock(.with { ($0.name, $0.lease) = (bytes("l"), leases[2]) })
            try await fixture.waitForKeys(3, below: "l/")
            _ = try await fixture.lease.leaseRevoke(.with { $0.id = leases[0] })
            #expect(text(try await second.key) == "l/b")
            try await fixture.waitForKeys(2, below: "l/")
            _ = try await fixture.locks.unlock(.with { $0.key = bytes("l/b") })
            #expect(text(try await third.key) == "l/c")
        }
    }

    @Test("A client that gives up waiting for a lock leaves the line")
    func givenUp() async throws {
        try await EtcdGRPCFixture.open { fixture in
            let (owner, waiting) = (try await fixture.grant(), try await fixture.grant())
            _ = try await fixture.locks.lock(.with { ($0.name, $0.lease) = (bytes("l"), owner) })
            let call = Task {
                try await fixture.locks.lock(.with { ($0.name, $0.lease) = (bytes("l"), waiting) })
            }
            try await fixture.waitForKeys(2, below: "l/")
            call.cancel()
            try await fixture.waitForKeys(1, below: "l/")
            await #expect(throws: RPCError.self) { try await call.value }
        }
    }

    @Test("A client whose time is up leaves the line")
    func timedOut() async throws {
        try await EtcdGRPCFixture.open { fixture in
            let (owner, waiting) = (try await fixture.grant(), try await fixture.grant())
            _ = try await fixture.locks.lock(.with { ($0.name, $0.lease) = (bytes("l"), owner) })
            var options = CallOptions.defaults
            options.timeout = .milliseconds(200)
            let error = await #expect(throws: RPCError.self) {
                _ = try await fixture.locks.lock(
                    .with { ($0.name, $0.lease) = (bytes("l"), waiting) }, options: options)
            }
            #expect(error != nil)
            try await fixture.waitForKeys(1, below: "l/")
        }
    }

    @Test("Observers are told who leads and what they say, until the next is elected")
    func election() async throws {
        try await EtcdGRPCFixture.open { fixture in
            let leases = [try await fixture.grant(10), try await fixture.grant(11)]
            let name = bytes("e")
            let won = try await fixture.election.campaign(
                .with { ($0.name, $0.lease, $0.value) = (name, leases[0], bytes("first")) })
            #expect((text(won.leader.name), text(won.leader.key), won.leader.lease) == ("e", "e/a", 10))
            #expect(won.leader.rev == 2)
            async let next = fixture.election.campaign(
                .with { ($0.name, $0.lease, $0.value) = (name, leases[1], bytes("second")) })
            try await fixture.waitForKeys(2, below: "e/")
            try await fixture.election.observe(.with { $0.name = name }) { response in
                var answers = response.messages.makeAsyncIterator()
                #expect(try await answers.next()?.kv.valueText == "first")
                _ = try await fixture.election.proclaim(.with { ($0.leader, $0.value) = (won.leader, bytes("news")) })
                #expect(try await answers.next()?.kv.valueText == "news")
                #expect(try await fixture.election.leader(.with { $0.name = name }).kv.valueText == "news")
                _ = try await fixture.election.resign(.with { $0.leader = won.leader })
                #expect(try await answers.next()?.kv.keyText == "e/b")
            }
            #expect(text(try await next.leader.key) == "e/b")
            await expectRefusal(.unknown, "election: not leader") {
                _ = try await fixture.election.proclaim(.with { ($0.leader, $0.value) = (won.leader, bytes("late")) })
            }
        }
    }
}
#endif
