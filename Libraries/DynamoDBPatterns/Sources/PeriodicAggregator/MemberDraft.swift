import AWSClient

/// What became of a put.
enum PutOutcome {
    case stored
    case wasThere
    case closed
}

/// A member on its way into a bucket.
struct MemberDraft: Sendable {
    var id: String
    var time: Int64
    var token: String
    var value: AttributeValue

    /// As it is stored; `isAdmitted` if it comes in through the gate of its shard, which counts it.
    func item(
        _ key: ItemKey, from origin: TimeBucket? = nil, timeToLive: Int64, isAdmitted: Bool
    ) -> StoredItem {
        var item = stub(key, timeToLive: timeToLive)
        if isAdmitted { item[MemberAttribute.admitted] = .bool(true) }
        item[MemberAttribute.member] = value
        item[MemberAttribute.time] = .integer(time)
        if let origin { item[MemberAttribute.lateFrom] = .integer(origin.startMilliseconds) }
        return item
    }

    /// What keeps the place of a member that went elsewhere.
    func trace(_ key: ItemKey, to bucket: TimeBucket, timeToLive: Int64) -> StoredItem {
        var item = stub(key, timeToLive: timeToLive)
        item[MemberAttribute.movedTo] = .integer(bucket.startMilliseconds)
        return item
    }

    /// What it means that this item was in the way: it is our own where an answer was lost.
    func outcome(for item: StoredItem?) -> PutOutcome {
        item?[MemberAttribute.token]?.string == token ? .stored : .wasThere
    }

    private func stub(_ key: ItemKey, timeToLive: Int64) -> StoredItem {
        var item = key.attributes
        item[MemberAttribute.token] = .string(token)
        item[PatternTable.Attribute.timeToLive] = .integer(timeToLive)
        return item
    }
}
