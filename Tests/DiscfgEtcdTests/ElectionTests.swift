import DiscfgCore
import DiscfgEtcd
import DiscfgTestSupport
import Testing

@Suite("etcd elections")
struct ElectionTests {
    @Test("The first who campaigns leads, with what was said then, and may say something else")
    func first() async throws {
        let fixture = EtcdFixture()
        try await fixture.grant(0xA)
        await #expect(throws: EtcdError.noLeader) { try await fixture.etcd.leader("e".bytes) }
        let leader = try await fixture.campaign("e", 0xA, "one")
        #expect(leader == LeaderKey(name: "e".bytes, key: "e/a".bytes, rev: 2, lease: 0xA))
        let header = try await fixture.etcd.proclaim(ProclaimRequest(leader: leader, value: "two".bytes))
        #expect(header.revision == 3)
        let shown = try await fixture.etcd.leader("e".bytes)
        let kv = KeyValue(
            key: "e/a".bytes, createRevision: 2, modRevision: 3, version: 2, value: "two".bytes, lease: 0xA)
        #expect(shown.kv == kv && shown.header.revision == 3)
    }

    @Test("Who campaigns again with the same lease leads on, and says what is new")
    func again() async throws {
        let fixture = EtcdFixture()
        try await fixture.grant(1)
        let leader = try await fixture.campaign("e", 1, "one")
        #expect(try await fixture.revision == 2)
        let same = try await fixture.campaign("e", 1, "one")
        #expect(same == leader)
        #expect(try await fixture.revision == 2)
        let news = try await fixture.campaign("e", 1, "two")
        #expect(news == leader)
        #expect(try await fixture.values("e/1") == ["e/1": "two"])
    }

    @Test("The next leads when the one before resigns, loses the lease, or its key is deleted", arguments: 0..<3)
    func succession(way: Int) async throws {
        let fixture = EtcdFixture()
        try await fixture.grant(1, ttl: 10)
        for lease: Int64 in [2, 3] { try await fixture.grant(lease) }
        let leader = try await fixture.campaign("e", 1, "one")
        let order = Record<String>()
        async let second = win(fixture, 2, order)
        try await fixture.waitForKeys(2, below: "e/")
        async let third = win(fixture, 3, order)
        try await fixture.waitForKeys(3, below: "e/")
        order.append("e/1 goes")
        switch way {
        case 0: _ = try await fixture.etcd.resign(leader: leader)
        case 1: try await fixture.advance(by: .seconds(10))
        default: try await fixture.delete("e/1")
        }
        let next = try await second
        let leading = try await fixture.etcd.leader("e".bytes)
        #expect(next.rev == 3 && leading.kv.key.text == "e/2")
        order.append("e/2 goes")
        _ = try await fixture.etcd.resign(leader: next)
        let last = try await third
        #expect(last.rev == 4 && order.all == ["e/1 goes", "e/2 leads", "e/2 goes", "e/3 leads"])
    }

    private func win(_ fixture: EtcdFixture, _ lease: Int64, _ order: Record<String>) async throws -> LeaderKey {
        let leader = try await fixture.campaign("e", lease, "\(lease)")
        order.append("\(leader.key.text) leads")
        return leader
    }

    @Test("Only the leader proclaims, and only the leader resigns")
    func impostors() async throws {
        let fixture = EtcdFixture()
        try await fixture.grant(1)
        let leader = try await fixture.campaign("e", 1, "one")
        func proclaim(_ change: (inout LeaderKey) -> Void) async throws {
            var other = leader
            change(&other)
            _ = try await fixture.etcd.proclaim(ProclaimRequest(leader: other, value: "false".bytes))
        }
        await #expect(throws: EtcdError.notLeader) { try await proclaim { $0.rev += 1 } }
        await #expect(throws: EtcdError.notLeader) { try await proclaim { $0.key = "e/2".bytes } }
        await #expect(throws: EtcdError.missingLeader) { try await fixture.etcd.proclaim(ProclaimRequest()) }
        await #expect(throws: EtcdError.missingLeader) { try await fixture.etcd.resign(leader: nil) }
        var other = leader
        other.rev += 1
        let refused = try await fixture.etcd.resign(leader: other)
        #expect(refused.revision == 2)
        #expect(try await fixture.values("e/1") == ["e/1": "one"])
        let resigned = try await fixture.etcd.resign(leader: leader)
        #expect(resigned.revision == 3)
        await #expect(throws: EtcdError.notLeader) { try await proclaim { _ in } }
        await #expect(throws: EtcdError.noLeader) { try await fixture.etcd.leader("e".bytes) }
    }

    @Test("Who gives up a campaign leaves the line")
    func cancelled() async throws {
        let fixture = EtcdFixture()
        for lease: Int64 in [1, 2] { try await fixture.grant(lease) }
        _ = try await fixture.campaign("e", 1, "one")
        let second = Task { try await fixture.campaign("e", 2, "two") }
        try await fixture.waitForKeys(2, below: "e/")
        second.cancel()
        let error = await #expect(throws: EtcdError.self) { try await second.value }
        #expect(error?.code == .canceled)
        #expect(try await fixture.keys(below: "e/") == ["e/1"])
    }

    @Test("Who observes is told who leads, what they say, and who comes next")
    func observe() async throws {
        let fixture = EtcdFixture()
        for lease: Int64 in [1, 2] { try await fixture.grant(lease) }
        let observer = ElectionObserver("e".bytes, fixture.etcd)
        async let waiting = observer.next()
        try await fixture.put("e", "no candidate")
        let leader = try await fixture.campaign("e", 1, "one")
        let elected = try await waiting
        #expect(elected?.kv.value.text == "one" && elected?.header.revision == 3)
        async let second = fixture.campaign("e", 2, "two")
        try await fixture.waitForKeys(2, below: "e/")
        for value in ["news", "more"] {
            _ = try await fixture.etcd.proclaim(ProclaimRequest(leader: leader, value: value.bytes))
        }
        let said = [try await observer.next(), try await observer.next()]
        #expect(said.map { $0?.kv.value.text } == ["news", "more"] && said.map { $0?.header.revision } == [5, 6])
        _ = try await fixture.etcd.resign(leader: leader)
        let next = try await observer.next()
        #expect(next?.kv.key.text == "e/2" && next?.kv.value.text == "two")
        let successor = try await second
        #expect(successor.key == next?.kv.key)
        // Who comes later is told the same at once.
        let late = try await ElectionObserver("e".bytes, fixture.etcd).next()
        #expect(late?.kv == next?.kv)
    }

    @Test("Observing ends where the log that was to be followed is gone, and begins anew with who leads now")
    func compacted() async throws {
        let fixture = EtcdFixture()
        try await fixture.grant(1)
        let leader = try await fixture.campaign("e", 1, "one")
        // Of a process that remembers nothing of the log.
        let observer = ElectionObserver("e".bytes, fixture.another().etcd)
        let elected = try await observer.next()
        #expect(elected?.kv.value.text == "one")
        for value in ["two", "three"] {
            _ = try await fixture.etcd.proclaim(ProclaimRequest(leader: leader, value: value.bytes))
        }
        try await fixture.compact(4)
        let end = try await observer.next()
        #expect(end == nil)
        let now = try await ElectionObserver("e".bytes, fixture.another().etcd).next()
        #expect(now?.kv.value.text == "three")
    }
}
