import Synchronization

/// Counts from 0.
final class Attempts: Sendable {
    private let count = Atomic(-1)

    func next() -> Int { count.add(1, ordering: .relaxed).newValue }
}
