import Synchronization

/// What a client can still spend on retries: when most calls fail, trying each again would make an outage worse.
final class RetryQuota: Sendable {
    private let capacity: Int
    private let available: Mutex<Int>

    init(capacity: Int) {
        self.capacity = capacity
        available = Mutex(capacity)
    }

    /// Takes what a retry costs, if that is there.
    func acquire(_ cost: Int) -> Bool {
        available.withLock { available in
            guard available >= cost else { return false }
            available -= cost
            return true
        }
    }

    /// Puts back after a success, up to the capacity.
    func release(_ amount: Int) {
        available.withLock { $0 = min(capacity, $0 + amount) }
    }
}
