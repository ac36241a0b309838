import AWSClient

extension PeriodicAggregator {
    /// Counts the members of a bucket that is done, and finds those that were not folded.
    ///
    /// There are some only where a clock was wrong by more than `skew` and `grace` together, or a put was under way for
    /// that long: who collected believed that the bucket was not over when it had been processed. Run it some time
    /// later, from a schedule of its own.
    ///
    /// Cost: reads all that the bucket has once more, and holds eight bytes of each folded member in memory.
    ///
    /// - Parameters:
    ///   - bucket: Which bucket.
    ///   - limit: How many missed members to return at most.
    /// - Returns: What was found.
    /// - Throws: `PatternError` with code `notFound` if the bucket is not done, or older than the retention, or
    ///   `corrupt`; `AWSError`.
    public func audit(_ bucket: TimeBucket, limit: Int = 1000) async throws -> BucketAudit<Member> {
        guard let head = try await doneHead(of: bucket), table.clock.milliseconds < settings.expiry(of: head.bucket)
        else { throw PatternError(.notFound, "The bucket \(bucket.text) of \(name) is not done, or expires.") }
        var audit = BucketAudit<Member>(bucket: head.bucket, folded: Int(head.count), missed: [])
        let folded = try await folded(of: head)
        var cursor = MemberCursor(shard: 0)
        while cursor.shard < head.shards, audit.missed.count < limit {
            let page = try await page(of: head.bucket, at: cursor, limit: settings.pageSize)
            let missed = page.members.lazy.filter { !folded.contains(StableHash.of($0.sort)) }.map(\.member)
            audit.missed += missed.prefix(limit - audit.missed.count)
            cursor = page.next
        }
        return audit
    }

    /// Which members a checkpoint folded, as eight bytes of each.
    func foldRecord(_ folded: [UInt64], of head: BucketHead) -> TransactWriteItem {
        var item = keys.fold(head.folds, of: head.bucket).attributes
        let bytes = folded.flatMap { hash in (0..<8).map { UInt8(truncatingIfNeeded: hash >> (8 * $0)) } }
        item[FoldAttribute.members] = .binary(bytes)
        item[PatternTable.Attribute.timeToLive] = .integer(settings.closingTimeToLive(head.bucket))
        return table.put(item, if: nil).transactItem
    }

    private func folded(of head: BucketHead) async throws -> Set<UInt64> {
        var folded: Set<UInt64> = []
        var start: StoredItem?
        repeat {
            let answer = try await table.api.query(
                QueryRequest(
                    tableName: table.name, keyConditionExpression: "#p = :p AND begins_with(#s, :s)",
                    expressionAttributeNames: [
                        "#p": PatternTable.Attribute.partition, "#s": PatternTable.Attribute.sort,
                    ],
                    expressionAttributeValues: [
                        ":p": .string(keys.head(head.bucket).partition), ":s": .string(BucketKeys.foldPrefix),
                    ],
                    consistentRead: true, exclusiveStartKey: start))
            for item in answer.items ?? [] {
                let bytes = item[FoldAttribute.members]?.binary ?? []
                for first in stride(from: 0, to: bytes.count - 7, by: 8) {
                    folded.insert(bytes[first..<first + 8].reversed().reduce(0) { $0 << 8 | UInt64($1) })
                }
            }
            start = answer.lastEvaluatedKey
        } while start != nil
        return folded
    }
}

/// The attributes of what one checkpoint folded.
private enum FoldAttribute {
    static let members = "members"
}
