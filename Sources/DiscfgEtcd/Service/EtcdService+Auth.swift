/// etcd's authentication, which discfg does not have yet.
///
/// It answers as an etcd without authentication enabled, and refuses to create users and roles.
extension EtcdService {
    /// Whether authentication is enabled: never.
    package func authStatus() async throws(EtcdError) -> AuthStatusResponse {
        try await answer { AuthStatusResponse(header: try await currentHeader(), enabled: false) }
    }

    /// Refuses, as etcd does if there is no user root.
    package func authEnable() throws(EtcdError) -> Never { throw .rootUserNotExist }

    /// Leaves authentication disabled.
    package func authDisable() async throws(EtcdError) -> ResponseHeader {
        try await answer { try await currentHeader() }
    }

    /// Refuses: authentication is not enabled.
    package func authenticate() throws(EtcdError) -> Never { throw .authNotEnabled }

    /// Refuses to create a user.
    package func userAdd(name: String) throws(EtcdError) -> Never {
        if name.isEmpty { throw .userEmpty }
        throw .unsupported("There is no authentication yet, and so no users.")
    }

    /// All users: none.
    package func userList() async throws(EtcdError) -> ResponseHeader {
        try await answer { try await currentHeader() }
    }

    /// Refuses all requests about a user, because there is none.
    package func userMissing() throws(EtcdError) -> Never { throw .userNotFound }

    /// Refuses to create a role.
    package func roleAdd(name: String) throws(EtcdError) -> Never {
        if name.isEmpty { throw .roleEmpty }
        throw .unsupported("There is no authentication yet, and so no roles.")
    }

    /// All roles: none.
    package func roleList() async throws(EtcdError) -> ResponseHeader {
        try await answer { try await currentHeader() }
    }

    /// Refuses all requests about a role, because there is none.
    package func roleMissing() throws(EtcdError) -> Never { throw .roleNotFound }
}
