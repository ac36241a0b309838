/// Runs a scenario once for every call that it makes and every fault that can happen to it.
///
/// ```swift
/// try await FaultSweep.run { run in
///     let store = MemoryDynamoDB()
///     try store.createPatternTable("patterns")
///     try await run.deliver(to: store) { api in
///         try await Aggregator(…, in: PatternTable("patterns", in: api), …).add(member, id: "1", to: key)
///     }
///     try run.check(store.items(in: "patterns").count == 1, "The member was lost, or counted twice.")
/// }
/// ```
///
/// The first run has no fault and counts the calls. The scenario has to make the same calls each time until the fault:
/// a new store, nothing at the same time, and no real clock. A `Simulation` without processes is a clock that is set by
/// hand: its pauses are over at once, and `advance(by:)` lets leases run out between two deliveries.
public enum FaultSweep {
    /// Runs a scenario with each fault at each call.
    ///
    /// - Parameters:
    ///   - faults: Which faults.
    ///   - depth: How many faults happen in one run at most. Two of them find what goes wrong when what repairs the first
    ///     one fails itself; the number of runs is about the square.
    ///   - isAffected: Which calls go wrong; by default all.
    ///   - maximumRuns: How many runs are too many.
    ///   - scenario: Does its work through the `FaultedRun`, and checks what has to hold.
    /// - Returns: How many runs there were.
    /// - Throws: `FaultSweepFailure`, which says what happened to which call.
    @discardableResult public static func run(
        faults: [Fault] = Fault.allCases, depth: Int = 1,
        where isAffected: @escaping @Sendable (DynamoDBCall) -> Bool = { _ in true },
        maximumRuns: Int = 100_000, _ scenario: @Sendable (FaultedRun) async throws -> Void
    ) async throws -> Int {
        var plans: [[Int: Fault]] = [[:]]
        var runs = 0
        while let plan = plans.popLast() {
            try Task.checkCancellation()
            let run = FaultedRun(plan, where: isAffected)
            runs += 1
            do {
                try await scenario(run)
                try run.checkFaultsHappened()
            } catch {
                try Task.checkCancellation()
                throw FaultSweepFailure(faults: run.description, cause: error)
            }
            guard plan.count < depth else { continue }
            let calls = run.calls
            for number in calls.indices.map({ $0 + 1 }).reversed() where number > plan.keys.max() ?? 0 {
                for fault in faults.reversed() where fault.isPossible(for: calls[number - 1]) {
                    plans.append(plan.merging([number: fault]) { first, _ in first })
                }
            }
            guard runs + plans.count <= maximumRuns else {
                throw FaultSweepFailure(
                    faults: run.description, cause: InvariantViolation("More than \(maximumRuns) runs are needed."))
            }
        }
        return runs
    }
}

/// A scenario failed; says with which faults.
public struct FaultSweepFailure: Error, Sendable, CustomStringConvertible {
    /// What happened to which call.
    public let faults: String
    /// What was wrong: `InvariantViolation`, or what the scenario threw.
    public let cause: any Error

    /// The faults of the run that failed, and the error.
    public var description: String { "With \(faults): \(cause)" }
}
