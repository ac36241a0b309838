import AWSClient

/// What is stored of a key.
struct IdempotencyRecord: Sendable {
    enum Attribute {
        /// A `WorkState`: running or done.
        static let status = "status"
        /// The token of the call that claimed the key.
        static let claim = "claim"
        /// Until when the claim lasts, in milliseconds since 1970.
        static let until = "until"
        /// The hash of the payload.
        static let payload = "payload"
        static let answer = "answer"
        static let attempt = "attempt"
    }

    /// In place of a token, after the claim was given back.
    static let unclaimed = "-"

    let isDone: Bool
    let claim: String
    /// Until when the claim lasts; 0 if it is done.
    let until: Int64
    let payload: String
    let answer: AttributeValue?
    let attempt: Int
    /// When it counts as deleted, in seconds since 1970.
    let expiry: Int64

    /// - Throws: `PatternError` with code `corrupt`.
    init(_ item: StoredItem) throws(PatternError) {
        guard let status = item[Attribute.status]?.string.flatMap(WorkState.init), status != .open,
            let claim = item[Attribute.claim]?.string, let payload = item[Attribute.payload]?.string,
            let expiry = item[PatternTable.Attribute.timeToLive]?.int64
        else { throw PatternError(.corrupt, "The item of an idempotency key is not what this library writes.") }
        isDone = status == .done
        self.claim = claim
        until = item[Attribute.until]?.int64 ?? 0
        self.payload = payload
        self.expiry = expiry
        answer = item[Attribute.answer]
        attempt = max(item[Attribute.attempt]?.int ?? 1, 1)
    }

    /// That a key may be claimed: nothing is stored, what is stored has expired, or its claim is over.
    static func isFree(for payload: String, at now: Int64) -> Condition {
        .any([
            .absent(PatternTable.Attribute.partition),
            .atMost(PatternTable.Attribute.timeToLive, .integer(now / 1000)),
            .all([
                .equals(Attribute.status, .string(WorkState.running.rawValue)),
                .atMost(Attribute.until, .integer(now)),
                .equals(Attribute.payload, .string(payload)),
            ]),
        ])
    }

    /// That a call still has the key.
    static func isClaimed(by claim: String) -> Condition {
        .isRunning(Attribute.status, by: Attribute.claim, .string(claim))
    }
}
