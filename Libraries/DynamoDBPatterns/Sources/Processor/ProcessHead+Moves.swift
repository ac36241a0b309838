/// What a worker writes down, and what follows.
struct ProcessMove<State: Codable & Sendable>: Sendable {
    enum Rest: Sendable, Hashable {
        /// The worker keeps the process, and goes on.
        case claimed
        /// Nobody goes on before this moment.
        case until(Int64)
        /// As `until`, but a signal wakes the process; the move is refused where one came that the step did not see.
        case waiting(until: Int64)
        /// Anybody goes on, at once.
        case ready
        /// An operator has to look.
        case stuck
        case ended
    }

    var head: ProcessHead<State>
    var rest: Rest
    var outgoing = Outgoing.Content()
    /// Whether a signal that the step did not see refuses the move.
    var heedsSignals = false
    /// Whether an attempt of the step at work was begun.
    var hasBegun = true

    /// Whether it says that the step at work is done.
    func hasSucceeded(over head: ProcessHead<State>) -> Bool {
        self.head.phase != .compensating && self.head.passed.count > head.passed.count
    }
}

extension ProcessHead {
    /// The step at work is done, or undone: on to the next one.
    func passing(_ steps: ProcessSteps<State>) -> ProcessMove<State> {
        var next = self
        if phase == .running {
            next.passed.append(step)
            guard let following = steps.after(step) else {
                next.phase = .done
                return ProcessMove(head: next, rest: .ended)
            }
            next.begin(following.name)
            return ProcessMove(head: next, rest: .claimed)
        }
        next.passed.removeLast()
        return next.undoing(steps)
    }

    /// The step at work looks again, since the process was changed: no failed attempt, yet one that began, where one did,
    /// and with a claim of full length, which the next record makes.
    mutating func lookAgain(after move: ProcessMove<State>) {
        if move.hasBegun {
            attempt += 1
            waits += 1
        }
        claimedUntil = 0
    }

    /// The process cannot go on: what began is undone, the last step first.
    ///
    /// - Parameters:
    ///   - failure: Why.
    ///   - begun: Whether an attempt of the step at work began.
    ///   - steps: The processor's.
    /// - Returns: The move.
    func turningBack(_ failure: String, begun: Bool, _ steps: ProcessSteps<State>) -> ProcessMove<State> {
        var next = self
        next.phase = .compensating
        next.failure = failure.shortened
        // A step that is not known here is left to who knows it.
        if begun, isUnrecorded || steps[step]?.compensatesFailures ?? true { next.passed.append(step) }
        return next.undoing(steps)
    }

    /// The attempts of the step at work are used up: back, or, if that is where the process goes already, an operator
    /// has to look.
    func givingUp(_ failure: String, _ steps: ProcessSteps<State>) -> ProcessMove<State> {
        phase == .running ? turningBack(failure, begun: true, steps) : stopping(failure)
    }

    /// An operator has to look.
    func stopping(_ failure: String) -> ProcessMove<State> {
        var next = self
        next.lastError = failure.shortened
        return ProcessMove(head: next, rest: .stuck)
    }

    /// To the last step that is still to be undone; one that nobody knows any more is not passed over.
    private func undoing(_ steps: ProcessSteps<State>) -> ProcessMove<State> {
        var next = self
        while let last = next.passed.last {
            if let step = steps[last], step.compensation == nil {
                next.passed.removeLast()
            } else {
                next.begin(last)
                return ProcessMove(head: next, rest: .claimed)
            }
        }
        next.phase = .compensated
        return ProcessMove(head: next, rest: .ended)
    }

    /// The worker that writes this down goes on with the first attempt, which is counted before it begins.
    private mutating func begin(_ name: String) {
        step = name
        attempt = 1
        waits = 0
        waitUntil = nil
        renewals = 0
        isUnrecorded = false
        unknownSince = nil
    }
}

extension String {
    /// So much of it as a process keeps; by scalars, since a character may be of any length.
    var shortened: String { String(String.UnicodeScalarView(unicodeScalars.prefix(500))) }
}
