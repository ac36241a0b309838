/// etcd's authentication, which discfg does not have yet: it answers as an etcd on which nobody has enabled it, and refuses to
/// make users and roles.
extension EtcdService {
    /// Whether authentication is enabled: never.
    package func authStatus() async throws(EtcdError) -> AuthStatusResponse {
        try await answer { AuthStatusResponse(header: try await currentHeader(), enabled: false) }
    }

    /// Refuses, as etcd does as long as there is no user root.
    package func authEnable() throws(EtcdError) -> Never { throw .rootUserNotExist }

    /// Leaves authentication disabled.
    package func authDisable() async throws(EtcdError) -> ResponseHeader {
        try await answer { try await currentHeader() }
    }

    /// Refuses: there is nothing to authenticate for.
    package func authenticate() throws(EtcdError) -> Never { throw .authNotEnabled }

    /// Refuses to make a user.
    package func userAdd(name: String) throws(EtcdError) -> Never {
        if name.isEmpty { throw .userEmpty }
        throw .unsupported("There is no authentication yet, and so no users.")
    }

    /// Every user: none.
    package func userList() async throws(EtcdError) -> ResponseHeader {
        try await answer { try await currentHeader() }
    }

    /// Refuses whatever is asked of a user, as there is none.
    package func userMissing() throws(EtcdError) -> Never { throw .userNotFound }

    /// Refuses to make a role.
    package func roleAdd(name: String) throws(EtcdError) -> Never {
        if name.isEmpty { throw .roleEmpty }
        throw .unsupported("There is no authentication yet, and so no roles.")
    }

    /// Every role: none.
    package func roleList() async throws(EtcdError) -> ResponseHeader {
        try await answer { try await currentHeader() }
    }

    /// Refuses whatever is asked of a role, as there is none.
    package func roleMissing() throws(EtcdError) -> Never { throw .roleNotFound }
}
