import AWSClient

/// One page of the members that have items of their own.
public struct AggregateMembers<Member: Sendable>: Sendable {
    /// In the order of their identities.
    public let members: [(id: String, member: Member)]
    /// After which identity the next page starts; `nil` on the last one.
    public let next: String?
}

/// One page of the sets that are not complete.
public struct AggregatePage<Member: Sendable, Value: Sendable>: Sendable {
    /// Those that time out first come first, within each partition of the index.
    public let sets: [Aggregate<Member, Value>]
    /// The sets that cannot be understood, such as after a change of the members' type.
    public let unreadable: [String]
    /// Where the next page starts; `nil` on the last one.
    public let next: PatternCursor?
}

extension Aggregator {
    /// Reads a set; one read unit for each 4 KB of its head.
    ///
    /// - Parameter set: The set's key.
    /// - Returns: The set; `nil` if there is none.
    /// - Throws: `AWSError`; `PatternError`.
    public func read(_ set: String) async throws -> Aggregate<Member, Value>? {
        try check(set: set)
        return try await head(of: set).map { try aggregate(set, $0) }
    }

    /// Reads a page of the members that have items of their own; one read unit for each 4 KB.
    ///
    /// An action sees all members of its set. Before that DynamoDB shows what one transaction has written item by item:
    /// where all pages have fewer members than the set's `count`, the last ones are about to appear.
    ///
    /// - Parameters:
    ///   - set: The set's key.
    ///   - id: After which member, in the order of their identities.
    ///   - limit: How many at most; a page ends after 1 MB in any case.
    /// - Returns: The members; none unless the storage is `asItems`.
    /// - Throws: `AWSError`; `PatternError` with the code `corrupt` for a member that cannot be read.
    public func members(
        of set: String, after id: String? = nil, limit: Int = 1000
    ) async throws -> AggregateMembers<Member> {
        try check(set: set)
        let page = try await memberItems(of: set, after: id, limit: limit)
        let members = try page.items.map { key, item in
            guard let id = key.sort.dropping(prefix: AggregateHead.memberPrefix),
                let attribute = item[AggregateHead.Attribute.value],
                let member = try? AttributeDecoder().decode(Member.self, from: attribute)
            else { throw PatternError(.corrupt, "A member of the aggregator “\(name)” cannot be read.") }
            return (id: id, member: member)
        }
        return AggregateMembers(members: members, next: page.isLast ? nil : members.last?.id)
    }

    /// Lists sets that are not complete, from an index that is a little behind.
    ///
    /// Costs half a unit for a page and one for each set that it looks at, or more for those whose heads are larger
    /// than 4 KB. With the storage `asItems` those that are done are looked at as well, until they are deleted.
    ///
    /// - Parameters:
    ///   - limit: How many sets to look at, at most; a page may have fewer, and be empty, without being the last.
    ///   - cursor: Where the page starts: `next` of the one before.
    /// - Returns: The sets with what they have so far.
    /// - Throws: `AWSError`.
    public func incomplete(
        limit: Int = 100, from cursor: PatternCursor? = nil
    ) async throws -> AggregatePage<Member, Value> {
        let page = try await table.listed(of: prefix, limit: limit, from: cursor)
        var sets: [Aggregate<Member, Value>] = []
        var unreadable: [String] = []
        for key in page.keys {
            guard let set = prefix.key(ofPartition: key.partition) else { continue }
            do {
                guard let head = try await head(of: set), head.state == .open else { continue }
                sets.append(try aggregate(set, head))
            } catch is PatternError {
                unreadable.append(set)
            }
        }
        return AggregatePage(sets: sets, unreadable: unreadable, next: page.next)
    }
}
