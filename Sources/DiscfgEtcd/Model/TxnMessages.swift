/// A condition on a key, or on every key of a range.
package struct Compare: Sendable, Hashable {
    package enum Result: Int, Sendable, CaseIterable { case equal, greater, less, notEqual }
    package enum Target: Int, Sendable, CaseIterable { case version, create, mod, value, lease }

    /// The value with which the target is compared; an operand of another target counts as 0, or as no bytes.
    package enum Operand: Sendable, Hashable {
        case version(Int64)
        case createRevision(Int64)
        case modRevision(Int64)
        case value([UInt8])
        case lease(Int64)
    }

    package var result: Result = .equal
    package var target: Target = .version
    package var key: [UInt8] = []
    package var rangeEnd: [UInt8] = []
    package var operand: Operand?

    package init() {}

    package init(
        _ key: [UInt8], rangeEnd: [UInt8] = [], _ target: Target, _ result: Result, _ operand: Operand? = nil
    ) {
        self.key = key
        self.rangeEnd = rangeEnd
        self.target = target
        self.result = result
        self.operand = operand
    }
}

/// One operation of a transaction.
package enum RequestOp: Sendable, Hashable {
    case range(RangeRequest)
    case put(PutRequest)
    case deleteRange(DeleteRangeRequest)
    case txn(TxnRequest)
    /// No operation, or an unknown one.
    case none
}

package enum ResponseOp: Sendable, Hashable {
    case range(RangeResponse)
    case put(PutResponse)
    case deleteRange(DeleteRangeResponse)
    case txn(TxnResponse)
}

/// Several operations that take effect together, at one revision; `Txn` of etcd's `KV` service.
package struct TxnRequest: Sendable, Hashable {
    package var compare: [Compare]
    package var success: [RequestOp]
    package var failure: [RequestOp]

    package init(compare: [Compare] = [], success: [RequestOp] = [], failure: [RequestOp] = []) {
        self.compare = compare
        self.success = success
        self.failure = failure
    }
}

package struct TxnResponse: Sendable, Hashable {
    package var header = ResponseHeader()
    package var succeeded = false
    package var responses: [ResponseOp] = []

    package init() {}
}
