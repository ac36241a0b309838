import DiscfgCore
import DiscfgEtcd
import Logging
import Testing

@Suite("etcd maintenance")
struct MaintenanceTests {
    @Test("The status tells the version, the size, who leads, and the revision as Raft's index")
    func status() async throws {
        let fixture = EtcdFixture { ($0.version, $0.storeSize) = ("3.4.99", { 4096 }) }
        try await fixture.put("a")
        let status = try await fixture.etcd.status()
        #expect(status.version == "3.4.99" && status.dbSize == 4096 && status.dbSizeInUse == 4096)
        #expect(status.leader == 8 && status.raftTerm == 1 && status.raftIndex == 2 && status.raftAppliedIndex == 2)
        #expect(status.header == ResponseHeader(clusterID: 7, memberID: 8, revision: 2, raftTerm: 1))
        #expect(try await EtcdFixture().etcd.status().version == "3.4.23")
    }

    @Test("The hash is of the keys at a revision: the same on every server, and another when anything is")
    func hash() async throws {
        let fixture = EtcdFixture()
        var hashes = [try await fixture.etcd.hash().hash]
        func changed(_ change: () async throws -> Void) async throws {
            try await change()
            hashes.append(try await fixture.etcd.hash().hash)
        }
        try await changed { try await fixture.put("a", "1") }
        try await changed { try await fixture.put("b", "1") }
        // The same value, but another version and revision.
        try await changed { try await fixture.put("b", "1") }
        try await fixture.grant(7)
        try await changed { try await fixture.put("b", "1", lease: 7) }
        try await changed { try await fixture.delete("b") }
        // Without "b" it is as it was before "b".
        #expect(hashes.last == hashes[1] && Set(hashes).count == 5)
        let other = fixture.another().etcd
        for (index, hash) in hashes.enumerated() {
            let response = try await other.hash(revision: Int64(index) + 1)
            #expect(response.hash == hash && response.header.revision == 6 && response.compactRevision == 0)
        }
        #expect(try await other.hash().hash == hashes.last)
    }

    @Test("No hash is given of what was compacted, or is to come")
    func hashRevisions() async throws {
        let fixture = EtcdFixture()
        for value in 1...4 { try await fixture.put("a", "\(value)") }
        let before = try await fixture.etcd.hash(revision: 4).hash
        try await fixture.compact(3)
        let after = try await fixture.etcd.hash(revision: 4)
        #expect(after.hash == before && after.compactRevision == 3)
        for revision: Int64 in [1, 2, 3] {
            await #expect(throws: EtcdError.compacted) { try await fixture.etcd.hash(revision: revision) }
        }
        await #expect(throws: EtcdError.futureRevision) { try await fixture.etcd.hash(revision: 6) }
    }

    @Test("Two stores with the same keys and revisions have the same hash")
    func twoStores() async throws {
        var hashes: Set<UInt32> = []
        for _ in 0..<2 {
            let fixture = EtcdFixture()
            for key in ["b", "a"] { try await fixture.put(key, "1") }
            hashes.insert(try await fixture.etcd.hash().hash)
        }
        #expect(hashes.count == 1)
    }

    @Test("There are no alarms: asking for them and disarming them do nothing, raising one is refused")
    func alarms() async throws {
        let fixture = EtcdFixture()
        for action in AlarmRequest.Action.allCases {
            var request = AlarmRequest()
            (request.action, request.alarm) = (action, .noSpace)
            if action == .activate {
                let error = #expect(throws: EtcdError.self) { try fixture.etcd.alarm(request) }
                #expect(error?.code == .unimplemented && error?.message.hasPrefix("discfg:") == true)
            } else {
                try fixture.etcd.alarm(request)
            }
        }
        fixture.etcd.defragment()
        let revision = try await fixture.put("a")
        #expect(revision == 2)
    }

    @Test("The server is the one member, which stays and leads")
    func members() throws {
        let identity = EtcdIdentity(clusterID: 1, memberID: 2, name: "one", clientURLs: ["http://a:1"])
        let etcd = EtcdAPI(
            store: EtcdFixture().store, config: .default, identity: identity,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        ).acting(as: .anonymous)
        let list = etcd.memberList()
        #expect(list.header == ResponseHeader(clusterID: 1, memberID: 2, revision: 0, raftTerm: 1))
        let member = try #require(list.members.first)
        #expect(list.members.count == 1 && member.id == 2 && member.name == "one")
        #expect(member.clientURLs == ["http://a:1"] && member.peerURLs == ["http://a:1"])
        #expect(etcd.memberList(clientURLs: ["http://b:2"]).members.map(\.clientURLs) == [["http://b:2"]])
        try etcd.moveLeader(to: 2)
        #expect(throws: EtcdError.badLeaderTransferee) { try etcd.moveLeader(to: 3) }
        let calls = [etcd.memberRemove, etcd.memberUpdate, etcd.memberPromote]
        for call in calls {
            #expect(throws: EtcdError.memberNotFound) { try call(3) }
            let error = #expect(throws: EtcdError.self) { try call(2) }
            #expect(error?.code == .unimplemented)
        }
        for refusal in [etcd.memberAdd, etcd.downgrade] {
            let error = #expect(throws: EtcdError.self) { try refusal() }
            #expect(error?.code == .unimplemented && error?.message.hasPrefix("discfg:") == true)
        }
    }

    @Test("Servers of one store are one cluster to their clients, each a member of its own, and stay so")
    func identities() {
        let one = EtcdIdentity(store: "sqlite:/a.db", server: "host:1", name: "one")
        let two = EtcdIdentity(store: "sqlite:/a.db", server: "host:2", name: "two")
        // FNV-1a; clients remember them, so they must not change.
        #expect(one.clusterID == 6_868_387_224_094_637_751 && one.memberID == 3_891_797_478_205_555_168)
        #expect(one.clusterID == two.clusterID && one.memberID != two.memberID)
        #expect(EtcdIdentity(store: "sqlite:/b.db", server: "host:1", name: "one").clusterID != one.clusterID)
    }
}
