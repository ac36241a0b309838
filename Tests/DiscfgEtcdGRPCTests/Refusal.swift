#if EtcdGRPC
import DiscfgEtcd
import GRPCCore
import SwiftProtobuf
import Testing

@testable import DiscfgEtcdGRPC

/// A call that is refused, with etcd's code and words for it.
struct Refusal: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let code: RPCError.Code
    let message: String
    let call: @Sendable (EtcdGRPCFixture) async throws -> Void

    init(
        _ name: String, _ code: RPCError.Code, _ message: String,
        _ call: @escaping @Sendable (EtcdGRPCFixture) async throws -> Void
    ) {
        testDescription = name
        self.code = code
        self.message = message
        self.call = call
    }
}

extension Refusal {
    static let ofKeys: [Refusal] = [
        Refusal("range without a key", .invalidArgument, "etcdserver: key is not provided") {
            _ = try await $0.kv.range(.init())
        },
        Refusal("range of the future", .outOfRange, "etcdserver: mvcc: required revision is a future revision") {
            _ = try await $0.kv.range(.with { ($0.key, $0.revision) = (bytes("a"), 9) })
        },
        Refusal("an unknown order", .invalidArgument, unknown("sort_order", 9, below: 3)) {
            _ = try await $0.kv.range(.with { ($0.key, $0.sortOrder) = (bytes("a"), .UNRECOGNIZED(9)) })
        },
        Refusal("an unknown target", .invalidArgument, unknown("sort_target", -1, below: 5)) {
            _ = try await $0.kv.range(.with { ($0.key, $0.sortTarget) = (bytes("a"), .UNRECOGNIZED(-1)) })
        },
        Refusal("put without a key", .invalidArgument, "etcdserver: key is not provided") {
            _ = try await $0.kv.put(.init())
        },
        Refusal("put of a value that is to be kept", .invalidArgument, "etcdserver: value is provided") {
            _ = try await $0.kv.put(.with { ($0.key, $0.value, $0.ignoreValue) = (bytes("a"), bytes("1"), true) })
        },
        Refusal("put with a lease that is to be kept", .invalidArgument, "etcdserver: lease is provided") {
            _ = try await $0.kv.put(.with { ($0.key, $0.lease, $0.ignoreLease) = (bytes("a"), 7, true) })
        },
        Refusal("put that keeps what is not there", .invalidArgument, "etcdserver: key not found") {
            _ = try await $0.kv.put(.with { ($0.key, $0.ignoreValue) = (bytes("a"), true) })
        },
        Refusal("put with a lease that is not there", .notFound, "etcdserver: requested lease not found") {
            _ = try await $0.kv.put(.with { ($0.key, $0.lease) = (bytes("a"), 77) })
        },
        Refusal("delete without a key", .invalidArgument, "etcdserver: key is not provided") {
            _ = try await $0.kv.deleteRange(.init())
        },
        Refusal("compaction of the future", .outOfRange, "etcdserver: mvcc: required revision is a future revision") {
            _ = try await $0.kv.compact(.with { $0.revision = 9 })
        },
    ]

    static let ofTransactions: [Refusal] = [
        Refusal("a key that is put twice", .invalidArgument, "etcdserver: duplicate key given in txn request") {
            _ = try await $0.kv.txn(
                .with { $0.success = Array(repeating: .with { $0.requestPut.key = bytes("a") }, count: 2) })
        },
        Refusal("too many operations", .invalidArgument, "etcdserver: too many operations in txn request") {
            _ = try await $0.kv.txn(
                .with { $0.success = Array(repeating: .with { $0.requestRange.key = bytes("a") }, count: 129) })
        },
        Refusal("an operation that is none", .invalidArgument, "etcdserver: key not found") {
            _ = try await $0.kv.txn(.with { $0.success = [.init()] })
        },
        Refusal("a comparison without a key", .invalidArgument, "etcdserver: key is not provided") {
            _ = try await $0.kv.txn(.with { $0.compare = [.init()] })
        },
        Refusal("an unknown result of a comparison", .invalidArgument, unknown("result", 4, below: 4)) {
            _ = try await $0.kv.txn(.with { $0.compare = [.with { $0.result = .UNRECOGNIZED(4) }] })
        },
        Refusal("an unknown target of a comparison", .invalidArgument, unknown("target", 5, below: 5)) {
            _ = try await $0.kv.txn(.with { $0.compare = [.with { $0.target = .UNRECOGNIZED(5) }] })
        },
        Refusal("an unknown order inside", .invalidArgument, unknown("sort_order", 3, below: 3)) {
            _ = try await $0.kv.txn(
                .with { $0.failure = [.with { $0.requestTxn.success = [.with { $0.requestRange = misordered }] }] })
        },
    ]

    private static let misordered = Etcdserverpb_RangeRequest.with {
        ($0.key, $0.sortOrder) = (bytes("a"), .UNRECOGNIZED(3))
    }

    static let ofLeases: [Refusal] = [
        Refusal("a lease that lives too long", .outOfRange, "etcdserver: too large lease TTL") {
            _ = try await $0.lease.leaseGrant(.with { $0.ttl = 9_000_000_001 })
        },
        Refusal("a lease that exists", .failedPrecondition, "etcdserver: lease already exists") {
            _ = try await $0.lease.leaseGrant(.with { ($0.ttl, $0.id) = (60, 7) })
            _ = try await $0.lease.leaseGrant(.with { ($0.ttl, $0.id) = (60, 7) })
        },
        Refusal("revoking no lease", .notFound, "etcdserver: requested lease not found") {
            _ = try await $0.lease.leaseRevoke(.with { $0.id = 7 })
        },
        Refusal("a lock with no lease", .unknown, "etcdserver: requested lease not found") {
            _ = try await $0.locks.lock(.with { ($0.name, $0.lease) = (bytes("l"), 77) })
        },
        Refusal("the leader of nobody", .unknown, "election: no leader") {
            _ = try await $0.election.leader(.with { $0.name = bytes("e") })
        },
        Refusal("a resignation of nobody", .unknown, "\"leader\" field must be provided") {
            _ = try await $0.election.resign(.init())
        },
        Refusal("a proclamation of nobody", .unknown, "\"leader\" field must be provided") {
            _ = try await $0.election.proclaim(.init())
        },
    ]

    static func unknown(_ field: String, _ number: Int, below limit: Int) -> String {
        "discfg: \(field) is \(number), which means nothing. Send a number below \(limit)."
    }
}

extension Refusal {
    static let ofOperations: [Refusal] = [
        Refusal("a hash of the future", .outOfRange, "etcdserver: mvcc: required revision is a future revision") {
            _ = try await $0.maintenance.hashKV(.with { $0.revision = 9 })
        },
        Refusal("an unknown alarm", .invalidArgument, unknown("alarm", 3, below: 3)) {
            _ = try await $0.maintenance.alarm(.with { $0.alarm = .UNRECOGNIZED(3) })
        },
        Refusal("moving the lead to a stranger", .failedPrecondition, "etcdserver: bad leader transferee") {
            _ = try await $0.maintenance.moveLeader(.with { $0.targetID = 3 })
        },
        Refusal("another version", .unimplemented, "discfg: There is no other version to go back to.") {
            _ = try await $0.maintenance.downgrade(.init())
        },
        Refusal(
            "a further member", .unimplemented,
            "discfg: Members are not added. Start another server on the same store."
        ) { _ = try await $0.cluster.memberAdd(.init()) },
        Refusal("removing a stranger", .notFound, "etcdserver: member not found") {
            _ = try await $0.cluster.memberRemove(.with { $0.id = 3 })
        },
        Refusal("removing the member", .unimplemented, "discfg: Members are not removed. Stop the server.") {
            _ = try await $0.cluster.memberRemove(.with { $0.id = EtcdGRPCFixture.identity.memberID })
        },
        Refusal("updating a stranger", .notFound, "etcdserver: member not found") {
            _ = try await $0.cluster.memberUpdate(.with { $0.id = 3 })
        },
        Refusal("promoting a stranger", .notFound, "etcdserver: member not found") {
            _ = try await $0.cluster.memberPromote(.with { $0.id = 3 })
        },
    ]

    static let ofAuthentication: [Refusal] = [
        Refusal("enabling it", .failedPrecondition, "etcdserver: root user does not exist") {
            _ = try await $0.auth.authEnable(.init())
        },
        Refusal("logging in", .failedPrecondition, "etcdserver: authentication is not enabled") {
            _ = try await $0.auth.authenticate(.with { ($0.name, $0.password) = ("a", "b") })
        },
        Refusal("a user without a name", .invalidArgument, "etcdserver: user name is empty") {
            _ = try await $0.auth.userAdd(.init())
        },
        Refusal("a user that is not there", .failedPrecondition, "etcdserver: user name not found") {
            _ = try await $0.auth.userGet(.with { $0.name = "a" })
        },
        Refusal("removing no user", .failedPrecondition, "etcdserver: user name not found") {
            _ = try await $0.auth.userDelete(.with { $0.name = "a" })
        },
        Refusal("a role without a name", .invalidArgument, "etcdserver: role name is empty") {
            _ = try await $0.auth.roleAdd(.init())
        },
        Refusal("a role that is not there", .failedPrecondition, "etcdserver: role name not found") {
            _ = try await $0.auth.roleGet(.with { $0.role = "a" })
        },
        Refusal("removing no role", .failedPrecondition, "etcdserver: role name not found") {
            _ = try await $0.auth.roleDelete(.with { $0.role = "a" })
        },
    ]
}
#endif
