import DiscfgCore

extension EtcdService {
    /// Waits for a lock; it is held until it is unlocked, or its lease ends.
    ///
    /// A caller that is cancelled while it waits leaves the queue. The order of the queue is that of the revisions of
    /// its keys.
    package func lock(_ request: LockRequest) async throws(EtcdError) -> LockResponse {
        try await answerAsClient {
            try await withSession(request.lease) { try await lock(request.name, with: $0) }
        }
    }

    private func lock(_ name: [UInt8], with lease: Int64) async throws -> LockResponse {
        let queue = LockQueue(name, of: self)
        let key = try queue.key(of: lease)
        let result = try await store.commit(
            Transaction(
                if: [Precondition(key, .absent)],
                then: [.set(key, Value(etcd: []), expiry: .lease(lease)), .getAll(queue.range)],
                else: [.get(key), .getAll(queue.range)]),
            to: config)
        let came = result.outcomes.first?.item?.created ?? result.revision
        let owner = result.outcomes.last?.found.filter { !$0.isDirectory }.min {
            isPlanted(.lowestLeaseOwns) ? $0.lease ?? 0 < $1.lease ?? 0 : $0.created < $1.created
        }
        guard let owner, owner.created != came else {
            return LockResponse(header: header(result.revision), key: key.bytes)
        }
        do {
            let revision = try await queue.waitUntilFirst(after: came - 1)
            guard try await queue.has(key, since: came) else { throw EtcdError.sessionExpired }
            return LockResponse(header: header(revision), key: key.bytes)
        } catch {
            await cleanUp { [self] in _ = try await commit([.delete(key)]) }
            throw error
        }
    }

    /// Releases a lock.
    package func unlock(_ key: [UInt8]) async throws(EtcdError) -> ResponseHeader {
        try await answerAsClient { try await deleteRange(DeleteRangeRequest(key: key)).header }
    }
}
