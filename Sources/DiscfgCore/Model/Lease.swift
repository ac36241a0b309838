/// A time to live that many keys share, and that is renewed for all of them at once.
///
/// What is attached to a lease ceases to be, in one commit, when the lease ends: because nobody renewed it in time, or
/// because it was revoked. Renewing writes no history.
public struct Lease: Sendable, Hashable {
    /// The lease's name within its config; positive.
    public var id: Int64
    /// The time to live that was granted: whole seconds.
    public var ttl: Duration
    /// When the lease ends unless it is renewed.
    public var expiry: Timestamp
    /// Whether its end has begun: it cannot be renewed, nothing can be attached to it, and its keys are being removed.
    public var isEnding: Bool
    /// Raised by each renewal, so that a renewal can be seen even if it sets the end that was there.
    ///
    /// A lease is granted with a random version, so that it is not taken for an earlier lease of the same id.
    public var version: Int64

    public init(id: Int64, ttl: Duration, expiry: Timestamp, isEnding: Bool = false, version: Int64 = 0) {
        self.id = id
        self.ttl = ttl
        self.expiry = expiry
        self.isEnding = isEnding
        self.version = version
    }

    /// Whether another reading shows the same lease, not renewed in between; its end may have begun.
    public func isUnchanged(in other: Lease) -> Bool {
        id == other.id && expiry == other.expiry && version == other.version
    }
}
