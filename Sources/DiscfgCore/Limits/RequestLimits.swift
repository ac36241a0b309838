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
