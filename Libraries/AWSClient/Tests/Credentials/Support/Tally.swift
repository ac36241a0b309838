import Synchronization

/// Counts from many tasks.
final class Tally: Sendable {
    private let number = Mutex(0)

    var value: Int { number.withLock { $0 } }

    /// The next number, from 1.
    @discardableResult
    func next() -> Int {
        number.withLock { number in
            number += 1
            return number
        }
    }
}
