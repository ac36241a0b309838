import DynamoDBPatterns

/// A DynamoDB whose calls take simulated time.
struct SimulatedDynamoDB: DynamoDBDecorator {
    let base: any DynamoDBAPI
    let process: String
    let simulation: Simulation

    func around<Answer: Sendable>(
        _ call: DynamoDBCall, _ carryOut: () async throws -> Answer
    ) async throws -> Answer {
        try await simulation.park(simulation.latency(), process: process, event: call.operation.rawValue)
        let result: Result<Answer, any Error>
        do {
            result = .success(try await carryOut())
        } catch {
            result = .failure(error)
        }
        // Mostly the answer's way is as good as the next request's; now and then others act before it is seen.
        if simulation.chance(percent: 25) {
            try await simulation.park(
                simulation.latency(), process: process, event: call.operation.rawValue + " answered")
        }
        return try result.get()
    }
}
