import DiscfgCore

extension EtcdService {
    /// Reads keys, at a revision or the current state.
    package func range(_ request: RangeRequest) async throws(EtcdError) -> RangeResponse {
        try await answer {
            try request.check()
            return try await read(request)
        }
    }

    /// Sets a key.
    package func put(_ request: PutRequest) async throws(EtcdError) -> PutResponse {
        try await answer {
            try request.check()
            let result = try await commit([try request.operation()])
            return PutResponse(request, result.outcomes.first, header: header(result.revision))
        }
    }

    /// Removes keys; if there are none, this is not an error, and makes no revision.
    package func deleteRange(_ request: DeleteRangeRequest) async throws(EtcdError) -> DeleteRangeResponse {
        try await answer {
            try request.check()
            guard let operation = request.operation else {
                return DeleteRangeResponse(request, nil, header: try await currentHeader())
            }
            let result = try await commit([operation])
            return DeleteRangeResponse(request, result.outcomes.first, header: header(result.revision))
        }
    }

    /// Removes the history before a revision.
    package func compact(_ request: CompactionRequest) async throws(EtcdError) -> ResponseHeader {
        try await answer {
            let tail = try await store.tail(of: config)
            guard request.revision >= 0, request.revision > tail.compacted || tail.compacted == 0 else {
                throw EtcdError.compacted
            }
            guard request.revision <= tail.revision else { throw EtcdError.futureRevision }
            if request.revision > 1 {
                _ = try await store.compact(config, keeping: .through(request.revision - 1))
            }
            return try await currentHeader()
        }
    }

    func read(_ request: RangeRequest) async throws -> RangeResponse {
        let revision = request.revision > 0 ? request.revision : nil
        if let revision { try await checkReadable(at: revision) }
        var response = RangeResponse()
        guard let range = EtcdKeys(request.key, request.rangeEnd).range else {
            response.header = try await currentHeader()
            return response
        }
        let limit = request.readLimit
        let needsValues = !request.keysOnly || request.sortTarget == .value
        let reading = try await store.range(
            RangeQuery(range, at: revision, limit: limit, values: needsValues && !request.countOnly), in: config)
        response.header = header(reading.revision)
        response.count = Int64(reading.count)
        if !request.countOnly {
            (response.kvs, response.more) = request.selection(
                of: reading.items, count: reading.count)
        }
        return response
    }

    /// Checks that a revision can be read as in etcd: the revision of the last compaction, or a later one.
    private func checkReadable(at revision: Revision) async throws {
        let tail = try await store.tail(of: config)
        guard revision <= tail.revision else { throw EtcdError.futureRevision }
        guard revision >= min(tail.compacted, tail.revision) else { throw EtcdError.compacted }
    }
}

extension RangeRequest {
    func check() throws(EtcdError) {
        if key.isEmpty { throw .emptyKey }
    }

    private var isFiltered: Bool {
        minModRevision != 0 || maxModRevision != 0 || minCreateRevision != 0 || maxCreateRevision != 0
    }

    /// The number of items that must be read to answer; `nil` for all.
    ///
    /// etcd reads one item more than the limit in the order of the keys, and only then sorts by another target, unless
    /// an order or a filter is given as well; its clients always give an order.
    var readLimit: Int? {
        if countOnly { return 0 }
        guard limit > 0, limit < .max, sortOrder != .descend, !isFiltered else { return nil }
        if sortTarget != .key { return sortOrder == .none ? Int(clamping: limit + 1) : nil }
        return Int(clamping: limit)
    }

    /// The keys of the answer, and whether there are more, from the items that were read of `count` keys in the range.
    func selection(of items: [Item], count: Int) -> (kvs: [KeyValue], more: Bool) {
        var items = readLimit.map { Array(items.prefix($0)) } ?? items
        if isFiltered { items.removeAll { !passesFilters($0) } }
        // A store returns keys in order.
        if sortTarget != .key || sortOrder == .descend { sort(&items) }
        let shown = limit > 0 ? items.prefix(Int(clamping: limit)) : items[...]
        let more = limit > 0 && (readLimit == nil ? items.count > shown.count : count > shown.count)
        return (shown.map { KeyValue($0, values: !keysOnly) }, more)
    }

    private func passesFilters(_ item: Item) -> Bool {
        (maxModRevision == 0 || item.modified <= maxModRevision)
            && (minModRevision == 0 || item.modified >= minModRevision)
            && (maxCreateRevision == 0 || item.created <= maxCreateRevision)
            && (minCreateRevision == 0 || item.created >= minCreateRevision)
    }

    private func sort(_ items: inout [Item]) {
        switch sortTarget {
        case .key: order(&items) { $0.key < $1.key }
        case .version: order(&items) { $0.version < $1.version }
        case .create: order(&items) { $0.created < $1.created }
        case .mod: order(&items) { $0.modified < $1.modified }
        case .value: order(&items) { $0.value.bytes.lexicographicallyPrecedes($1.value.bytes) }
        }
    }

    private func order(_ items: inout [Item], by precedes: (Item, Item) -> Bool) {
        // The items are sorted by a target other than the key in any case.
        items.sort { sortOrder == .descend ? precedes($1, $0) : precedes($0, $1) }
    }
}

extension PutRequest {
    /// The maximum number of bytes of a key and its value together; a request has the same limit.
    static let maximumBytes = Value.maximumLength

    func check() throws(EtcdError) {
        if key.isEmpty { throw .emptyKey }
        if ignoreValue, !value.isEmpty { throw .valueProvided }
        if ignoreLease, lease != 0 { throw .leaseProvided }
        if key.count + value.count > Self.maximumBytes { throw .requestTooLarge }
    }

    func operation() throws(EtcdError) -> Operation {
        let expiry: Operation.Expiry = ignoreLease ? .kept : lease == 0 ? .never : .lease(lease)
        do {
            let key = try Key(bytes: key)
            return ignoreValue ? .touch(key, expiry: expiry) : .set(key, Value(etcd: value), expiry: expiry)
        } catch {
            throw EtcdError(answering: error)
        }
    }
}

extension PutResponse {
    init(_ request: PutRequest, _ outcome: TransactionResult.Outcome?, header: ResponseHeader) {
        self.header = header
        if request.prevKv { prevKv = [KeyValue](outcome?.previous ?? []).first }
    }
}

extension DeleteRangeRequest {
    func check() throws(EtcdError) {
        if key.isEmpty { throw .emptyKey }
    }

    /// The operation that removes the keys; `nil` if there can be none.
    var operation: Operation? {
        switch EtcdKeys(key, rangeEnd) {
        // A directory of the v2 API is no key: what stands for it stays, as it does if its last key is deleted.
        case .single(let key) where key.bytes.last == UInt8(ascii: "/"): .deleteAll(.keys(.key(key)))
        case .single(let key): .delete(key)
        case .range(let range): .deleteAll(.keys(range))
        case .nothing: nil
        }
    }
}

extension DeleteRangeResponse {
    init(_ request: DeleteRangeRequest, _ outcome: TransactionResult.Outcome?, header: ResponseHeader) {
        let removed = [KeyValue](outcome?.previous ?? [])
        self.header = header
        deleted = Int64(removed.count)
        if request.prevKv { prevKvs = removed }
    }
}
