#if EtcdGRPC
import DiscfgEtcd
import GRPCCore

/// etcd's `Auth` service, as far as discfg has it.
struct AuthCalls: Etcdserverpb_Auth.ServiceProtocol {
    let calls: EtcdCalls

    func authEnable(
        request: ServerRequest<Etcdserverpb_AuthEnableRequest>, context: ServerContext
    ) async throws -> ServerResponse<Etcdserverpb_AuthEnableResponse> {
        try calls.refuse(request) { service, _ in try service.authEnable() }
    }

    func authDisable(
        request: ServerRequest<Etcdserverpb_AuthDisableRequest>, context: ServerContext
    ) async throws -> ServerResponse<Etcdserverpb_AuthDisableResponse> {
        try await calls.answer(request) { service, _ in
            Etcdserverpb_AuthDisableResponse(try await service.authDisable())
        }
    }

    func authStatus(
        request: ServerRequest<Etcdserverpb_AuthStatusRequest>, context: ServerContext
    ) async throws -> ServerResponse<Etcdserverpb_AuthStatusResponse> {
        try await calls.answer(request) { service, _ in
            Etcdserverpb_AuthStatusResponse(try await service.authStatus())
        }
    }

    func authenticate(
        request: ServerRequest<Etcdserverpb_AuthenticateRequest>, context: ServerContext
    ) async throws -> ServerResponse<Etcdserverpb_AuthenticateResponse> {
        try calls.refuse(request) { service, _ in try service.authenticate() }
    }
}

// Users.
extension AuthCalls {
    func userAdd(
        request: ServerRequest<Etcdserverpb_AuthUserAddRequest>, context: ServerContext
    ) async throws -> ServerResponse<Etcdserverpb_AuthUserAddResponse> {
        try calls.refuse(request) { service, message in try service.userAdd(name: message.name) }
    }

    func userList(
        request: ServerRequest<Etcdserverpb_AuthUserListRequest>, context: ServerContext
    ) async throws -> ServerResponse<Etcdserverpb_AuthUserListResponse> {
        try await calls.answer(request) { service, _ in
            Etcdserverpb_AuthUserListResponse(try await service.userList())
        }
    }

    func userGet(
        request: ServerRequest<Etcdserverpb_AuthUserGetRequest>, context: ServerContext
    ) async throws -> ServerResponse<Etcdserverpb_AuthUserGetResponse> {
        try calls.refuse(request) { service, _ in try service.userMissing() }
    }

    func userDelete(
        request: ServerRequest<Etcdserverpb_AuthUserDeleteRequest>, context: ServerContext
    ) async throws -> ServerResponse<Etcdserverpb_AuthUserDeleteResponse> {
        try calls.refuse(request) { service, _ in try service.userMissing() }
    }

    func userChangePassword(
        request: ServerRequest<Etcdserverpb_AuthUserChangePasswordRequest>, context: ServerContext
    ) async throws -> ServerResponse<Etcdserverpb_AuthUserChangePasswordResponse> {
        try calls.refuse(request) { service, _ in try service.userMissing() }
    }

    func userGrantRole(
        request: ServerRequest<Etcdserverpb_AuthUserGrantRoleRequest>, context: ServerContext
    ) async throws -> ServerResponse<Etcdserverpb_AuthUserGrantRoleResponse> {
        try calls.refuse(request) { service, _ in try service.userMissing() }
    }

    func userRevokeRole(
        request: ServerRequest<Etcdserverpb_AuthUserRevokeRoleRequest>, context: ServerContext
    ) async throws -> ServerResponse<Etcdserverpb_AuthUserRevokeRoleResponse> {
        try calls.refuse(request) { service, _ in try service.userMissing() }
    }
}

// Roles.
extension AuthCalls {
    func roleAdd(
        request: ServerRequest<Etcdserverpb_AuthRoleAddRequest>, context: ServerContext
    ) async throws -> ServerResponse<Etcdserverpb_AuthRoleAddResponse> {
        try calls.refuse(request) { service, message in try service.roleAdd(name: message.name) }
    }

    func roleList(
        request: ServerRequest<Etcdserverpb_AuthRoleListRequest>, context: ServerContext
    ) async throws -> ServerResponse<Etcdserverpb_AuthRoleListResponse> {
        try await calls.answer(request) { service, _ in
            Etcdserverpb_AuthRoleListResponse(try await service.roleList())
        }
    }

    func roleGet(
        request: ServerRequest<Etcdserverpb_AuthRoleGetRequest>, context: ServerContext
    ) async throws -> ServerResponse<Etcdserverpb_AuthRoleGetResponse> {
        try calls.refuse(request) { service, _ in try service.roleMissing() }
    }

    func roleDelete(
        request: ServerRequest<Etcdserverpb_AuthRoleDeleteRequest>, context: ServerContext
    ) async throws -> ServerResponse<Etcdserverpb_AuthRoleDeleteResponse> {
        try calls.refuse(request) { service, _ in try service.roleMissing() }
    }

    func roleGrantPermission(
        request: ServerRequest<Etcdserverpb_AuthRoleGrantPermissionRequest>, context: ServerContext
    ) async throws -> ServerResponse<Etcdserverpb_AuthRoleGrantPermissionResponse> {
        try calls.refuse(request) { service, _ in try service.roleMissing() }
    }

    func roleRevokePermission(
        request: ServerRequest<Etcdserverpb_AuthRoleRevokePermissionRequest>, context: ServerContext
    ) async throws -> ServerResponse<Etcdserverpb_AuthRoleRevokePermissionResponse> {
        try calls.refuse(request) { service, _ in try service.roleMissing() }
    }
}
#endif
