/// Asks an endpoint of this machine or its neighbourhood, and asks again if that may help.
struct LocalAnswers: Sendable {
    let transport: any HTTPTransport
    /// The time limits of one attempt.
    let timeout: Duration
    private static let tries = 3
    private static let pause = Duration.milliseconds(100)

    /// Sends a request up to three times.
    ///
    /// - Parameter request: What to send.
    /// - Returns: The first answer that is not an error of the server, or else the last one.
    /// - Throws: `TransportError` if none came, or `CancellationError`.
    func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        for turn in 1..<Self.tries {
            do {
                let response = try await transport.send(request, timeout: timeout)
                if response.status < 500, response.status != 429 { return response }
            } catch is TransportError {
                // The next turn may do better.
            }
            try await Task.sleep(for: Self.pause * turn)
        }
        return try await transport.send(request, timeout: timeout)
    }
}
