/// Which calls go wrong, and how.
///
/// ```swift
/// .at(call: 3, .lostReply)                            // the third call
/// .at([1: .crashAfter, 4: .throttled])                // two of them
/// .at(call: 1, .crashAfter).where(\.isWrite)          // the first write
/// .random(seed: 7, percent: 10)                       // every tenth call, the same ones with the same seed
/// ```
public struct FaultPlan: Sendable {
    private enum Choice: Sendable {
        case at([Int: Fault])
        case random(seed: UInt64, percent: Int, faults: [Fault])
    }

    private var choice: Choice
    private var isCounted: @Sendable (DynamoDBCall) -> Bool = { _ in true }

    /// Nothing goes wrong.
    public static let none = FaultPlan(choice: .at([:]))

    /// One call goes wrong.
    ///
    /// - Parameters:
    ///   - number: Which one, from 1.
    ///   - fault: What happens to it.
    /// - Returns: The plan.
    public static func at(call number: Int, _ fault: Fault) -> FaultPlan { .at([number: fault]) }

    /// Some calls go wrong: by their numbers, from 1.
    public static func at(_ faults: [Int: Fault]) -> FaultPlan { FaultPlan(choice: .at(faults)) }

    /// Some calls go wrong.
    ///
    /// - Parameters:
    ///   - seed: The same seed gives the same faults. A `SimulatedProcess` mixes the simulation's seed in.
    ///   - percent: How many of a hundred calls.
    ///   - faults: What happens to them, each as likely as the others.
    /// - Returns: The plan.
    public static func random(seed: UInt64 = 0, percent: Int, faults: [Fault] = Fault.allCases) -> FaultPlan {
        FaultPlan(choice: .random(seed: seed, percent: percent, faults: faults))
    }

    /// The same plan for some calls only; others neither go wrong nor are counted.
    ///
    /// - Parameter isAffected: Whether a call is one of them.
    /// - Returns: The plan.
    public func `where`(_ isAffected: @escaping @Sendable (DynamoDBCall) -> Bool) -> FaultPlan {
        var plan = self
        plan.isCounted = { [isCounted] in isCounted($0) && isAffected($0) }
        return plan
    }

    /// Whether a call has a number.
    func counts(_ call: DynamoDBCall) -> Bool { isCounted(call) }

    /// What happens to a call.
    ///
    /// - Parameters:
    ///   - number: Which one it is of those that count, from 1.
    ///   - call: What it is.
    /// - Returns: The fault; `nil` if all goes well.
    func fault(at number: Int, for call: DynamoDBCall) -> Fault? {
        switch choice {
        case .at(let faults): return faults[number].flatMap { $0.isPossible(for: call) ? $0 : nil }
        case .random(let seed, let percent, let faults):
            var generator = SeededGenerator(seed: seed ^ (UInt64(number) &* 0xD605_1BCD_2C56_9A5B))
            guard Int(generator.next() % 100) < percent else { return nil }
            let possible = faults.filter { $0.isPossible(for: call) }
            return possible.isEmpty ? nil : possible[Int(generator.next() % UInt64(possible.count))]
        }
    }

    /// The same plan with other chance.
    func mixed(with seed: UInt64) -> FaultPlan {
        guard case .random(let own, let percent, let faults) = choice else { return self }
        var plan = self
        plan.choice = .random(seed: own ^ seed, percent: percent, faults: faults)
        return plan
    }
}
