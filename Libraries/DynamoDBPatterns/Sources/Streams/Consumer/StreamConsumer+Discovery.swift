import AWSClient
import Logging

extension StreamConsumer {
    /// Looks for shards and workers where that is due, and takes what is this worker's share, or gives up what is over.
    func discoverWhenDue() async throws {
        guard clock.milliseconds >= discoveryDue else { return }
        do {
            try await discover()
            discoveryFailures = 0
            discoveryDue = clock.milliseconds + options.discoveryInterval.milliseconds
        } catch let error as AWSError where error.mayPass {
            discoveryDue = clock.milliseconds + pause(after: discoveryFailures)
            discoveryFailures += 1
            logger.info(
                "Shards could not be looked for",
                metadata: ["consumer": "\(processor.name)", "error.code": "\(error.code.rawValue)"])
        }
    }

    private func discover() async throws {
        let now = clock.milliseconds
        if presentUntil - now <= leases.presence / 2 {
            try await leases.attend(until: now + leases.presence)
            presentUntil = now + leases.presence
        }
        let snapshot = try await leases.snapshot()
        for (id, shard) in owned where snapshot.leases[id]?.fence != shard.lease.fence { drop(id) }
        listed = try await listShards()
        let beginning = try await beginning(snapshot)
        self.beginning = beginning

        let readable = Readable(listed: listed, leases: snapshot.leases, beginning: beginning)
        let workers = Set(snapshot.workers.filter { $0.value > now }.keys).union([worker])
        let share = (readable.shardIDs.count + workers.count - 1) / workers.count
        for id in owned.keys.sorted().reversed().prefix(max(owned.count - share, 0)) { try await giveUp(id) }

        // In an order by chance, so that workers who start together do not want the same ones.
        var candidates = readable.shardIDs.filter { owned[$0] == nil }
        while owned.count < share, !candidates.isEmpty {
            let id = candidates.remove(at: Int(clock.random() % UInt64(candidates.count)))
            let seen = snapshot.leases[id]
            guard seen?.isFree(for: worker, at: clock.milliseconds) ?? true else { continue }
            if readable.isLate(id, at: now) { await report(.foundLate, of: id, after: nil) }
            guard let lease = try await leases.take(id, seen: seen) else { continue }
            owned[id] = OwnedShard(lease: lease, renewal: clock.milliseconds + leases.lease / 2)
        }
    }

    private func listShards() async throws -> [String: Shard] {
        var shards: [String: Shard] = [:]
        var start: String?
        for _ in 0..<1000 {
            let page = try await api.describeStream(
                DescribeStreamRequest(streamArn: stream, limit: 100, exclusiveStartShardId: start)
            ).streamDescription
            for shard in page?.shards ?? [] { if let id = shard.shardId { shards[id] = shard } }
            start = page?.lastEvaluatedShardId
            if start == nil { return shards }
        }
        throw PatternError(.tooLarge, "The stream has more shards than can be listed.")
    }

    /// Where the consumer begins: as it was written down, or now.
    private func beginning(_ snapshot: LeaseStore.Snapshot) async throws -> LeaseStore.Beginning {
        if let known = snapshot.beginning { return known }
        let now = clock.milliseconds
        switch options.start {
        case .oldest: return try await leases.begin(.init(since: nil, time: now, closed: []))
        case .at(let date): return try await leases.begin(.init(since: date.milliseconds, time: now, closed: []))
        case .latest:
            // What has ended by now has nothing new. The others are read on, were they but few.
            let closed = listed.values.filter { $0.sequenceNumberRange?.endingSequenceNumber != nil }
            return try await leases.begin(
                .init(since: now, time: now, closed: Set(closed.compactMap(\.shardId).sorted().prefix(2000))))
        }
    }
}

/// Which shards can be read now.
private struct Readable {
    var shardIDs: [String]
    private let listed: [String: Shard]
    private let leases: [String: ShardLease]
    private let beginning: LeaseStore.Beginning

    /// All that are listed, or gone with a lease that says that they are not done; but none before its parent.
    init(listed: [String: Shard], leases: [String: ShardLease], beginning: LeaseStore.Beginning) {
        self.listed = listed
        self.leases = leases
        self.beginning = beginning
        shardIDs = []
        shardIDs = Set(listed.keys).union(leases.keys).sorted().filter { id in
            guard !isDone(id) else { return false }
            return listed[id]?.parentShardId.map { isDone($0) || isUnknown($0) } ?? true
        }
    }

    private func isDone(_ id: String) -> Bool { leases[id].map { $0.ended != nil } ?? beginning.closed.contains(id) }
    private func isUnknown(_ id: String) -> Bool { leases[id] == nil && listed[id] == nil }

    /// Whether nobody looked for a shard, or into one without a checkpoint, for so long that records of it, or of
    /// others before it, are gone.
    ///
    /// What follows a checkpoint is missed by DynamoDB itself, when it is asked for.
    func isLate(_ id: String, at now: Int64) -> Bool {
        if leases[id]?.checkpoint != nil { return false }
        let parent = listed[id]?.parentShardId.flatMap { leases[$0] }
        return now > (leases[id]?.until ?? parent?.ended ?? beginning.time) + 86_400_000
    }
}

extension ShardLease {
    /// Whether a worker may try to take it.
    fileprivate func isFree(for worker: String, at now: Int64) -> Bool {
        ended == nil && (owner == nil || until <= now || owner == worker)
    }
}
