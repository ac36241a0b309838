#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A set of members as it was read.
public struct Aggregate<Member: Sendable, Value: Sendable>: Sendable {
    /// The set's key.
    public let key: String
    /// How far the set has come: members are missing, it is complete, it is being acted on, or it is done.
    public let state: AggregateState
    /// Of how many members it is made.
    public let count: Int
    /// What the members were merged into.
    public let value: Value
    /// The members by their identities; empty unless they are stored in the head.
    ///
    /// Identities count by their bytes. Of those that Swift takes for equal all the same, being two ways to write one
    /// text in Unicode, only one is here.
    ///
    /// Those that have items of their own are read with `Aggregator.members(of:after:limit:)`.
    public let members: [String: Member]
    /// When the first member came.
    public let begun: Date
    /// Whether it was ended by time, before it was complete.
    public let isTimedOut: Bool
    /// How often somebody has begun to act on it, this time included.
    public let attempt: Int
    /// The same for each attempt at this set, and for no other set: for effects outside of DynamoDB.
    public let idempotencyKey: String
}

/// How far a set has come.
public enum AggregateState: String, Sendable, Hashable {
    /// Members are missing.
    case open = "OPEN"
    /// It is complete, and nobody has acted on it yet.
    case ready = "READY"
    /// It is complete or timed out, and somebody acts on it, or died of it.
    case running = "RUNNING"
    /// It was acted on.
    case done = "DONE"
}

/// What became of a member.
public enum AggregateAddition: Sendable, Hashable {
    /// It was added; the set is not complete.
    case added
    /// It is the one that completed the set; the same for each delivery of it: now `Aggregator.act(on:_:)`, unless a
    /// stream does.
    case completed
    /// It is in the set already, by an earlier call, or by this one, whose first try had its answer lost.
    case duplicate
    /// The set was complete or had timed out without it; nothing was changed.
    case late
}

/// What became of the wish to act on a set.
public enum AggregateOutcome: Sendable, Hashable {
    /// The action was done, and the set is marked so.
    case acted
    /// The set is not complete and has time left, or there is no such set.
    case notReady
    /// Somebody else acts on it, and has time left for that.
    case busy
    /// It was acted on before.
    case done
}
