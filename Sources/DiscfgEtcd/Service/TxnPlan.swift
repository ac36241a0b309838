import DiscfgCore

/// A transaction of etcd as one of discfg's, and the conversion of its result into etcd's answer.
struct TxnPlan {
    /// One branch: its operations in discfg, and a step for each operation of the request.
    struct Branch {
        var operations: [Operation] = []
        var steps: [Step] = []
    }

    /// The result of one operation of the request.
    enum Step {
        /// A range at an earlier revision, which cannot change: it was read in advance.
        case past(RangeResponse)
        case range(RangeRequest)
        case put(PutRequest)
        case deletion(DeleteRangeRequest)
        case txn(TxnPlan)
        /// No operation, because such a key cannot exist.
        case emptyRange
        case emptyDeletion
    }

    var preconditions: [Precondition]
    var success: Branch
    var failure: Branch

    var transaction: Transaction {
        Transaction(if: preconditions, then: success.operations, else: failure.operations)
    }
}

extension EtcdService {
    /// Carries out several operations together, at one revision.
    package func txn(_ request: TxnRequest) async throws(EtcdError) -> TxnResponse {
        try await answer {
            try request.check()
            var room = ListQuery.maximumBytes
            let plan = try await plan(request, &room)
            let result = try await store.commit(plan.transaction, to: config)
            var revisions = TxnRevisions(result)
            var response = plan.response(result, &revisions)
            response.header = header(result.revision)
            return response
        }
    }

    /// The plan of a transaction; `room` is the number of bytes of earlier revisions that may still be read for it.
    private func plan(_ request: TxnRequest, _ room: inout Int) async throws -> TxnPlan {
        TxnPlan(
            preconditions: request.compare.compactMap(\.precondition),
            success: try await branch(request.success, &room), failure: try await branch(request.failure, &room))
    }

    private func branch(_ operations: [RequestOp], _ room: inout Int) async throws -> TxnPlan.Branch {
        var branch = TxnPlan.Branch()
        for operation in operations {
            let (step, operation) = try await step(operation, &room)
            branch.steps.append(step)
            if let operation { branch.operations.append(operation) }
        }
        return branch
    }

    private func step(_ operation: RequestOp, _ room: inout Int) async throws -> (TxnPlan.Step, Operation?) {
        switch operation {
        case .range(let request) where request.revision > 0: return try await past(request, &room)
        case .range(let request):
            if try await isCompacted(request.revision) { return (.past(RangeResponse()), .fail(.compacted)) }
            switch EtcdKeys(request.key, request.rangeEnd) {
            case .single(let key): return (.range(request), .get(key))
            case .range(let range): return (.range(request), .getAll(range))
            case .nothing: return (.emptyRange, nil)
            }
        case .put(let request): return (.put(request), try request.operation())
        case .deleteRange(let request):
            guard let operation = request.operation else { return (.emptyDeletion, nil) }
            return (.deletion(request), operation)
        case .txn(let request):
            let plan = try await plan(request, &room)
            return (.txn(plan), .transaction(plan.transaction))
        case .none: throw EtcdError.keyNotFound
        }
    }
}

extension EtcdService {
    /// Reads an earlier revision; if it cannot be read, the transaction fails only if it carries out this operation.
    private func past(_ request: RangeRequest, _ room: inout Int) async throws -> (TxnPlan.Step, Operation?) {
        do {
            let response = try await read(request)
            room -= response.kvs.reduce(0) { $0 + $1.key.count + $1.value.count }
            guard room >= 0 else {
                throw DiscfgError(
                    .tooLarge, "What the transaction reads of the past has more than \(ListQuery.maximumBytes) bytes.",
                    hint: "Read less at once, or outside of a transaction.")
            }
            return (.past(response), nil)
        } catch {
            switch EtcdError(answering: error) {
            case .compacted: return (.past(RangeResponse()), .fail(.compacted))
            case .futureRevision: return (.past(RangeResponse()), .fail(.futureRevision))
            default: throw error
            }
        }
    }

    /// Whether a revision that is not positive is refused, as in etcd's transactions.
    ///
    /// A negative revision means the current one only as long as nothing was ever compacted.
    private func isCompacted(_ revision: Int64) async throws -> Bool {
        if revision == 0 { return false }
        if revision < -1 { return true }
        return try await store.tail(of: config).compacted > 0
    }
}

extension TxnPlan {
    /// etcd's answer; the header of a nested transaction is empty.
    fileprivate func response(_ result: TransactionResult, _ revisions: inout TxnRevisions) -> TxnResponse {
        let branch = result.failed == nil ? success : failure
        var response = TxnResponse()
        response.succeeded = result.failed == nil
        var outcomes = result.outcomes.makeIterator()
        for step in branch.steps {
            response.responses.append(step.response(&outcomes, &revisions))
        }
        return response
    }
}

extension TxnPlan.Step {
    fileprivate func response(
        _ outcomes: inout IndexingIterator<[TransactionResult.Outcome]>, _ revisions: inout TxnRevisions
    ) -> ResponseOp {
        switch self {
        case .past(var response):
            response.header = revisions.header
            return .range(response)
        case .emptyRange:
            var response = RangeResponse()
            response.header = revisions.header
            return .range(response)
        case .emptyDeletion:
            return .deleteRange(DeleteRangeResponse(DeleteRangeRequest(), nil, header: revisions.header))
        case .range(let request):
            return .range(RangeResponse(request, outcomes.next(), header: revisions.header))
        case .put(let request):
            revisions.hasWritten = true
            return .put(PutResponse(request, outcomes.next(), header: revisions.header))
        case .deletion(let request):
            let outcome = outcomes.next()
            if outcome?.previous.isEmpty == false { revisions.hasWritten = true }
            return .deleteRange(DeleteRangeResponse(request, outcome, header: revisions.header))
        case .txn(let plan):
            guard let nested = outcomes.next()?.nested else { return .txn(TxnResponse()) }
            return .txn(plan.response(nested, &revisions))
        }
    }
}

/// The revision that each operation sees: the one before the transaction, or the transaction's own after its first
/// write.
private struct TxnRevisions {
    private let before: Int64
    private let after: Int64
    var hasWritten = false

    init(_ result: TransactionResult) {
        after = result.revision
        before = result.changed ? result.revision - 1 : result.revision
    }

    /// The header of an operation's answer has only a revision.
    var header: ResponseHeader { ResponseHeader(revision: hasWritten ? after : before) }
}

extension RangeResponse {
    fileprivate init(_ request: RangeRequest, _ outcome: TransactionResult.Outcome?, header: ResponseHeader) {
        var items = outcome?.found ?? []
        if let item = outcome?.item { items.append(item) }
        items.removeAll { $0.isDirectory }
        self.header = header
        count = Int64(items.count)
        if !request.countOnly { (kvs, more) = request.selection(of: items, count: items.count) }
    }
}

extension Compare {
    /// The comparison as a condition; `nil` if it always holds.
    fileprivate var precondition: Precondition? {
        let test = Precondition.Test.compare(discfgOperand, discfgRelation)
        switch EtcdKeys(key, rangeEnd) {
        case .single(let key): return Precondition(key, test)
        case .range(let range): return Self.anyKey.map { Precondition($0, test, over: range) }
        case .nothing:
            // There is no such key, so it compares as an absent key.
            guard let key = Self.anyKey, !Precondition(key, test).holds(for: nil) else { return nil }
            return Precondition(key, .version(-1))
        }
    }

    /// A key for conditions on a range, or on no key.
    private static let anyKey = try? Key(bytes: [0])

    private var discfgOperand: Precondition.Operand {
        switch (target, operand) {
        case (.version, .version(let version)?): .version(version)
        case (.create, .createRevision(let revision)?): .created(revision)
        case (.mod, .modRevision(let revision)?): .modified(revision)
        case (.value, .value(let bytes)?): .value(bytes)
        case (.lease, .lease(let lease)?): .lease(lease)
        case (.version, _): .version(0)
        case (.create, _): .created(0)
        case (.mod, _): .modified(0)
        case (.value, _): .value([])
        case (.lease, _): .lease(0)
        }
    }

    private var discfgRelation: Precondition.Relation {
        switch result {
        case .equal: .equal
        case .notEqual: .notEqual
        case .less: .less
        case .greater: .greater
        }
    }
}
