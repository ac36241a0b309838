import Synchronization

/// Counts calls, perhaps over several `FaultyDynamoDB`.
final class CallCounter: Sendable {
    private let counted = Mutex<[DynamoDBCall]>([])

    var value: Int { counted.withLock { $0.count } }
    var all: [DynamoDBCall] { counted.withLock { $0 } }

    /// Counts one; the first is 1.
    func next(_ call: DynamoDBCall) -> Int {
        counted.withLock {
            $0.append(call)
            return $0.count
        }
    }
}

/// Whether a process is still there.
final class ProcessLife: Sendable {
    private let ended = Mutex(false)

    var hasEnded: Bool { ended.withLock { $0 } }

    /// Ends the process; the error is what it sees of it.
    func end() -> SimulatedCrash {
        ended.withLock { $0 = true }
        return SimulatedCrash()
    }
}
