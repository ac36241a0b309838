import Foundation
import AWSClient
import DynamoDBPatterns
import Synchronization
import Testing

@testable import DynamoDBPatternsTesting

@Suite struct SimulationTests {
    /// Two processes that each add 1 five times.
    @Sendable static func counting(_ simulation: Simulation, isConditional: Bool) async throws {
        let register = try Register(simulation.clock)
        for name in ["a", "b"] {
            simulation.spawn(name) { process in
                let api = process.dynamoDB(register.store)
                var done = 0
                while done < 5 {
                    let value = try await register.read(api)
                    do {
                        try await register.write(value + 1, ifIs: isConditional ? value : nil, api)
                        done += 1
                    } catch let error as AWSError where error.code == .conditionalCheckFailed {}
                }
            }
        }
        try await simulation.run()
        try simulation.check(register.value == 10, "\(register.value) instead of 10: updates were lost.")
    }

    @Test("The same seed gives the same run, step by step; other seeds give others")
    func repeats() async throws {
        var runs: Set<[Simulation.Step]> = []
        for seed in UInt64(0)..<20 {
            let (first, second) = (Simulation(seed: seed), Simulation(seed: seed))
            try await Self.counting(first, isConditional: true)
            try await Self.counting(second, isConditional: true)
            #expect(first.steps.count > 20)
            #expect(first.steps == second.steps)
            runs.insert(first.steps)
        }
        #expect(runs.count == 20)
    }

    @Test("A lost update is found within a hundred seeds, and is repeated by its seed")
    func lostUpdate() async throws {
        let failure = try #require(
            try await Simulation.firstFailure(seeds: 0..<100) { try await Self.counting($0, isConditional: false) })
        #expect(failure.violation?.description.contains("updates were lost") == true)
        #expect(failure.description.contains("DYNAMODB_PATTERNS_SEED=\(failure.seed)"))
        let again = try #require(
            try await Simulation.firstFailure(seeds: failure.seed..<failure.seed + 1) {
                try await Self.counting($0, isConditional: false)
            })
        #expect(again.steps == failure.steps)
    }

    @Test("With a condition no update is lost, in a thousand runs")
    func conditionalUpdate() async throws {
        try await Simulation.explore(seeds: 0..<1000) { try await Self.counting($0, isConditional: true) }
    }

    @Test("Time moves only when all wait, and then to the first who goes on")
    func time() async throws {
        let simulation = Simulation(seed: 1)
        let begin = simulation.clock.now()
        let log = Mutex<[String]>([])
        for (name, pause) in [("long", Duration.seconds(3600)), ("short", .seconds(60))] {
            simulation.spawn(name) { process in
                let before = process.clock.now()
                for _ in 0..<1000 { _ = process.clock.random() }
                try simulation.check(process.clock.now() == before, "Time moved under a process that did not wait.")
                try await process.clock.sleep(pause)
                let slept = process.clock.now().timeIntervalSince(before)
                let wanted = Double(pause.components.seconds)
                try simulation.check((wanted...wanted + 121).contains(slept), "\(name) slept \(slept) s.")
                log.withLock { $0.append(name) }
            }
        }
        try await simulation.run()
        #expect(log.withLock { $0 } == ["short", "long"])
        #expect((3600...3725).contains(simulation.clock.now().timeIntervalSince(begin)))
    }

    @Test("Outside of a run a pause just moves the time, and processes can be run again and again")
    func betweenRuns() async throws {
        let simulation = Simulation(seed: 1)
        let begin = simulation.clock.now()
        try await simulation.clock.sleep(.seconds(10))
        simulation.advance(by: .seconds(5))
        #expect(simulation.clock.now().timeIntervalSince(begin) == 15)
        for _ in 1...2 {
            let register = try Register(simulation.clock)
            simulation.spawn("a") { try await register.write(1, $0.dynamoDB(register.store)) }
            try await simulation.run()
            #expect(register.value == 1)
        }
    }

    @Test("Each process has a clock of its own, wrong by its skew")
    func skew() async throws {
        let simulation = Simulation(seed: 1)
        let seen = Mutex<[Double]>([])
        for skew in [Duration.seconds(90), .seconds(-30)] {
            simulation.spawn("\(skew)", skew: skew) { process in
                let difference = process.clock.now().timeIntervalSince(simulation.clock.now())
                seen.withLock { $0.append(difference.rounded()) }
            }
        }
        try await simulation.run()
        #expect(seen.withLock { $0.sorted() } == [-30, 90])
    }

    @Test("The environment says which seeds are run, or how many")
    func environment() {
        #expect(Simulation.seeds(5..<10, environment: [:]) == 5..<10)
        #expect(Simulation.seeds(5..<10, environment: ["DYNAMODB_PATTERNS_SEED": "77"]) == 77..<78)
        #expect(Simulation.seeds(5..<10, environment: ["DYNAMODB_PATTERNS_SCHEDULES": "100"]) == 5..<105)
        #expect(Simulation.seeds(5..<10, environment: ["DYNAMODB_PATTERNS_SEED": "none"]) == 5..<10)
    }
}
