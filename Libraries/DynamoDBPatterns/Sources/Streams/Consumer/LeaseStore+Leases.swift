import AWSClient

extension LeaseStore {
    /// Takes a lease that nobody has, or whose owner is not heard of.
    ///
    /// - Parameters:
    ///   - id: The shard.
    ///   - seen: As it was read; `nil` for a shard that has none yet.
    /// - Returns: The lease, with the checkpoint as it is now; `nil` if another worker was faster, or it is not free
    ///   any more.
    /// - Throws: `AWSError`, after which it is unknown whether the lease was taken.
    func take(_ id: String, seen: ShardLease?) async throws -> ShardLease? {
        let key = key(ofShard: id)
        let token = table.clock.token()
        let now = table.clock.milliseconds
        var update = ItemUpdate()
        update.set(ShardLease.Attribute.fence, .integer((seen?.fence ?? 0) + 1))
        update.set(ShardLease.Attribute.owner, .string(worker))
        update.set(ShardLease.Attribute.until, .integer(now + lease))
        var condition = Condition.absent(PatternTable.Attribute.partition)
        if let seen {
            condition = .all([
                .equals(ShardLease.Attribute.fence, .integer(seen.fence)), .absent(ShardLease.Attribute.ended),
                .any([
                    .absent(ShardLease.Attribute.owner), .atMost(ShardLease.Attribute.until, .integer(now)),
                    // Taken by this worker itself, by a write that it did not hear of again.
                    .equals(ShardLease.Attribute.owner, .string(worker)),
                ]),
            ])
        }
        return try await table.writeMarked(key, update, token: token, in: ShardLease.Attribute.token, if: condition)
            .item.flatMap { ShardLease($0, shardID: id) }
    }

    /// What becomes of a lease that is written.
    enum Fate: Sendable {
        case kept(until: Int64)
        case givenUp
        /// The shard is done.
        case ended
    }

    /// Writes down how far a shard is read; safe to be carried out twice.
    ///
    /// - Parameters:
    ///   - lease: As this worker has it.
    ///   - fate: What becomes of it.
    /// - Throws: `PatternError` with code `fenced` if another worker has taken it; `AWSError`.
    func save(_ lease: ShardLease, _ fate: Fate) async throws {
        var update = ItemUpdate()
        if let checkpoint = lease.checkpoint { update.set(ShardLease.Attribute.checkpoint, .string(checkpoint)) }
        update.set(ShardLease.Attribute.failures, .integer(lease.failures))
        switch fate {
        case .kept(let until): update.set(ShardLease.Attribute.until, .integer(until))
        case .givenUp: update.remove(ShardLease.Attribute.owner)
        case .ended:
            update.remove(ShardLease.Attribute.owner)
            let now = table.clock.milliseconds
            update.setIfAbsent(ShardLease.Attribute.ended, .integer(now))
            update.set(PatternTable.Attribute.timeToLive, .integer((now + Self.retention) / 1000))
        }
        let write = table.write(
            key(ofShard: lease.shardID), update,
            if: .equals(ShardLease.Attribute.fence, .integer(lease.fence)))
        // Whoever takes the lease changes the fence, so that a refusal is never this write's own doing.
        if case .refused = try await table.carryOut(write) {
            throw PatternError(.fenced, "Another worker has taken shard “\(lease.shardID)”.")
        }
    }
}
