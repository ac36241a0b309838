import AWSClient

/// The attributes of a member's item.
enum MemberAttribute {
    static let member = "member"
    /// The time that it was collected with.
    static let time = "at"
    /// A token of the write, by which a write whose answer was lost knows itself.
    static let token = "token"
    /// The start of the bucket that took it; an item with this one keeps its place and is no member.
    static let movedTo = "movedTo"
    /// The start of the bucket that it came too late for.
    static let lateFrom = "lateFrom"
    /// There where the gate of its shard counted it.
    static let admitted = "admitted"
}

extension PeriodicAggregator {
    /// Reads a page of a bucket's members, strongly consistent.
    ///
    /// Cost: a read unit for each 4 KB. Members that come while their bucket is open may be in none of the pages.
    ///
    /// - Parameters:
    ///   - bucket: Which bucket.
    ///   - cursor: Where to start, from the page before; `nil` for the first page.
    ///   - limit: How many items are read at most; a page ends after 1 MB in any case.
    /// - Returns: The members; none only on the last page.
    /// - Throws: `PatternError` with code `corrupt` if one cannot be decoded, or `invalidArgument` for a cursor that
    ///   no page had; `AWSError`.
    public func members(
        of bucket: TimeBucket, after cursor: MemberCursor? = nil, limit: Int = 1000
    ) async throws -> MemberPage<Member> {
        guard let head = try await head(of: bucket) else { return MemberPage(members: [], next: nil) }
        var cursor = cursor ?? MemberCursor(shard: 0)
        guard cursor.shard >= 0 else { throw PatternError(.invalidArgument, "There is no such page.") }
        while cursor.shard < head.shards {
            let page = try await page(of: bucket, at: cursor, limit: min(max(limit, 1), 10_000))
            cursor = page.next
            guard page.members.isEmpty else {
                return MemberPage(members: page.members.map(\.member), next: cursor.shard < head.shards ? cursor : nil)
            }
        }
        return MemberPage(members: [], next: nil)
    }

    /// Reads a page of one shard; `next` may be a shard that does not exist.
    func page(
        of bucket: TimeBucket, at cursor: MemberCursor, limit: Int
    ) async throws -> (members: [(sort: String, member: CollectedMember<Member>)], next: MemberCursor) {
        var query = membersQuery(of: cursor.shard, in: bucket, after: cursor.after)
        query.limit = limit
        let answer = try await table.api.query(query)
        var members: [(sort: String, member: CollectedMember<Member>)] = []
        for item in answer.items ?? [] where item[MemberAttribute.movedTo] == nil {
            members.append(try member(of: item, in: bucket))
        }
        guard let last = answer.lastEvaluatedKey else { return (members, MemberCursor(shard: cursor.shard + 1)) }
        guard let after = last[PatternTable.Attribute.sort]?.string else {
            throw PatternError(.corrupt, "A page of the bucket \(bucket.text) of \(name) ends nowhere.")
        }
        return (members, MemberCursor(shard: cursor.shard, after: after))
    }

    /// Asks for the members of a shard whose sort keys come after one.
    func membersQuery(of shard: Int, in bucket: TimeBucket, after sort: String?) -> QueryRequest {
        QueryRequest(
            tableName: table.name, keyConditionExpression: "#p = :p AND #s > :s",
            expressionAttributeNames: ["#p": PatternTable.Attribute.partition, "#s": PatternTable.Attribute.sort],
            expressionAttributeValues: [
                ":p": .string(keys.shard(shard, of: bucket)), ":s": .string(sort ?? BucketKeys.gate),
            ],
            consistentRead: true)
    }

    private func member(
        of item: StoredItem, in bucket: TimeBucket
    ) throws(PatternError) -> (sort: String, member: CollectedMember<Member>) {
        let corrupt = "A member of the bucket \(bucket.text) of \(name) cannot be understood."
        guard let sort = item[PatternTable.Attribute.sort]?.string, let id = BucketKeys.id(ofMember: sort),
            let time = item[MemberAttribute.time]?.int64, let value = item[MemberAttribute.member]
        else { throw PatternError(.corrupt, corrupt) }
        do {
            let member = CollectedMember<Member>(
                id: id, time: .init(milliseconds: time), member: try AttributeDecoder().decode(from: value),
                lateFrom: item[MemberAttribute.lateFrom]?.int64.map { .init(milliseconds: $0) })
            return (sort, member)
        } catch {
            throw PatternError(
                .corrupt, corrupt, hint: "Decode what was collected before the type was changed, too.", cause: error)
        }
    }
}
