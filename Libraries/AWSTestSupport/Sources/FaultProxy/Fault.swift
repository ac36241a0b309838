extension FaultProxy {
    /// What can happen to a request on its way to AWS and back.
    public enum Fault: String, Sendable, Hashable, CaseIterable {
        /// It takes effect, but the connection is closed without an answer.
        case lostReply
        /// The connection is closed before anything is forwarded.
        case lostRequest
        /// Half of the answer comes, then the connection is closed; the request took effect.
        case cut
        /// The answer comes after the proxy's `delay`; the request took effect before that.
        case slow
        /// No answer comes until the client gives up, or the proxy's `silence` ends; the request took effect.
        case silent
        /// The answer comes, with an `x-amz-crc32` that is not its own; the request took effect.
        case crcMismatch
        /// 400 `ThrottlingException` with reasons, as for a hot key of an on-demand table; for a transaction,
        /// `TransactionCanceledException` whose reasons all are `ThrottlingError`. Nothing is forwarded.
        case throttled
        /// 400 `ProvisionedThroughputExceededException` with reasons; for a transaction, `TransactionCanceledException` of
        /// which one reason is `ProvisionedThroughputExceeded`. Nothing is forwarded.
        case provisionedThroughputExceeded
        /// 400 `TransactionConflictException`; for a transaction, `TransactionCanceledException` of which one reason is
        /// `TransactionConflict`. Nothing is forwarded.
        case transactionConflict
        /// 500 `InternalServerError`; nothing is forwarded.
        case internalError
        /// 500 `InternalServerError`; the request took effect.
        case internalErrorAfterEffect
        /// 400 `ExpiredTokenException`; nothing is forwarded.
        case expiredToken
    }
}

extension FaultProxy.Fault {
    /// Whether the request reaches the server, and takes effect there.
    public var takesEffect: Bool {
        switch self {
        case .lostReply, .cut, .slow, .silent, .crcMismatch, .internalErrorAfterEffect: true
        case .lostRequest, .throttled, .provisionedThroughputExceeded, .transactionConflict, .internalError,
            .expiredToken:
            false
        }
    }

    /// Whether DynamoDB can do this to an operation: reads outside of transactions meet no conflict.
    func isPossible(for operation: String) -> Bool {
        guard self == .transactionConflict else { return true }
        return ["TransactWriteItems", "TransactGetItems", "PutItem", "UpdateItem", "DeleteItem"].contains(operation)
    }
}
