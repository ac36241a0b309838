import DiscfgCore
import DiscfgEtcd
import DiscfgTestSupport
import Testing

@Suite("etcd leases")
struct LeaseTests {
    @Test("A lease is granted with the id that was asked for, or with one of its own, once")
    func grant() async throws {
        let fixture = EtcdFixture()
        try await fixture.put("a")
        let granted = try await fixture.etcd.leaseGrant(LeaseGrantRequest(ttl: 60, id: 7))
        #expect(granted.id == 7 && granted.ttl == 60 && granted.header.revision == 2)
        await #expect(throws: EtcdError.leaseExists) { try await fixture.grant(7) }
        let own = [try await fixture.grant(), try await fixture.grant()]
        #expect(own[0] > 0 && own[1] > 0 && own[0] != own[1])
        let negative = await #expect(throws: EtcdError.self) { try await fixture.grant(-1) }
        #expect(negative?.code == .invalidArgument && negative?.message.hasPrefix("discfg:") == true)
        let leases = try await fixture.etcd.leaseLeases()
        #expect(leases.leases == ([7] + own).sorted() && leases.header.revision == 2)
    }

    @Test(
        "A time to live that is too short is the shortest there is, one that is too long is refused",
        arguments: [(-1, 2), (0, 2), (1, 2), (2, 2), (3, 3), (9_000_000_000, 9_000_000_000)] as [(Int64, Int64)])
    func timeToLive(asked: Int64, given: Int64) async throws {
        let fixture = EtcdFixture()
        let granted = try await fixture.etcd.leaseGrant(LeaseGrantRequest(ttl: asked, id: 7))
        #expect(granted.ttl == given)
        let described = try await fixture.etcd.leaseTimeToLive(LeaseTimeToLiveRequest(id: 7))
        #expect(described.ttl == given && described.grantedTTL == given)
        await #expect(throws: EtcdError.leaseTTLTooLarge) { try await fixture.grant(8, ttl: 9_000_000_001) }
    }

    @Test("A lease tells how long it lives, and its keys where they are asked for")
    func describe() async throws {
        let fixture = EtcdFixture()
        try await fixture.grant(7, ttl: 10)
        for key in ["b", "a"] { try await fixture.put(key, lease: 7) }
        fixture.clock.advance(by: .milliseconds(3500))
        let bare = try await fixture.etcd.leaseTimeToLive(LeaseTimeToLiveRequest(id: 7))
        #expect(bare.id == 7 && bare.ttl == 6 && bare.grantedTTL == 10 && bare.keys.isEmpty)
        #expect(bare.header.revision == 3)
        let whole = try await fixture.etcd.leaseTimeToLive(LeaseTimeToLiveRequest(id: 7, keys: true))
        #expect(whole.keys.map(\.text) == ["a", "b"] && whole.ttl == 6)
        let missing = try await fixture.etcd.leaseTimeToLive(LeaseTimeToLiveRequest(id: 8, keys: true))
        #expect(missing.id == 8 && missing.ttl == -1 && missing.grantedTTL == 0 && missing.keys.isEmpty)
        #expect(missing.header.revision == 3)
    }

    @Test("A lease that is kept alive lives its time from then on; that there is none is a time of 0")
    func keepAlive() async throws {
        let fixture = EtcdFixture()
        try await fixture.grant(7, ttl: 10)
        try await fixture.put("a", lease: 7)
        for _ in 0..<3 {
            try await fixture.advance(by: .seconds(9))
            let renewed = try await fixture.etcd.leaseKeepAlive(7)
            #expect(renewed.id == 7 && renewed.ttl == 10 && renewed.header.revision == 2)
        }
        let left = try await fixture.etcd.leaseTimeToLive(LeaseTimeToLiveRequest(id: 7))
        #expect(left.ttl == 10)
        let missing = try await fixture.etcd.leaseKeepAlive(8)
        #expect(missing.id == 8 && missing.ttl == 0 && missing.header.revision == 2)
        try await fixture.advance(by: .seconds(10))
        let late = try await fixture.etcd.leaseKeepAlive(7)
        #expect(late.ttl == 0 && late.header.revision == 3)
    }

    @Test("A lease that is revoked takes its keys with it at one revision, and is gone")
    func revoke() async throws {
        let fixture = EtcdFixture()
        try await fixture.grant(7)
        for key in ["a", "b", "c"] { try await fixture.put(key, "1", lease: key == "c" ? 0 : 7) }
        try await fixture.watching { reader in
            try await reader.create("a", to: "z") { $0.prevKv = true }
            let header = try await fixture.etcd.leaseRevoke(7)
            #expect(header.revision == 5)
            let answer = try await reader.next()
            #expect(answer.text == "0: delete a, delete b @5" && answer.events.map(\.prevKv?.lease) == [7, 7])
        }
        #expect(try await fixture.keys(below: "") == ["c"])
        await #expect(throws: EtcdError.leaseNotFound) { try await fixture.etcd.leaseRevoke(7) }
        await #expect(throws: EtcdError.leaseNotFound) { try await fixture.put("a", lease: 7) }
        try await fixture.grant(8)
        let empty = try await fixture.etcd.leaseRevoke(8)
        #expect(empty.revision == 5)
        #expect(try await fixture.etcd.leaseLeases().leases == [])
    }

    @Test("A lease that nobody keeps alive ends when its time is over, with its keys, at one revision")
    func expiry() async throws {
        let fixture = EtcdFixture()
        try await fixture.grant(7, ttl: 10)
        for key in ["a", "b"] { try await fixture.put(key, "1", lease: 7) }
        try await fixture.watching { reader in
            try await reader.create("a", to: "z")
            try await fixture.advance(by: .milliseconds(9999))
            #expect(try await fixture.keys(below: "") == ["a", "b"])
            try await fixture.advance(by: .milliseconds(1))
            let events = try await reader.text()
            #expect(events == "0: delete a, delete b @4")
        }
        #expect(try await fixture.keys(below: "") == [])
        #expect(try await fixture.values("a", to: "z", at: 3) == ["a": "1", "b": "1"])
        #expect(try await fixture.etcd.leaseTimeToLive(LeaseTimeToLiveRequest(id: 7)).ttl == -1)
        await #expect(throws: EtcdError.leaseNotFound) { try await fixture.put("a", lease: 7) }
        let again = try await fixture.grant(7)
        #expect(again == 7)
    }

    @Test("A key belongs to the lease that it was last set with, or to none")
    func detaching() async throws {
        let fixture = EtcdFixture()
        for id: Int64 in [7, 8] { try await fixture.grant(id) }
        for key in ["free", "kept", "moved"] { try await fixture.put(key, lease: 7) }
        try await fixture.put("free")
        try await fixture.put("moved", lease: 8)
        _ = try await fixture.etcd.put(PutRequest("kept") { $0.ignoreLease = true })
        let leases = try await fixture.etcd.range(RangeRequest("a", to: "z")).kvs.map(\.lease)
        #expect(leases == [0, 7, 8])
        let described = try await fixture.etcd.leaseTimeToLive(LeaseTimeToLiveRequest(id: 7, keys: true))
        #expect(described.keys.map(\.text) == ["kept"])
        _ = try await fixture.etcd.leaseRevoke(7)
        #expect(try await fixture.keys(below: "") == ["free", "moved"])
        _ = try await fixture.etcd.leaseRevoke(8)
        #expect(try await fixture.keys(below: "") == ["free"])
    }

    @Test("Leases are the store's, and not of the process that has granted them")
    func anotherProcess() async throws {
        let fixture = EtcdFixture()
        try await fixture.grant(7, ttl: 10)
        try await fixture.put("a", lease: 7)
        let other = fixture.another()
        #expect(try await other.etcd.leaseLeases().leases == [7])
        try await other.advance(by: .seconds(9))
        let renewed = try await other.etcd.leaseKeepAlive(7)
        #expect(renewed.ttl == 10)
        try await fixture.advance(by: .seconds(9))
        #expect(try await other.keys(below: "") == ["a"])
        await #expect(throws: EtcdError.leaseExists) { try await other.grant(7) }
        try await other.advance(by: .seconds(1))
        #expect(try await fixture.keys(below: "") == [])
    }

    @Test("Each config has leases of its own")
    func configs() async throws {
        let fixture = EtcdFixture()
        try await fixture.grant(7)
        let team = fixture.etcd.of(try ConfigName("team"))
        let missing = await #expect(throws: EtcdError.self) { try await team.leaseGrant(LeaseGrantRequest(ttl: 60)) }
        #expect(missing?.code == .notFound)
        _ = try await fixture.store.createConfig(team.config, settings: .init(), author: "")
        let renewed = try await team.leaseKeepAlive(7)
        #expect(renewed.ttl == 0)
        let granted = try await team.leaseGrant(LeaseGrantRequest(ttl: 60, id: 7))
        #expect(granted.id == 7)
        _ = try await team.leaseRevoke(7)
        #expect(try await fixture.etcd.leaseLeases().leases == [7])
    }
}
