import DiscfgCore
import DiscfgEtcd
import Testing

@Suite("Callers of etcd's v2 API") struct DirectoryCallerTests {
    @Test("The caller is the author of what it writes to directories, whatever the write names")
    func author() async throws {
        let store = EtcdFixture().store
        let caller = store.service(as: Caller("alice", provenBy: .gateway))
        let write = DirectoryWrite(.create(.directory), at: try DirectoryPath("/d".utf8), author: "mallory")
        _ = try await caller.carryOut(write, in: .default)
        #expect(try await store.changes(ChangesQuery(after: 1), in: .default).commits.map(\.author) == ["alice"])
    }
}
