import AWSClient
import DynamoDBPatterns
import DynamoDBPatternsTesting
import Testing

// The article of Libraries/DynamoDBPatternsTesting/Sources/DynamoDBPatternsTesting.docc has the code of this file word for word.

/// Writes one alert for each session with three clicks.
struct ClickAlerts: Sendable {
    struct Click: Codable, Sendable { var page: String }

    let clicks: Aggregator<Click, NoValue>
    let alerts: ShardedCounter

    init(in table: PatternTable) throws {
        clicks = try Aggregator("clicks", in: table, rule: .count(3), timeout: .seconds(3600))
        alerts = try ShardedCounter("alerts", in: table, shards: 4)
    }

    func receive(_ click: Click, id: String, session: String) async throws {
        guard try await clicks.add(click, id: id, to: session) == .completed else { return }
        do {
            try await clicks.act(on: session, alert)
        } catch let error as PatternError where error.code == .fenced {
            // This worker took longer than its lease, and another one has the set.
        }
    }

    func alert(_ set: Aggregate<Click, NoValue>) throws -> [TransactWriteItem] {
        set.isTimedOut ? [] : [try alerts.adding(to: set.key)]
    }
}

@Suite struct ClickAlertTests {
    private let ids = ["1", "2", "3"]

    @Test("Three clicks make one alert, whatever happens to which call")
    func faults() async throws {
        try await FaultSweep.run { run in
            let time = Simulation(seed: 1)
            let store = MemoryDynamoDB(clock: time.clock.now)
            try store.createPatternTable("patterns")
            func app(_ api: any DynamoDBAPI) throws -> ClickAlerts {
                try ClickAlerts(in: PatternTable("patterns", in: api, clock: time.clock))
            }
            for id in ids {
                try await run.deliver(to: store) { api in
                    try await app(api).receive(.init(page: "/"), id: id, session: "ann")
                }
            }
            // A worker that crashed while it acted holds the set for a lease of 60 seconds. Then a sweep acts.
            time.advance(by: .seconds(61))
            try await run.deliver(to: store) { api in
                let app = try app(api)
                try await app.clicks.sweep(app.alert)
            }
            let alerts = try await app(store).alerts.value(of: "ann")
            try run.check(alerts == 1, "\(alerts) alerts")
        }
    }
}

extension ClickAlertTests {
    @Test("Three clicks make one alert, in whatever order two workers and a sweep go on")
    func schedules() async throws {
        try await Simulation.explore(seeds: 0..<200) { simulation in
            let store = MemoryDynamoDB(clock: simulation.clock.now, seed: simulation.seed)
            try store.createPatternTable("patterns")
            @Sendable func app(_ process: SimulatedProcess) throws -> ClickAlerts {
                let api = process.dynamoDB(store, faults: .random(percent: 5))
                return try ClickAlerts(in: PatternTable("patterns", in: api, clock: process.clock))
            }
            for name in ["a", "b"] {
                simulation.spawn(name, skew: simulation.duration(in: .seconds(-2)...(.seconds(2)))) { process in
                    for id in ids { try await app(process).receive(.init(page: "/"), id: id, session: "ann") }
                }
            }
            simulation.spawn("sweep") { process in
                let app = try app(process)
                while try await app.alerts.value(of: "ann") == 0 {
                    try await process.clock.sleep(.seconds(30))
                    try await app.clicks.sweep(app.alert)
                }
            }
            try await simulation.run()
            let table = PatternTable("patterns", in: store, clock: simulation.clock)
            let alerts = try await ClickAlerts(in: table).alerts.value(of: "ann")
            try simulation.check(alerts == 1, "\(alerts) alerts")
        }
    }
}

extension ClickAlertTests {
    @Test("A function on the stream writes one alert, also if Lambda delivers each batch twice")
    func stream() async throws {
        let store = MemoryDynamoDB()
        try store.createPatternTable("patterns")
        let app = try ClickAlerts(in: PatternTable("patterns", in: store))
        for id in ids { _ = try await app.clicks.add(.init(page: "/"), id: id, to: "ann") }

        let function = try StreamProcessor<[String: AttributeValue]>("alerts") { change in
            try await app.clicks.handle(change.record, app.alert)
        }
        let mapping = try EventSourceMapping(filter: app.clicks.filterCriteria)
        let stream = try #require(store.streamARN(of: "patterns"))
        var runner = EventSourceRunner(mapping, of: stream, in: store, faults: .init(duplicates: 1)) { event in
            try await function.answer(event: event)
        }
        let progress = try await runner.drain()
        #expect(progress.repeated == 1)
        #expect(try await app.alerts.value(of: "ann") == 1)
    }
}
