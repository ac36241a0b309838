#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What became of a member.
public enum Collected: Sendable, Hashable {
    /// It is in the bucket of its time.
    case collected(in: TimeBucket)
    /// It was collected before, here or in the bucket that took it then; nothing was changed.
    case duplicate
    /// It came after its bucket was closed, and is in a later one; `nil` if it was not kept.
    ///
    /// It is not kept where late members are refused, and where it is older than the retention: nobody could tell
    /// whether it was processed before.
    case late(into: TimeBucket?)
}

/// What is done with members that come after their bucket was closed.
public enum LateMembers: Sendable, Hashable {
    /// The bucket of the moment takes them.
    case nextBucket
    /// They are not kept; whoever collects is told.
    case refuse
}

/// A member as it is stored.
public struct CollectedMember<Member: Sendable>: Sendable {
    /// What it was collected by.
    public var id: String
    /// The time that it was collected with.
    public var time: Date
    /// What was collected under this identity.
    public var member: Member
    /// The start of the bucket that it belongs to, where it came too late for that; `nil` for all others.
    public var lateFrom: Date?
}

extension CollectedMember: Equatable where Member: Equatable {}

/// A place in a bucket, before which all members have been read.
public struct MemberCursor: Sendable, Hashable, Codable {
    /// From 0; as many as there are shards at the end.
    var shard: Int
    /// The sort key of the last item that was read; `nil` at a shard's beginning.
    var after: String?
}

/// One page of a bucket's members.
public struct MemberPage<Member: Sendable>: Sendable {
    /// By shard, and in a shard by identity: not by time.
    public var members: [CollectedMember<Member>]
    /// Where the next page starts; `nil` on the last one.
    public var next: MemberCursor?
}

/// A bucket all of whose members are folded.
public struct ClosedBucket<Partial: Sendable>: Sendable {
    /// The period that was folded.
    public var bucket: TimeBucket
    /// How many members were folded.
    public var count: Int
    /// What they were folded into; the same each time that this bucket is finished.
    public var partial: Partial
    /// The same each time that this bucket is finished, and of no other: for effects outside of DynamoDB.
    public var idempotencyKey: String
}

/// What was found when a bucket was counted again.
public struct BucketAudit<Member: Sendable>: Sendable {
    /// The period that was counted again.
    public var bucket: TimeBucket
    /// How many members were folded.
    public var folded: Int
    /// Members that are in the bucket and were not folded; at most as many as were asked for.
    public var missed: [CollectedMember<Member>]
}
