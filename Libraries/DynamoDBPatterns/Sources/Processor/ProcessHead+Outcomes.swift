extension ProcessHead {
    /// The attempt that is counted already is left for later.
    func notBegun(rest: ProcessMove<State>.Rest) -> ProcessMove<State> {
        var next = self
        next.attempt -= 1
        return ProcessMove(head: next, rest: rest, hasBegun: false)
    }

    /// The attempt ended with a stop of its worker, which gives the process back: it has not failed, but it has begun,
    /// and may have taken effect.
    func interrupted() -> ProcessMove<State> {
        var next = self
        next.waits += 1
        next.isUnrecorded = true
        return ProcessMove(head: next, rest: .ready)
    }

    /// What follows from an effect that did not throw.
    func move(
        after outcome: StepOutcome, at now: Int64, _ steps: ProcessSteps<State>
    ) -> ProcessMove<State> {
        switch outcome {
        case .done: return passing(steps)
        case .fail(let reason): return turningBack(reason, begun: true, steps)
        case .wait(let pause): return waiting(until: now + max(pause.milliseconds, 0))
        case .waitForSignal(let longest):
            let end = waitUntil ?? now + max(longest.milliseconds, 0)
            var move =
                end > now
                ? waiting(until: end)
                : turningBack("The step “\(step)” waited for a signal in vain.", begun: true, steps)
            move.heedsSignals = true
            if end > now { move.head.waitUntil = end }
            return move
        }
    }

    private func waiting(until moment: Int64) -> ProcessMove<State> {
        var next = self
        // The attempts begin anew: those that failed before this one count no more.
        next.waits = attempt
        return ProcessMove(head: next, rest: .waiting(until: notPastDeadline(moment)), heedsSignals: true)
    }

    func notPastDeadline(_ moment: Int64) -> Int64 {
        phase == .running ? min(moment, deadline ?? moment) : moment
    }
}
