/// What requests may hold, and how slowly they may come; the servers of a process share them.
package struct RequestLimits: Sendable {
    /// Maximum number of JSON values in one body.
    package static let jsonValues = 1_000_000
    /// Answers up to this size are not counted.
    package static let smallAnswer = 64 << 10

    /// The bytes of all request bodies under way, and of what is made of them.
    package var bodies: MemoryBudget
    /// The bytes of all answers that their clients have not read yet.
    package var answers: MemoryBudget
    package var pace = BodyPace()
    /// How long a client may read nothing of an answer.
    package var readingPatience = Duration.seconds(120)

    /// Limits with as much memory for answers as for bodies.
    package init(bodies: MemoryBudget = MemoryBudget()) {
        self.bodies = bodies
        answers = MemoryBudget(bodies.limit)
    }
}

/// The least rate of a request's body.
package struct BodyPace: Sendable {
    /// How long a body may take in any case.
    package var grace: Duration = .seconds(30)
    /// What has to come after that, on average.
    package var bytesPerSecond = 32 << 10

    package init() {}

    /// How long a body may have taken when so many bytes are there.
    package func patience(after bytes: Int) -> Duration {
        grace + .milliseconds(Int64(bytes) * 1000 / Int64(bytesPerSecond))
    }
}
