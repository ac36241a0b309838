public import DiscfgCore
import Synchronization

/// An engine whose writes go wrong as they do in the real world, by a plan that comes again with the same seed.
///
/// It keeps the contract of `StorageEngine`: what it throws, an engine may throw. So whatever is built on engines must work
/// on this one as well.
public final class FaultyEngine: EngineWrapper {
    /// What can happen to an append.
    public enum Fault: Sendable, Hashable, CaseIterable {
        /// It takes effect, but the reply is lost: `outcomeUnknown`.
        case lostReply
        /// It does not take effect, and nobody can tell: `outcomeUnknown`.
        case lostRequest
        /// The store refuses before it does anything: `storeUnavailable`.
        case refusal
        /// It takes longer.
        case delay
        /// Another writer commits first, a commit without changes.
        case conflict
    }

    /// Which faults happen, and how often.
    public struct Plan: Sendable {
        /// The faults.
        public var faults: [Fault]
        /// How many of a hundred appends go wrong.
        public var percentage: Int
        /// How many may go wrong one after the other, so that those who try again come through.
        public var maximumInARow: Int
        /// Where the random numbers begin.
        public var seed: UInt64

        /// A plan; by default nearly every second append goes wrong, at most twice in a row.
        public init(_ faults: [Fault], percentage: Int = 45, maximumInARow: Int = 2, seed: UInt64) {
            self.faults = faults
            self.percentage = percentage
            self.maximumInARow = maximumInARow
            self.seed = seed
        }
    }

    private struct State {
        var generator: SeededGenerator
        var inARow = 0
        var counts: [Fault: Int] = [:]
    }

    /// The engine inside.
    public let engine: any StorageEngine
    private let plan: Plan
    private let state: Mutex<State>

    /// An engine around another.
    public init(_ engine: any StorageEngine, plan: Plan) {
        self.engine = engine
        self.plan = plan
        state = Mutex(State(generator: SeededGenerator(seed: plan.seed)))
    }

    /// How often each fault has happened.
    public var faultCounts: [Fault: Int] { state.withLock { $0.counts } }

    private func nextFault() -> Fault? {
        state.withLock { state in
            guard state.inARow < plan.maximumInARow, Int.random(in: 0..<100, using: &state.generator) < plan.percentage,
                let fault = plan.faults.randomElement(using: &state.generator)
            else {
                state.inARow = 0
                return nil
            }
            state.inARow += 1
            state.counts[fault, default: 0] += 1
            return fault
        }
    }

    /// Appends, unless the plan chooses a fault for this append: then it is lost, refused, delayed or has a conflict.
    public func append(_ commits: [Commit], to config: ConfigName, incarnation: String?) async throws -> AppendOutcome {
        switch nextFault() {
        case .lostReply:
            _ = try await engine.append(commits, to: config, incarnation: incarnation)
            throw DiscfgError(.outcomeUnknown, "The reply was lost.")
        case .lostRequest:
            throw DiscfgError(.outcomeUnknown, "The request was lost.")
        case .refusal:
            throw DiscfgError(.storeUnavailable, "The store is not available.")
        case .delay:
            try? await Task.sleep(for: .milliseconds(2))
        case .conflict:
            let tail = try await engine.tail(of: config)
            let other = Commit(
                revision: tail.revision + 1, time: tail.time, author: "other", message: "first", changes: [])
            _ = try await engine.append([other], to: config)
        case nil: break
        }
        return try await engine.append(commits, to: config, incarnation: incarnation)
    }
}
