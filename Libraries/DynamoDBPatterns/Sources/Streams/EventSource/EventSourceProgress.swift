/// What an `EventSourceRunner` did.
public struct EventSourceProgress: Sendable, Hashable {
    /// Records that were read from the stream.
    public var read = 0
    /// Records of those that the filter left: they cost no invocation.
    public var filtered = 0
    /// Calls of the function.
    public var invocations = 0
    /// Calls of those that failed, in whole or from one record on.
    public var failures = 0
    /// Records that the function is done with.
    public var handled = 0
    /// Records that were given up: tried too often, or too old.
    public var discarded = 0
    /// Batches that were kept for another delivery although they had succeeded; see `EventSourceRunner.Faults`.
    public var repeated = 0
    /// How often records were gone before they were read: the runner was away for more than 24 hours.
    public var gaps = 0

    /// Nothing yet.
    public init() {}

    /// Whether there was nothing to do.
    public var isIdle: Bool { self == EventSourceProgress() }

    static func += (left: inout EventSourceProgress, right: EventSourceProgress) {
        left.read += right.read
        left.filtered += right.filtered
        left.invocations += right.invocations
        left.failures += right.failures
        left.handled += right.handled
        left.discarded += right.discarded
        left.repeated += right.repeated
        left.gaps += right.gaps
    }
}
