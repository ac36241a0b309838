/// An error as etcd answers it: a gRPC status code, and etcd's own text if etcd has one for it.
///
/// Clients compare the texts, so they are exactly etcd's. A text that etcd does not have begins with `discfg: `.
/// Source: `etcdserver/api/v3rpc/rpctypes/error.go` of etcd 3.4.
package struct EtcdError: Error, Sendable, Hashable {
    /// A status code of gRPC.
    package enum Code: Int, Sendable {
        case canceled = 1
        case unknown = 2
        case invalidArgument = 3
        case deadlineExceeded = 4
        case notFound = 5
        case permissionDenied = 7
        case resourceExhausted = 8
        case failedPrecondition = 9
        case outOfRange = 11
        case unimplemented = 12
        case unavailable = 14
        case unauthenticated = 16
    }

    package var code: Code
    package var message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}

extension EtcdError: CustomStringConvertible {
    package var description: String { message }
}

extension EtcdError {
    package static let emptyKey = EtcdError(.invalidArgument, "etcdserver: key is not provided")
    package static let keyNotFound = EtcdError(.invalidArgument, "etcdserver: key not found")
    package static let valueProvided = EtcdError(.invalidArgument, "etcdserver: value is provided")
    package static let leaseProvided = EtcdError(.invalidArgument, "etcdserver: lease is provided")
    package static let tooManyOps = EtcdError(.invalidArgument, "etcdserver: too many operations in txn request")
    package static let duplicateKey = EtcdError(.invalidArgument, "etcdserver: duplicate key given in txn request")
    package static let requestTooLarge = EtcdError(.invalidArgument, "etcdserver: request is too large")
    package static let compacted = EtcdError(
        .outOfRange, "etcdserver: mvcc: required revision has been compacted")
    package static let futureRevision = EtcdError(
        .outOfRange, "etcdserver: mvcc: required revision is a future revision")
    package static let noSpace = EtcdError(.resourceExhausted, "etcdserver: mvcc: database space exceeded")
    package static let tooManyRequests = EtcdError(.resourceExhausted, "etcdserver: too many requests")
    /// Ends a stream for which there is not enough memory; `unavailable`, because clients create a watch again after it.
    package static let streamWithoutMemory = EtcdError(.unavailable, "etcdserver: too many requests")
    package static let timeout = EtcdError(.unavailable, "etcdserver: request timed out")
    package static let stopped = EtcdError(.unavailable, "etcdserver: server stopped")

    package static let leaseNotFound = EtcdError(.notFound, "etcdserver: requested lease not found")
    package static let leaseExists = EtcdError(.failedPrecondition, "etcdserver: lease already exists")
    package static let leaseTTLTooLarge = EtcdError(.outOfRange, "etcdserver: too large lease TTL")

    package static let memberNotFound = EtcdError(.notFound, "etcdserver: member not found")
    package static let badLeaderTransferee = EtcdError(.failedPrecondition, "etcdserver: bad leader transferee")

    package static let rootUserNotExist = EtcdError(.failedPrecondition, "etcdserver: root user does not exist")
    package static let userEmpty = EtcdError(.invalidArgument, "etcdserver: user name is empty")
    package static let userNotFound = EtcdError(.failedPrecondition, "etcdserver: user name not found")
    package static let roleEmpty = EtcdError(.invalidArgument, "etcdserver: role name is empty")
    package static let roleNotFound = EtcdError(.failedPrecondition, "etcdserver: role name not found")
    package static let authNotEnabled = EtcdError(.failedPrecondition, "etcdserver: authentication is not enabled")

    package static let noLeader = EtcdError(.unknown, "election: no leader")
    package static let notLeader = EtcdError(.unknown, "election: not leader")
    /// A client that waited for a lock has lost its lease.
    package static let sessionExpired = EtcdError(.unknown, "mutex: session is expired")
    package static let missingLeader = EtcdError(.unknown, "\"leader\" field must be provided")

    /// A function of etcd that discfg does not have.
    package static func unsupported(_ what: String) -> EtcdError { EtcdError(.unimplemented, "discfg: \(what)") }
}
