extension EtcdService {
    /// The servers of the cluster: this one.
    ///
    /// The header has no revision, as in etcd. If `clientURLs` are given, the answer has them instead of those of the
    /// identity: they are the URLs that the caller has used.
    package func memberList(clientURLs: [String]? = nil) -> MemberListResponse {
        let urls = clientURLs ?? identity.clientURLs
        // There are no peers; clients expect at least one URL.
        let member = Member(id: identity.memberID, name: identity.name, peerURLs: urls, clientURLs: urls)
        return MemberListResponse(header: header(0), members: [member])
    }

    /// Refuses: servers of one store are not registered with each other.
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
