import DiscfgEtcd
import Testing

@Suite("etcd authentication")
struct AuthTests {
    @Test("Authentication is disabled, and there are no users and no roles")
    func disabled() async throws {
        let fixture = EtcdFixture()
        try await fixture.put("a")
        let status = try await fixture.etcd.authStatus()
        #expect(!status.enabled && status.header.revision == 2)
        let etcd = fixture.etcd
        for header in [try await etcd.authDisable(), try await etcd.userList(), try await etcd.roleList()] {
            #expect(header == ResponseHeader(clusterID: 7, memberID: 8, revision: 2, raftTerm: 1))
        }
    }

    @Test("What would need users and roles is refused as an etcd refuses it that has none")
    func asEtcd() {
        let etcd = EtcdFixture().etcd
        #expect(throws: EtcdError.rootUserNotExist) { try etcd.authEnable() }
        #expect(throws: EtcdError.authNotEnabled) { try etcd.authenticate() }
        #expect(throws: EtcdError.userEmpty) { try etcd.userAdd(name: "") }
        #expect(throws: EtcdError.roleEmpty) { try etcd.roleAdd(name: "") }
        #expect(throws: EtcdError.userNotFound) { try etcd.userMissing() }
        #expect(throws: EtcdError.roleNotFound) { try etcd.roleMissing() }
    }

    @Test("Users and roles cannot be made, which is said by name")
    func refused() {
        let etcd = EtcdFixture().etcd
        for (call, what) in [(etcd.userAdd, "users"), (etcd.roleAdd, "roles")] {
            let error = #expect(throws: EtcdError.self) { try call("root") }
            #expect(error?.code == .unimplemented && error?.message.hasPrefix("discfg:") == true)
            #expect(error?.message.contains(what) == true)
        }
    }
}
