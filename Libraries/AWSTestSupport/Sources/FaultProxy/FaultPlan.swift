extension FaultProxy {
    /// Which faults happen, and how often.
    ///
    /// The same requests in the same order meet the same faults with the same seed; requests that come at the same time
    /// have no order.
    public struct Plan: Sendable {
        /// The faults, each as likely as any other that is possible for the operation.
        public var faults: [Fault]
        /// How many of a hundred requests go wrong.
        public var percentage: Int
        /// How many may go wrong one after the other, and how often the same request, so that those who try again come
        /// through.
        public var maximumInARow: Int
        /// Where the random numbers begin.
        public var seed: UInt64
        /// The operations that go wrong, such as `PutItem`; `nil` means all.
        public var operations: Set<String>?

        /// A plan; by default nearly every second request goes wrong, at most twice in a row.
        public init(
            faults: [Fault], percentage: Int = 45, maximumInARow: Int = 2, seed: UInt64,
            operations: Set<String>? = nil
        ) {
            self.faults = faults
            self.percentage = percentage
            self.maximumInARow = maximumInARow
            self.seed = seed
            self.operations = operations
        }
    }
}

/// The faults of a plan, in their order.
struct FaultSequence: Sendable {
    /// What happens to one request.
    struct Draw: Sendable, Equatable {
        var fault: FaultProxy.Fault
        /// Which of a transaction's items has the fault, modulo their number.
        var position: UInt64
    }

    /// More different requests than can be under way at once; beyond it the oldest are not remembered.
    private static let rememberedRequests = 10_000

    private let plan: FaultProxy.Plan
    private var generator: SeededGenerator
    private var inARow = 0
    private var rows: [Int: Int] = [:]

    init(_ plan: FaultProxy.Plan) {
        self.plan = plan
        generator = SeededGenerator(seed: plan.seed)
    }

    /// What happens to the next request.
    ///
    /// - Parameters:
    ///   - operation: What it asks for.
    ///   - identity: The same for the same request when it is sent again.
    /// - Returns: The fault, or `nil` if all goes well.
    mutating func next(operation: String, identity: Int) -> Draw? {
        if let operations = plan.operations, !operations.contains(operation) { return nil }
        // As many random numbers for each request, so that what happens to one does not shift the others.
        let (chance, choice, position) = (generator.next() % 100, generator.next(), generator.next())
        let faults = plan.faults.filter { $0.isPossible(for: operation) }
        let isDue = Int(chance) < plan.percentage && !faults.isEmpty
        guard isDue, inARow < plan.maximumInARow, rows[identity, default: 0] < plan.maximumInARow else {
            inARow = 0
            rows[identity] = nil
            return nil
        }
        inARow += 1
        if rows.count >= Self.rememberedRequests { rows.removeAll() }
        rows[identity, default: 0] += 1
        return Draw(fault: faults[Int(choice % UInt64(faults.count))], position: position)
    }
}
