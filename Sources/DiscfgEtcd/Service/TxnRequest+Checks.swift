import DiscfgCore

extension TxnRequest {
    /// The maximum number of comparisons, or of operations of a branch, together with those of any one transaction in
    /// it.
    static let maximumOperations = 128
    /// The maximum number of operations of all nested transactions together; etcd has no such limit.
    static let maximumTotal = 2048
    /// The maximum nesting depth of transactions; etcd has no such limit.
    static let maximumDepth = 8

    /// Checks what can be checked without a store, in etcd's order.
    func check() throws(EtcdError) {
        try check(operations: Self.maximumOperations, depth: 1)
        guard total <= Self.maximumTotal else { throw .tooManyOps }
        _ = try success.written()
        _ = try failure.written()
        if weight > PutRequest.maximumBytes { throw .requestTooLarge }
    }

    private func check(operations most: Int, depth: Int) throws(EtcdError) {
        let count = max(compare.count, success.count, failure.count)
        guard count <= most else { throw .tooManyOps }
        guard depth <= Self.maximumDepth else {
            throw EtcdError(
                .invalidArgument,
                "discfg: Transactions are nested more than \(Self.maximumDepth) deep. Nest fewer of them."
            )
        }
        for compare in compare where compare.key.isEmpty { throw .emptyKey }
        for operation in success + failure {
            switch operation {
            case .range(let request): try request.check()
            case .put(let request): try request.check()
            case .deleteRange(let request): try request.check()
            case .txn(let request): try request.check(operations: most - count, depth: depth + 1)
            case .none: throw .keyNotFound
            }
        }
    }

    /// The number of operations, including those of nested transactions.
    private var total: Int {
        (success + failure).reduce(0) { sum, operation in
            if case .txn(let request) = operation { sum + 1 + request.total } else { sum + 1 }
        }
    }

    /// The bytes of its keys and values.
    private var weight: Int {
        var weight = 0
        for compare in compare {
            weight += compare.key.count + compare.rangeEnd.count
            if case .value(let bytes) = compare.operand { weight += bytes.count }
        }
        for operation in success + failure {
            switch operation {
            case .range(let request): weight += request.key.count + request.rangeEnd.count
            case .put(let request): weight += request.key.count + request.value.count
            case .deleteRange(let request): weight += request.key.count + request.rangeEnd.count
            case .txn(let request): weight += request.weight
            case .none: break
            }
        }
        return weight
    }
}

/// The keys and ranges that the operations of a branch write.
private struct Written {
    var puts: Set<[UInt8]> = []
    var deletions: [DeleteRangeRequest] = []

    func isDeleted(_ key: [UInt8]) -> Bool { deletions.contains { $0.overlaps(key) } }

    mutating func put(_ key: [UInt8]) throws(EtcdError) {
        if isDeleted(key) || !puts.insert(key).inserted { throw .duplicateKey }
    }
}

extension [RequestOp] {
    /// The keys and ranges that the branch writes.
    ///
    /// - Throws: `duplicateKey` if a key is put twice, or put and deleted; source: `checkIntervals` in `v3rpc/key.go`.
    fileprivate func written() throws(EtcdError) -> Written {
        var written = Written()
        for case .deleteRange(let request) in self { written.deletions.append(request) }
        for case .txn(let request) in self {
            let (success, failure) = (try request.success.written(), try request.failure.written())
            for key in success.puts { try written.put(key) }
            // Only one of the branches is carried out, so both may put the same key.
            for key in failure.puts {
                if success.puts.contains(key), !written.isDeleted(key) { continue }
                try written.put(key)
            }
            written.deletions += success.deletions + failure.deletions
        }
        for case .put(let request) in self { try written.put(request.key) }
        return written
    }
}

extension DeleteRangeRequest {
    /// Whether a key is in the range by etcd's check.
    ///
    /// By that check no key is in a range without an end, because its end is a zero byte, which is before every key. So
    /// etcd accepts a transaction that deletes a range without an end and puts one of its keys.
    fileprivate func overlaps(_ key: [UInt8]) -> Bool {
        if rangeEnd.isEmpty { return key == self.key }
        return !key.lexicographicallyPrecedes(self.key) && key.lexicographicallyPrecedes(rangeEnd)
    }
}
