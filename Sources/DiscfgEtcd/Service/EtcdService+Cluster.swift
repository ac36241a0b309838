extension EtcdService {
    /// The servers of the cluster: this one.
    ///
    /// The header has no revision, as etcd's has none here. Where `clientURLs` are given, they are told instead of those of the identity: the ones that the caller has reached.
    package func memberList(clientURLs: [String]? = nil) -> MemberListResponse {
        let urls = clientURLs ?? identity.clientURLs
        // There are no peers; clients expect at least one URL.
        let member = Member(id: identity.memberID, name: identity.name, peerURLs: urls, clientURLs: urls)
        return MemberListResponse(header: header(0), members: [member])
    }

    /// Refuses: servers of one store need not know of each other.
    package func memberAdd() throws(EtcdError) -> Never {
        throw .unsupported("Members are not added. Start another server on the same store.")
    }

    /// Refuses, as etcd does for a member that there is not.
    package func memberRemove(_ id: UInt64) throws(EtcdError) -> Never {
        guard id == identity.memberID else { throw .memberNotFound }
        throw .unsupported("Members are not removed. Stop the server.")
    }

    /// Refuses, as etcd does for a member that there is not.
    package func memberUpdate(_ id: UInt64) throws(EtcdError) -> Never {
        guard id == identity.memberID else { throw .memberNotFound }
        throw .unsupported("Members have no peers whose URLs could be changed.")
    }

    /// Refuses, as etcd does for a member that there is not.
    package func memberPromote(_ id: UInt64) throws(EtcdError) -> Never {
        guard id == identity.memberID else { throw .memberNotFound }
        throw .unsupported("No member is a learner.")
    }
}
