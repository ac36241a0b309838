import DiscfgCore
import DiscfgEtcd
import DiscfgTestSupport
import Testing

@Suite("etcd locks")
struct LockTests {
    @Test("A lock is a key of its lease, and who has it has it again")
    func key() async throws {
        let fixture = EtcdFixture()
        try await fixture.grant(0x1F)
        let first = try await fixture.lock("l", 0x1F)
        #expect(first.key.text == "l/1f" && first.header.revision == 2)
        let kv = try #require(try await fixture.etcd.range(RangeRequest("l/1f")).kvs.first)
        #expect(kv.lease == 0x1F && kv.value.isEmpty)
        let again = try await fixture.lock("l", 0x1F)
        #expect(again.key == first.key && again.header.revision == 2)
        try await fixture.grant(2)
        let other = try await fixture.lock("l2", 2)
        #expect(other.key.text == "l2/2")
    }

    @Test("A lock without a lease gets one of a minute")
    func session() async throws {
        let fixture = EtcdFixture()
        let lock = try await fixture.lock("l", 0)
        let lease = try #require(try await fixture.etcd.leaseLeases().leases.first)
        #expect(lock.key.text == "l/" + String(lease, radix: 16))
        let described = try await fixture.etcd.leaseTimeToLive(LeaseTimeToLiveRequest(id: lease, keys: true))
        #expect(described.grantedTTL == 60 && described.keys == [lock.key])
    }

    @Test("A lock that is refused, or not waited for, leaves no lease of its own")
    func refused() async throws {
        let fixture = EtcdFixture()
        try await fixture.grant(1)
        let error = await #expect(throws: EtcdError.self) {
            try await fixture.lock(String(repeating: "n", count: 2000), 0)
        }
        #expect(error != nil)
        #expect(try await fixture.etcd.leaseLeases().leases == [1])
        _ = try await fixture.lock("l", 1)
        let second = Task { try await fixture.lock("l", 0) }
        try await fixture.waitForKeys(2, below: "l/")
        #expect(try await fixture.etcd.leaseLeases().leases.count == 2)
        second.cancel()
        _ = await second.result
        #expect(try await fixture.etcd.leaseLeases().leases == [1])
        let keys = try await fixture.keys(below: "l/")
        #expect(keys == ["l/1"])
    }

    @Test("Those who wait get the lock one after the other, in the order in which they came")
    func order() async throws {
        let fixture = EtcdFixture()
        // Neither the order of the ids, nor of the keys.
        let leases: [Int64] = [0x30, 0x10, 0x50, 0x20, 0x40]
        let owners = Record<Int64>()
        try await fixture.grant(1)
        let first = try await fixture.lock("l", 1)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, lease) in leases.enumerated() {
                try await fixture.grant(lease)
                group.addTask {
                    let lock = try await fixture.lock("l", lease)
                    owners.append(lease)
                    // Whoever came before is gone, and whoever came later is not.
                    let keys = try await fixture.keys(below: "l/").count
                    #expect(keys == leases.count - index)
                    _ = try await fixture.etcd.unlock(lock.key)
                }
                try await fixture.waitForKeys(index + 2, below: "l/")
            }
            _ = try await fixture.etcd.unlock(first.key)
            try await group.waitForAll()
        }
        #expect(owners.all == leases)
    }

    @Test("Who waits is given the lock after it was unlocked")
    func unlock() async throws {
        let fixture = EtcdFixture()
        for lease: Int64 in [1, 2] { try await fixture.grant(lease) }
        let first = try await fixture.lock("l", 1)
        async let second = fixture.lock("l", 2)
        try await fixture.waitForKeys(2, below: "l/")
        // What happens beside is no reason to have it.
        for key in ["l", "l/2/x", "l0"] { try await fixture.put(key) }
        let unlocked = try await fixture.etcd.unlock(first.key)
        let lock = try await second
        #expect(lock.key.text == "l/2" && lock.header.revision >= unlocked.revision)
        let again = try await fixture.etcd.unlock(first.key)
        #expect(again.revision == unlocked.revision)
    }

    @Test("A lock whose lease ends is the next one's")
    func expiry() async throws {
        let fixture = EtcdFixture()
        try await fixture.grant(1, ttl: 10)
        try await fixture.grant(2, ttl: 60)
        _ = try await fixture.lock("l", 1)
        async let second = fixture.lock("l", 2)
        try await fixture.waitForKeys(2, below: "l/")
        try await fixture.advance(by: .seconds(10))
        let lock = try await second
        let keys = try await fixture.keys(below: "l/")
        #expect(lock.key.text == "l/2" && lock.header.revision >= 4 && keys == ["l/2"])
    }

    @Test("Who waits and loses the lease meanwhile does not get the lock")
    func lostSession() async throws {
        let fixture = EtcdFixture()
        for lease: Int64 in [1, 2] { try await fixture.grant(lease) }
        let first = try await fixture.lock("l", 1)
        let second = Task { try await fixture.lock("l", 2) }
        try await fixture.waitForKeys(2, below: "l/")
        _ = try await fixture.etcd.leaseRevoke(2)
        _ = try await fixture.etcd.unlock(first.key)
        let error = await #expect(throws: EtcdError.self) { try await second.value }
        #expect(error == EtcdError(.unknown, "mutex: session is expired"))
    }

    @Test("Who gives up leaves the line, and the next is not held up")
    func cancelled() async throws {
        let fixture = EtcdFixture()
        for lease: Int64 in [1, 2, 3] { try await fixture.grant(lease) }
        let first = try await fixture.lock("l", 1)
        let second = Task { try await fixture.lock("l", 2) }
        try await fixture.waitForKeys(2, below: "l/")
        async let third = fixture.lock("l", 3)
        try await fixture.waitForKeys(3, below: "l/")
        second.cancel()
        let error = await #expect(throws: EtcdError.self) { try await second.value }
        #expect(error?.code == .canceled)
        let keys = try await fixture.keys(below: "l/")
        #expect(keys == ["l/1", "l/3"])
        _ = try await fixture.etcd.unlock(first.key)
        let lock = try await third
        #expect(lock.key.text == "l/3")
    }

    @Test("Clients on two servers of one store exclude each other")
    func twoServers() async throws {
        let fixture = EtcdFixture()
        let servers = [fixture, fixture.another()]
        let owners = Record<Int>()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for client in 0..<8 {
                group.addTask {
                    let server = servers[client % 2]
                    let lock = try await server.lock("l", try await server.grant())
                    owners.append(client)
                    for _ in 0..<20 { await Task.yield() }
                    owners.append(client)
                    _ = try await server.etcd.unlock(lock.key)
                }
            }
            try await group.waitForAll()
        }
        let all = owners.all
        #expect(all.count == 16)
        for turn in stride(from: 0, to: all.count - 1, by: 2) { #expect(all[turn] == all[turn + 1]) }
    }

    @Test("What a lock is refused with is said in etcd's words, but without their code, as etcd's lock server does")
    func refusals() async throws {
        let fixture = EtcdFixture()
        await #expect(throws: EtcdError(.unknown, "etcdserver: requested lease not found")) {
            try await fixture.lock("l", 77)
        }
        await #expect(throws: EtcdError(.unknown, "etcdserver: key is not provided")) {
            try await fixture.etcd.unlock([])
        }
        #expect(try await fixture.revision == 1)
    }
}
