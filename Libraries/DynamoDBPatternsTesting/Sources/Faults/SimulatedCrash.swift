/// A process of a test ended in the middle of its work, as by a power failure.
///
/// Code under test lets it through, as any error that it does not know.
public struct SimulatedCrash: Error, Sendable, Hashable {
    /// A crash.
    public init() {}
}
