import DynamoDBPatterns
import DynamoDBPatternsTesting

/// What a contestant asks of DynamoDB, which in memory counts units as the real one bills them.
struct Cost: Sendable {
    let name: String
    let event: String
    /// How many events it is the cost of.
    let events: Int
    let requests: Int
    let writeUnits: Double
    let readUnits: Double
    var filtered: Int?
    var unfiltered: Int?

    init(_ name: String, of event: String, _ events: Int, _ usage: MemoryDynamoDB.Usage) {
        self.name = name
        self.event = event
        self.events = events
        requests = usage.requests.values.reduce(0, +)
        writeUnits = usage.writeUnits
        readUnits = usage.readUnits
    }
}

extension Contestant {
    /// Has each event come once, one after the other.
    ///
    /// - Returns: The costs of the events, and of what is done once for all of them; how many results were wrong.
    func costs() async throws -> (costs: [Cost], mistakes: Int) {
        let clock = Place.tickingClock()
        let memory = MemoryDynamoDB(clock: clock.now)
        try memory.createPatternTable("patterns")
        let place = Place("patterns", in: memory, clock: clock)
        try await prepare(at: place)
        memory.resetUsage()
        let work = try worker(at: place)
        for number in 0..<eventCount / eventsInOrder { try await work(number, 0) }
        var cost = Cost(way, of: event, eventCount, memory.usage)
        if wakesFunction {
            if let filter = try filter(at: place) { cost.filtered = try await invocations(in: memory, filter: filter) }
            cost.unfiltered = try await invocations(in: memory, filter: nil)
        }
        var costs = [cost]
        memory.resetUsage()
        if let finish = try await finish(at: place) {
            costs.append(Cost(finish.way, of: finish.event, 1, memory.usage))
        }
        return (costs, try await mistakes(at: place))
    }

    /// How often Lambda would call a function, one record at a time.
    private func invocations(in memory: MemoryDynamoDB, filter: FilterCriteria?) async throws -> Int {
        var runner = EventSourceRunner(
            try EventSourceMapping(filter: filter, batchSize: 1), of: memory.streamARN(of: "patterns") ?? "",
            in: memory
        ) { _ in [] }
        return try await runner.drain(maximumSteps: 100_000).invocations
    }
}
