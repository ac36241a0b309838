/// A time to live that many keys share, and that is renewed for all of them at once.
///
/// When a lease ends, because it was not renewed in time or was revoked, one commit removes the keys that are attached
/// to it. Renewing writes no history.
public struct Lease: Sendable, Hashable {
    /// The lease's name within its config; positive.
    public var id: Int64
    /// The time to live that was granted: whole seconds.
    public var ttl: Duration
    /// The time at which the lease ends unless it is renewed.
    public var expiry: Timestamp
    /// Whether its end has begun: it cannot be renewed, nothing can be attached to it, and its keys are being removed.
    public var isEnding: Bool
    /// Raised by each renewal, so that a renewal to the same end is detected.
    ///
    /// A lease is granted with a random version, which distinguishes it from an earlier lease of the same id.
    public var version: Int64

    /// A lease; the caller chooses a random `version` for a new one.
    public init(id: Int64, ttl: Duration, expiry: Timestamp, isEnding: Bool = false, version: Int64 = 0) {
        self.id = id
        self.ttl = ttl
        self.expiry = expiry
        self.isEnding = isEnding
        self.version = version
    }

    /// Whether another read returned the same lease, not renewed in between; its end may have begun.
    public func isUnchanged(in other: Lease) -> Bool {
        id == other.id && expiry == other.expiry && version == other.version
    }
}
