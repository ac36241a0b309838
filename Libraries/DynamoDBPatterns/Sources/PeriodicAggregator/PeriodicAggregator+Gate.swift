import AWSClient

/// The attributes of a shard's gate: the item through which members come in that are written with a check.
enum GateAttribute {
    /// How many members came in through it.
    static let admitted = "admitted"
    /// There from the moment on when nobody comes in any more.
    static let closed = "closed"
}

extension PeriodicAggregator {
    /// Lets a member in as long as nobody processes its shard, and counts it.
    func admission(to place: BucketPlace, of id: String) -> ItemWrite {
        var update = ItemUpdate()
        update.increment(GateAttribute.admitted)
        update.set(PatternTable.Attribute.timeToLive, .integer(settings.closingTimeToLive(place.bucket)))
        let shard = BucketKeys.shard(of: id, among: place.shards)
        return table.write(keys.gate(shard, of: place.bucket), update, if: .absent(GateAttribute.closed))
    }

    /// Closes the gate of a shard: members that came in were in time, and can be read from now on.
    ///
    /// Gates are closed before anything is read, by whoever processes: once more does no harm.
    ///
    /// - Parameters:
    ///   - shard: Which one.
    ///   - head: The bucket, as it was claimed.
    ///   - meanwhile: Called after each page that is looked at, so that the lease can be kept.
    /// - Throws: `PatternError` with the code `contention` if those that came in cannot be seen yet; `AWSError`; what
    ///   `meanwhile` throws.
    func closeGate(of shard: Int, in head: BucketHead, meanwhile: () async throws -> Void) async throws {
        var update = ItemUpdate()
        update.set(GateAttribute.closed, .bool(true))
        update.set(PatternTable.Attribute.timeToLive, .integer(settings.closingTimeToLive(head.bucket)))
        let write = table.write(keys.gate(shard, of: head.bucket), update, if: nil)
        guard case .done(let gate) = try await table.carryOut(write, returningNew: true),
            let admitted = gate?[GateAttribute.admitted]?.int
        else { return }
        var members = membersQuery(of: shard, in: head.bucket, after: nil)
        members.filterExpression = "attribute_exists(#a)"
        members.expressionAttributeNames?["#a"] = MemberAttribute.admitted
        try await table.awaitItems(admitted, of: members, tried: head.fence, meanwhile: meanwhile)
    }
}
