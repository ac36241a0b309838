import DynamoDBPatterns
import DynamoDBPatternsTesting
import Synchronization

/// What the effects of processes do outside, where nothing is rolled back: it carries each idempotency key out once, and
/// refuses an effect that was undone before it came.
final class Bank: Sendable {
    /// One thing that happened to a process, the first time that it happened.
    enum Event: Hashable {
        case done(step: String)
        case undone(step: String)
    }

    private struct State {
        /// Which step each key was used for, and what became of it.
        var keys: [String: String] = [:]
        var events: [String: [Event]] = [:]
        var violations: [String] = []
    }

    private let state = Mutex(State())

    /// What happened to a process, in order.
    func events(of process: String) -> [Event] { state.withLock { $0.events[process] ?? [] } }

    /// Whatever was used in a way that no order of workers explains.
    var violations: [String] { state.withLock { $0.violations } }

    /// Carries an effect out, once for each key.
    func carryOut(_ context: StepContext) throws {
        try state.withLock { state in
            use(context, &state)
            if state.keys[context.effectKey + "!undo"] != nil { throw PatternError(.poison, "It was undone.") }
            add(.done(step: context.step), context.process, &state)
        }
    }

    /// Undoes an effect, also one that never came: from now on it is refused.
    func undo(_ context: StepContext) {
        state.withLock { state in
            use(context, &state)
            add(.undone(step: context.step), context.process, &state)
        }
    }

    private func use(_ context: StepContext, _ state: inout State) {
        let user = "\(context.process) \(context.step)"
        if let other = state.keys[context.idempotencyKey], other != user {
            state.violations.append("The key \(context.idempotencyKey) was used by \(other) and \(user).")
        }
        state.keys[context.idempotencyKey] = user
    }

    private func add(_ event: Event, _ process: String, _ state: inout State) {
        let known = state.events[process] ?? []
        if !known.contains(event) { state.events[process] = known + [event] }
    }
}

/// What has to hold of processes when all is over, whatever happened on the way.
struct ProcessLaws {
    let steps: [String]
    let bank: Bank
    /// What was delivered, in order: the processes and the numbers of their messages.
    let deliveries: [(process: String, number: Int64, body: String)]

    /// The first law that a process broke; `nil` for none.
    func broken(by id: String, _ status: ProcessStatus<Order>) -> String? {
        let events = bank.events(of: id)
        let done = events.compactMap { if case .done(let step) = $0 { step } else { nil } }
        let undone = events.compactMap { if case .undone(let step) = $0 { step } else { nil } }
        if let violation = bank.violations.first { return violation }
        if done != Array(steps.prefix(done.count)) { return "The steps came in the order \(done)." }
        if let first = events.firstIndex(where: { if case .undone = $0 { true } else { false } }),
            events[first...].contains(where: { if case .done = $0 { true } else { false } })
        {
            return "An effect came after the way back began: \(events)."
        }
        if undone != steps.filter(Set(undone).contains).reversed() { return "It was undone in the order \(undone)." }
        let forward = status.state.steps.filter { !$0.hasPrefix("!") }
        if forward != Array(steps.prefix(forward.count)) { return "The state was written by several: \(forward)." }
        switch status.phase {
        case .done:
            if done != steps || !undone.isEmpty { return "It is done, with \(events)." }
        case .compensated:
            if !Set(undone).isSuperset(of: done) { return "It is undone, with \(events)." }
        case .running, .compensating: return "It has not ended: \(status)."
        }
        return brokenMessages(of: id, status)
    }

    private func brokenMessages(of id: String, _ status: ProcessStatus<Order>) -> String? {
        var firsts: [(number: Int64, body: String)] = []
        for (_, number, body) in deliveries.filter({ $0.process == id }) {
            if let known = firsts.first(where: { $0.number == number }) {
                if known.body != body { return "The message \(number) was \(known.body), and then \(body)." }
            } else {
                firsts.append((number, body))
            }
        }
        if firsts.map(\.number) != Array(0..<Int64(firsts.count)).map({ $0 + 1 }) {
            return "The messages came in the order \(firsts.map(\.number))."
        }
        return firsts.map(\.body) == status.state.sent
            ? nil : "What was sent is \(firsts.map(\.body)), what was written down \(status.state.sent)."
    }
}
