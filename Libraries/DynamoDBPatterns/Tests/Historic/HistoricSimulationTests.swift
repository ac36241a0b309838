import AWSClient
import DynamoDBPatternsTesting
import Foundation
import Synchronization
import Testing

@testable import DynamoDBPatterns

@Suite struct HistoricSimulationTests {
    typealias Store = DynamoDBAPI & StreamsAPI

    /// Writers with wrong clocks, who change, delete and insert one document, and a consumer that crashes and gets
    /// records again. In the end each moment is looked at.
    @Sendable static func lives(
        _ simulation: Simulation, through: @escaping @Sendable (MemoryDynamoDB) -> any Store = { $0 }
    ) async throws {
        let store = MemoryDynamoDB(clock: simulation.clock.now, seed: simulation.seed)
        try store.createTable("documents")
        try store.createPatternTable("history")
        let begin = simulation.clock.now()
        let written = CallCount()
        for name in ["a", "b"] {
            let next = CallCount()
            simulation.spawn(name, skew: simulation.duration(in: .seconds(-30)...(.seconds(30)))) { process in
                let table = Self.documents(process.dynamoDB(store, faults: .random(percent: 5)), process.clock)
                while case let number = next.next(), number <= 6 {
                    try await process.clock.sleep(.milliseconds(Int64(process.clock.random() % 4000)))
                    do {
                        if process.clock.random() % 4 == 0, let document = try await table.load("a") {
                            try await table.delete(document)
                        } else {
                            try await table.update("a", orInsert: Document(text: "")) { $0.text = "\(name)\(number)" }
                        }
                    } catch is Conflict<Document> {}
                }
                _ = written.next()
            }
        }
        let position = Mutex(0)
        simulation.spawn("consumer") { process in
            let api = process.dynamoDB(through(store), faults: .random(percent: 5))
            let history = try Self.history(api, process.clock)
            while true {
                let isLast = written.value == 2
                let records = try await store.records(of: "documents")
                // Some come again, from any place that was reached before.
                let done = position.withLock { $0 }
                let start = process.clock.random() % 4 == 0 ? Int(process.clock.random() % UInt64(done + 1)) : done
                for (index, record) in records.enumerated().dropFirst(start) {
                    try await history.record(record)
                    position.withLock { $0 = max($0, index + 1) }
                }
                if isLast { break }
                try await process.clock.sleep(.milliseconds(500))
            }
        }
        try await simulation.run()
        let records = try await store.records(of: "documents")
        let history = try Self.history(store, simulation.clock)
        for second in -1...Int(simulation.clock.now().timeIntervalSince(begin)) + 1 {
            let moment = Date(timeIntervalSince1970: begin.timeIntervalSince1970.rounded(.down) + Double(second) + 0.5)
            let truth = Self.truth(at: moment, records)
            let answer = Self.text(try await history.item("a", at: moment))
            try simulation.check(answer == truth, "At \(second) s: \(answer) instead of \(truth)")
        }
        let gaps = try await history.gaps(of: "a")
        try simulation.check(gaps.isEmpty, "Gaps without losses: \(gaps)")
        let entries = try await history.history(of: "a", limit: 1000).entries
        try simulation.check(
            entries.count == records.count && entries.allSatisfy { !$0.isRecovered },
            "\(entries.count) entries of \(records.count) changes")
    }

    private static func documents(_ api: any DynamoDBAPI, _ clock: PatternClock) -> VersionedTable<Document> {
        VersionedTable("documents", in: api, key: .init(partition: "id"), clock: clock)
    }

    private static func history(_ api: any DynamoDBAPI, _ clock: PatternClock) throws -> Historic<Document> {
        try Historic("documents", of: documents(api, clock), in: PatternTable("history", in: api, clock: clock))
    }

    /// What was there at the end of a moment's second, by the table's own records.
    private static func truth(at moment: Date, _ records: [StreamRecord]) -> String {
        let last = records.last { ($0.change?.approximateCreationDateTime ?? 0) <= moment.timeIntervalSince1970 }
        guard let change = last?.change else { return "not yet" }
        guard let image = change.newImage else { return "deleted" }
        return "\(image["version"]?.number ?? "") \(image["text"]?.string ?? "")"
    }

    private static func text(_ state: HistoricState<Document>) -> String {
        switch state {
        case .found(let document, let version): "\(version) \(document.text)"
        case .deleted: "deleted"
        case .didNotExistYet: "not yet"
        case .unknown: "unknown"
        }
    }

    @Test("After duplicates, crashes and wrong clocks, every moment of the past is known as it was")
    func complete() async throws {
        try await Simulation.explore(seeds: 0..<400) { try await Self.lives($0) }
    }

    @Test("Where records were lost, every moment is as it was, or unknown")
    func lossy() async throws {
        try await Simulation.explore(seeds: 0..<1000) { try await Self.changes($0) }
    }

    /// One life, of whose records some are lost; a whole life that is lost leaves no trace.
    @Sendable static func changes(_ simulation: Simulation) async throws {
        let fixture = try HistoricFixture()
        let begin = 10 + simulation.choose(5)
        fixture.at(Double(begin))
        try await fixture.documents.insert(Document(text: "0"))
        var second = Double(begin)
        for number in 1...12 {
            second += Double(simulation.choose(3000)) / 1000
            fixture.at(second)
            try await fixture.documents.update("a") { $0.text = "\(number)" }
        }
        if simulation.chance(percent: 50) {
            try await fixture.documents.delete(try #require(try await fixture.documents.load("a")))
        }
        let records = try await fixture.store.records(of: "documents")
        for record in records where simulation.chance(percent: 70) { try await fixture.history.record(record) }
        if simulation.chance(percent: 50) { try await fixture.history.fillGaps(of: "a") }
        for moment in begin - 1...Int(second) + 2 {
            let date = HistoricFixture.second(Double(moment) + 0.5)
            let truth = Self.truth(at: date, records)
            let answer = Self.text(try await fixture.history.item("a", at: date))
            try simulation.check(answer == truth || answer == "unknown", "At \(moment): \(answer) instead of \(truth)")
        }
    }

    @Test("Broken on purpose: a history that does not tell lives apart is found out")
    func withoutLives() async throws {
        let failure = try await Simulation.firstFailure(seeds: 0..<100) {
            try await Self.lives($0) { Rekeyed(base: $0) { "1#" + $0.drop { $0 != "#" }.dropFirst() } }
        }
        #expect(failure != nil)
    }

    @Test("Broken on purpose: a history that stores each delivery for itself is found out")
    func withoutIdempotence() async throws {
        let deliveries = CallCount()
        let failure = try await Simulation.firstFailure(seeds: 0..<100) {
            try await Self.lives($0) {
                Rekeyed(base: $0) { $0.prefix { $0 != "#" } + "#\(deliveries.next())" }
            }
        }
        #expect(failure?.violation != nil)
    }
}

/// Puts what is for the history under other sort keys.
private struct Rekeyed: DynamoDBDecorator {
    let base: any DynamoDBAPI
    let key: @Sendable (String) -> String

    init(base: any DynamoDBAPI, key: @escaping @Sendable (String) -> String) {
        self.base = base
        self.key = key
    }

    func putItem(_ request: PutItemRequest) async throws -> PutItemResponse {
        var request = request
        request.item["sk"] = request.item["sk"]?.string.map { .string(key($0)) }
        return try await base.putItem(request)
    }
}
