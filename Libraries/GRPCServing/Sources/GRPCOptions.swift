public import NIOCore

/// How calls are answered, and how much a client may ask.
public struct GRPCOptions: Sendable {
    /// Maximum number of calls at the same time on one connection; a client's library holds back the ones beyond.
    public var callsPerConnection = 2048
    /// Messages up to this size are decoded, and quick calls answered, on the event loop of their connection.
    public var inlineBytes = 16 << 10
    /// What counts the bytes of requests until they are handled.
    public var requests: any GRPCMemory
    /// What counts the bytes of answers until HTTP/2 lets them through.
    public var answers: any GRPCMemory
    /// How long a message may take to come, of which that many bytes are there.
    public var pace: @Sendable (Int) -> TimeAmount = { _ in .seconds(30) }
    /// How long a client may let nothing of an answer through, or may go on with a call that was answered.
    public var readingPatience = TimeAmount.seconds(120)
    /// How long nothing may come from a client before the server sends a PING.
    public var pingInterval = TimeAmount.seconds(60)
    /// How long nothing may come from a client after that before its connection is closed.
    public var pingPatience = TimeAmount.seconds(30)
    /// How long calls may take to end once the server stops; then their connection is closed.
    public var drain = TimeAmount.seconds(10)
    /// The status of a call for which there is no memory.
    public var overloaded = GRPCStatus(.resourceExhausted, "too many requests")
    /// The status of a call that ends because the server stops.
    public var stopped = GRPCStatus(.unavailable, "the server is stopping")
    /// The status for an error of a call.
    public var status: @Sendable (any Error, GRPCCall) -> GRPCStatus = { error, _ in
        error as? GRPCStatus ?? GRPCStatus(.unknown, "")
    }

    /// Options with these budgets for requests and answers, and the standard limits.
    public init(requests: any GRPCMemory, answers: any GRPCMemory) {
        self.requests = requests
        self.answers = answers
    }
}
