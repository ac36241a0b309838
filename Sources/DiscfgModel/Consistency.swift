/// The freshness that a read requires.
public enum Consistency: Sendable, Hashable {
    /// The read sees every write that was acknowledged before it began.
    case strong
    /// The read may be a little older, and costs less if the store is remote.
    case eventual
}
