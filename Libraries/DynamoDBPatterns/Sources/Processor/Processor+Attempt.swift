#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import Logging
import Synchronization

extension PatternError.Code {
    /// Something was not there, or not done, in the time that it had.
    public static let timedOut = PatternError.Code(rawValue: "timedOut")
}

extension Processor {
    /// What is to be written down next: runs the step at work, where there is nothing to say before.
    ///
    /// - Parameters:
    ///   - head: The process, which this worker has claimed.
    ///   - id: Its identity.
    ///   - end: Until when this worker may work, in milliseconds since 1970.
    /// - Returns: The move.
    /// What a step throws is part of the move.
    func move(_ head: ProcessHead<State>, of id: String, until end: Int64?) async -> ProcessMove<State> {
        let isForward = head.phase == .running
        if isForward, let reason = head.cancellation ?? lateness(of: head) {
            return head.turningBack(reason, begun: head.attempt > 1, steps)
        }
        guard let step = steps[head.step] else { return leavingUnknown(head) }
        var head = head
        head.unknownSince = nil
        guard head.tries <= step.retry.attempts else {
            return head.givingUp("The last attempt of “\(step.name)” ended with its worker.", steps)
        }
        guard !WorkerStop.isAskedFor, hasTime(for: step.timeout, until: end) else {
            return head.notBegun(rest: .ready)
        }
        // Whoever was away so long begins nothing before it knows that the process is still its own.
        guard clock.milliseconds < head.claimedUntil else { return renewing(head) }
        let context = context(of: head, id, step)
        do {
            let (state, outcome) = try await run(step, isForward: isForward, head.state, context)
            var next = head
            next.state = state
            var move = next.move(after: outcome, at: clock.milliseconds, steps)
            move.outgoing = context.outgoing.content.withLock { $0 }
            return move
        } catch {
            // Whatever it threw, the stop may be why; only what is permanent is not.
            if Task.isCancelled, (error as? PatternError)?.code != .poison { return head.interrupted() }
            return failing(head, error)
        }
    }

    private func lateness(of head: ProcessHead<State>) -> String? {
        guard let deadline = head.deadline, deadline <= clock.milliseconds else { return nil }
        return "The process was not done in time."
    }

    /// A step that this worker does not know: one of a newer deployment's perhaps, and for its workers then.
    private func leavingUnknown(_ head: ProcessHead<State>) -> ProcessMove<State> {
        var next = head
        let reason = "There is no step “\(head.step)”."
        let since = head.unknownSince ?? clock.milliseconds
        next.unknownSince = since
        next.lastError = reason
        guard clock.milliseconds - since < 900_000 else { return next.notBegun(rest: .stuck) }
        return next.notBegun(rest: .until(clock.milliseconds + 30_000))
    }

    /// The claim is over before the step began: once more, but not for ever, since a lease may be too short for any
    /// write to be in time.
    private func renewing(_ head: ProcessHead<State>) -> ProcessMove<State> {
        var next = head
        next.renewals += 1
        guard next.renewals > 3 else { return ProcessMove(head: next, rest: .claimed, hasBegun: false) }
        let reason = "DynamoDB's answers take longer than the processor's lease of \(lease) ms."
        logger.warning("A step was put off. \(reason)", metadata: ["processor.name": "\(name)"])
        next.lastError = reason
        return next.notBegun(rest: .until(next.notPastDeadline(clock.milliseconds + max(lease, 1000))))
    }

    /// One attempt failed: again after a pause, or not at all.
    func failing(_ head: ProcessHead<State>, _ error: any Error) -> ProcessMove<State> {
        logger.info(
            "An attempt of a step failed.",
            metadata: [
                "processor.name": "\(name)", "processor.step": "\(head.step)", "error.type": "\(type(of: error))",
            ])
        table.metrics.failed(MetricSubject("processor", name))
        var next = head
        next.lastError = String(describing: error).shortened
        let retry = steps[head.step]?.retry ?? StepRetry()
        if head.tries >= retry.attempts || (error as? PatternError)?.code == .poison {
            return next.givingUp(next.lastError ?? "", steps)
        }
        let pause = retry.pause(after: head.tries, random: clock.random())
        return ProcessMove(head: next, rest: .until(next.notPastDeadline(clock.milliseconds + pause)))
    }

    func hasTime(for timeout: Duration?, until end: Int64?) -> Bool {
        guard let end else { return true }
        return clock.milliseconds + (timeout?.milliseconds ?? lease) <= end
    }

    private func context(of head: ProcessHead<State>, _ id: String, _ step: Step<State>) -> StepContext {
        let effectKey = "\(name)/\(id)/\(step.name)"
        return StepContext(
            process: id, step: step.name, attempt: head.tries,
            idempotencyKey: head.phase == .running ? effectKey : effectKey + "!undo", effectKey: effectKey,
            deadline: Date(
                milliseconds: min(clock.milliseconds + (step.timeout?.milliseconds ?? lease), head.claimedUntil)),
            signals: head.signals)
    }

    private func run(
        _ step: Step<State>, isForward: Bool, _ state: State, _ context: StepContext
    ) async throws -> (State, StepOutcome) {
        let work: @Sendable () async throws -> (State, StepOutcome) = {
            var state = state
            if isForward {
                let outcome = try await step.effect(&state, context)
                return (state, outcome)
            }
            try await step.compensation?(&state, context)
            return (state, .done)
        }
        guard let timeout = step.timeout else { return try await work() }
        return try await withThrowingTaskGroup(of: (State, StepOutcome)?.self) { group in
            defer { group.cancelAll() }
            group.addTask { try await work() }
            group.addTask {
                try await clock.sleep(timeout)
                return nil
            }
            guard let first = try await group.next(), let result = first else {
                throw PatternError(.timedOut, "The step “\(step.name)” took longer than its \(timeout).")
            }
            return result
        }
    }
}
