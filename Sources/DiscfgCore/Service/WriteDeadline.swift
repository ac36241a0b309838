/// By when the store must have answered the writes of a task, for engines that look at such a moment.
///
/// Writes of several tasks share one append. It is carried out in a task of its own, under the latest moment of the writes in it.
public struct WriteDeadline: Sendable {
    /// The moment of the current task; `nil` if there is none.
    public var current: @Sendable () -> ContinuousClock.Instant?
    /// Carries something out under a moment.
    public var apply: @Sendable (_ deadline: ContinuousClock.Instant?, _ body: @Sendable () async -> Void) async -> Void

    /// Deadlines that are kept by `current` and `apply`, such as a task local of an engine's client.
    public init(
        current: @escaping @Sendable () -> ContinuousClock.Instant?,
        apply:
            @escaping @Sendable (
                _ deadline: ContinuousClock.Instant?, _ body: @Sendable () async -> Void
            ) async -> Void
    ) {
        self.current = current
        self.apply = apply
    }

    /// No write has a moment.
    public static let none = WriteDeadline(current: { nil }, apply: { _, body in await body() })
}
