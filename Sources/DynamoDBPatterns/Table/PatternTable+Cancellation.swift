extension PatternTable {
    /// Makes a request also for a task that was cancelled, whose requests would be cancelled with it.
    static func evenIfCancelled<Value: Sendable>(
        _ request: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        guard Task.isCancelled else { return try await request() }
        return try await Task { try await request() }.value
    }
}
