/// The identity of the server for etcd's clients.
package struct EtcdIdentity: Sendable, Hashable {
    package var clusterID: UInt64
    package var memberID: UInt64
    package var name: String
    /// The URLs at which clients reach the server.
    package var clientURLs: [String]

    package init(clusterID: UInt64, memberID: UInt64, name: String, clientURLs: [String] = []) {
        self.clusterID = clusterID
        self.memberID = memberID
        self.name = name
        self.clientURLs = clientURLs
    }

    /// An identity that stays the same for the same store and the same server.
    ///
    /// For clients, the servers of one store are one cluster, and each is a member of it. So `store` is the store's own
    /// description, which does not depend on how its URL is written.
    package init(store: String, server: String, name: String, clientURLs: [String] = []) {
        self.init(
            clusterID: Self.hash(store), memberID: Self.hash(store + "\n" + server), name: name, clientURLs: clientURLs)
    }

    /// FNV-1a of 64 bits: enough to distinguish servers, and never 0, which would be left out of answers.
    private static func hash(_ text: String) -> UInt64 {
        let hash = text.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        return hash == 0 ? 1 : hash
    }
}
