import DiscfgCore

extension EtcdService {
    /// Waits to be the leader; a caller that is cancelled while it waits gives up.
    package func campaign(_ request: CampaignRequest) async throws(EtcdError) -> CampaignResponse {
        try await answerAsClient {
            try await withSession(request.lease) { try await campaign(request, with: $0) }
        }
    }

    private func campaign(_ request: CampaignRequest, with lease: Int64) async throws -> CampaignResponse {
        let queue = LockQueue(request.name, of: self)
        let key = try queue.key(of: lease)
        let result = try await store.commit(
            Transaction(
                if: [Precondition(key, .absent)],
                then: [.set(key, Value(etcd: request.value), expiry: .lease(lease))], else: [.get(key)]),
            to: config)
        let item = result.outcomes.first?.item
        let leader = LeaderKey(
            name: request.name, key: key.bytes, rev: item?.created ?? result.revision, lease: lease)
        do {
            if result.failed != nil, item?.value.bytes != request.value {
                _ = try await proclaim(leader, request.value)
            }
            _ = try await queue.waitUntilFirst(after: leader.rev - 1)
            guard try await queue.has(key, since: leader.rev) else { throw EtcdError.notLeader }
        } catch {
            await cleanUp { [self] in _ = try await resign(leader) }
            throw error
        }
        return CampaignResponse(header: header(result.revision), leader: leader)
    }

    /// Sets the value of the leader.
    package func proclaim(_ request: ProclaimRequest) async throws(EtcdError) -> ResponseHeader {
        try await answerAsClient {
            guard let leader = request.leader else { throw EtcdError.missingLeader }
            return try await proclaim(leader, request.value)
        }
    }

    /// Gives up the leadership; does nothing if the caller is not the leader.
    package func resign(leader: LeaderKey?) async throws(EtcdError) -> ResponseHeader {
        try await answerAsClient {
            guard let leader else { throw EtcdError.missingLeader }
            return try await resign(leader)
        }
    }

    /// The current leader.
    package func leader(_ name: [UInt8]) async throws(EtcdError) -> LeaderResponse {
        try await answerAsClient {
            let (item, revision) = try await LockQueue(name, of: self).first()
            guard let item else { throw EtcdError.noLeader }
            return LeaderResponse(header: header(revision), kv: KeyValue(item))
        }
    }

    private func proclaim(_ leader: LeaderKey, _ value: [UInt8]) async throws -> ResponseHeader {
        try await withSession(leader.lease) { lease in
            let put = PutRequest(key: leader.key, value: value, lease: lease)
            try put.check()
            let key = try Key(bytes: leader.key)
            let result = try await store.commit(
                Transaction(if: [Self.isLeader(key, leader.rev)], then: [try put.operation()]), to: config)
            guard result.failed == nil else { throw EtcdError.notLeader }
            return header(result.revision)
        }
    }

    private func resign(_ leader: LeaderKey) async throws -> ResponseHeader {
        try DeleteRangeRequest(key: leader.key).check()
        let key = try Key(bytes: leader.key)
        let result = try await store.commit(
            Transaction(if: [Self.isLeader(key, leader.rev)], then: [.delete(key)]), to: config)
        return header(result.revision)
    }

    private static func isLeader(_ key: Key, _ revision: Revision) -> Precondition {
        Precondition(key, .compare(.created(revision), .equal))
    }
}

/// Observes the leader of an election and its values.
///
/// Source: `clientv3/concurrency/election.go` of etcd.
package actor ElectionObserver {
    private let service: EtcdService
    private let queue: LockQueue
    /// The last reported leader, and the revision up to which its values were reported.
    private var leader: (key: Key, position: Revision)?
    /// The answers that are still to be returned.
    private var waiting: ArraySlice<LeaderResponse> = []

    /// Observes the election of a name.
    package init(_ name: [UInt8], _ service: EtcdService) {
        self.service = service
        queue = LockQueue(name, of: service)
    }

    /// The next leader, or the leader's next value; `nil` if it was compacted.
    package func next() async throws(EtcdError) -> LeaderResponse? {
        try await service.answer {
            do {
                while waiting.isEmpty {
                    if let leader { try await follow(leader.key, after: leader.position) } else { try await elect() }
                }
                return waiting.popFirst()
            } catch let error as DiscfgError where error.code == .compacted {
                return nil
            }
        }
    }

    /// Finds the leader, or waits for the first one.
    private func elect() async throws {
        let (item, revision) = try await queue.first()
        if let item { return tell(item, at: revision) }
        var position = revision
        while true {
            let page = try await page(.range(queue.range), after: position)
            position = page.scanned
            guard let item = page.commits.flatMap(\.changes).lazy.compactMap(\.item).first(where: { !$0.isDirectory })
            else { continue }
            return tell(item, at: item.modified)
        }
    }

    /// Waits until the leader changes its value or gives up the leadership.
    private func follow(_ key: Key, after position: Revision) async throws {
        let page = try await page(.key(key), after: position)
        leader?.position = page.scanned
        for change in page.commits.flatMap(\.changes) {
            guard let item = change.item else {
                leader = nil
                return
            }
            waiting.append(LeaderResponse(header: service.header(item.modified), kv: KeyValue(item)))
        }
    }

    private func tell(_ item: Item, at revision: Revision) {
        leader = (item.key, revision)
        waiting.append(LeaderResponse(header: service.header(revision), kv: KeyValue(item)))
    }

    private func page(_ selection: KeySelection, after position: Revision) async throws -> ChangePage {
        try await service.store.changes(
            ChangesQuery(after: position, selection: selection, wait: ChangesQuery.maximumWait), in: service.config)
    }
}
