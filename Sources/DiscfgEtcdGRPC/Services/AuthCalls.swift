#if EtcdGRPC
import DiscfgEtcd
import GRPCServing
import SwiftProtobuf

// etcd's `Auth` service, as far as discfg has it.
extension EtcdCalls {
    /// Whether there is authentication, and the users.
    var users: Methods {
        refusal("etcdserverpb.Auth/AuthEnable", of: Etcdserverpb_AuthEnableRequest.self) { service, _ in
            try service.authEnable()
        }
            + unary("etcdserverpb.Auth/AuthDisable") { (service, _: Etcdserverpb_AuthDisableRequest) in
                Etcdserverpb_AuthDisableResponse(try await service.authDisable())
            }
            + unary("etcdserverpb.Auth/AuthStatus") { (service, _: Etcdserverpb_AuthStatusRequest) in
                Etcdserverpb_AuthStatusResponse(try await service.authStatus())
            }
            + refusal("etcdserverpb.Auth/Authenticate", of: Etcdserverpb_AuthenticateRequest.self) { service, _ in
                try service.authenticate()
            }
            + refusal("etcdserverpb.Auth/UserAdd", of: Etcdserverpb_AuthUserAddRequest.self) {
                try $0.userAdd(name: $1.name)
            }
            + unary("etcdserverpb.Auth/UserList") { (service, _: Etcdserverpb_AuthUserListRequest) in
                Etcdserverpb_AuthUserListResponse(try await service.userList())
            }
            + missingUser("UserGet", Etcdserverpb_AuthUserGetRequest.self)
            + missingUser("UserDelete", Etcdserverpb_AuthUserDeleteRequest.self)
            + missingUser("UserChangePassword", Etcdserverpb_AuthUserChangePasswordRequest.self)
            + missingUser("UserGrantRole", Etcdserverpb_AuthUserGrantRoleRequest.self)
            + missingUser("UserRevokeRole", Etcdserverpb_AuthUserRevokeRoleRequest.self)
    }

    /// The roles.
    var roles: Methods {
        refusal("etcdserverpb.Auth/RoleAdd", of: Etcdserverpb_AuthRoleAddRequest.self) {
            try $0.roleAdd(name: $1.name)
        }
            + unary("etcdserverpb.Auth/RoleList") { (service, _: Etcdserverpb_AuthRoleListRequest) in
                Etcdserverpb_AuthRoleListResponse(try await service.roleList())
            }
            + missingRole("RoleGet", Etcdserverpb_AuthRoleGetRequest.self)
            + missingRole("RoleDelete", Etcdserverpb_AuthRoleDeleteRequest.self)
            + missingRole("RoleGrantPermission", Etcdserverpb_AuthRoleGrantPermissionRequest.self)
            + missingRole("RoleRevokePermission", Etcdserverpb_AuthRoleRevokePermissionRequest.self)
    }

    private func missingUser<Input: Message>(_ method: String, _ input: Input.Type) -> Methods {
        refusal("etcdserverpb.Auth/\(method)", of: input) { service, _ in try service.userMissing() }
    }

    private func missingRole<Input: Message>(_ method: String, _ input: Input.Type) -> Methods {
        refusal("etcdserverpb.Auth/\(method)", of: input) { service, _ in try service.roleMissing() }
    }
}
#endif
