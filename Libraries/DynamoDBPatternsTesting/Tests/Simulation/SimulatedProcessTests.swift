import Foundation
import AWSClient
import DynamoDBPatterns
import DynamoDBPatternsTesting
import Synchronization
import Testing

@Suite struct SimulatedProcessTests {
    private struct Bug: Error {}

    @Test("A process that crashes after a call was carried out is started again, and finds what it did")
    func crashAndRestart() async throws {
        let simulation = Simulation(seed: 3)
        let register = try Register(simulation.clock)
        let starts = Mutex<[Int]>([])
        simulation.spawn("a") { process in
            starts.withLock { $0.append(process.start) }
            let api = process.dynamoDB(register.store, faults: process.start == 1 ? .at(call: 2, .crashAfter) : .none)
            let value = try await register.read(api)
            if value == 0 { try await register.write(1, api) }
        }
        try await simulation.run()
        #expect(starts.withLock { $0 } == [1, 2])
        #expect(register.value == 1)
        #expect(simulation.steps.contains { $0.event == "PutItem: crashAfter" })
    }

    @Test("A dead process can do no more, neither call nor wait, even if its code goes on")
    func dead() async throws {
        let simulation = Simulation(seed: 3)
        let register = try Register(simulation.clock)
        simulation.spawn("a", restarts: 0) { process in
            let api = process.dynamoDB(register.store, faults: .at(call: 1, .crashBefore))
            let other = process.dynamoDB(register.store)
            await #expect(throws: SimulatedCrash()) { try await register.write(1, api) }
            await #expect(throws: SimulatedCrash()) { try await register.write(2, api) }
            await #expect(throws: SimulatedCrash()) { try await register.write(3, other) }
            await #expect(throws: SimulatedCrash()) { try await process.clock.sleep(.seconds(1)) }
        }
        try await simulation.run()
        #expect(register.value == 0)
    }

    @Test("A crash that the code swallows is a crash all the same")
    func swallowed() async throws {
        let simulation = Simulation(seed: 3)
        let starts = Mutex(0)
        simulation.spawn("a", restarts: 2) { process in
            starts.withLock { $0 += 1 }
            do { throw process.crash() } catch {}
        }
        try await simulation.run()
        #expect(starts.withLock { $0 } == 3)
    }

    @Test("An error that a fault explains starts a process again; another ends the run, and says whose it was")
    func errors() async throws {
        let simulation = Simulation(seed: 3)
        simulation.spawn("good") { process in
            while true { try await process.clock.sleep(.seconds(1)) }
        }
        simulation.spawn("bad") { process in
            if process.start == 1 { throw AWSError(.noAnswer, "lost") }
            throw Bug()
        }
        let failure = await #expect(throws: ProcessFailure.self) { try await simulation.run() }
        #expect(failure?.process == "bad")
        #expect(failure?.cause is Bug)
    }

    @Test("A run without an end is ended, and says who waited for what")
    func endless() async throws {
        var timing = Simulation.Timing()
        timing.maximumSteps = 100
        let simulation = Simulation(seed: 3, timing: timing)
        simulation.spawn("poller") { process in
            while true { try await process.clock.sleep(.seconds(1)) }
        }
        let stuck = await #expect(throws: SimulationStuck.self) { try await simulation.run() }
        #expect(stuck?.description == "100 steps were not enough. Now waiting: poller: sleep.")
        #expect(simulation.steps.count == 100)
    }

    @Test("Code that never ends after a crash is found out")
    func undead() async throws {
        let simulation = Simulation(seed: 3)
        simulation.spawn("a") { process in
            let api = process.dynamoDB(MemoryDynamoDB(), faults: .at(call: 1, .crashBefore))
            while !Task.isCancelled {
                do { _ = try await api.scan(ScanRequest(tableName: "test")) } catch {}
            }
        }
        let stuck = await #expect(throws: SimulationStuck.self) { try await simulation.run() }
        #expect(stuck?.description.contains("a: goes on after a crash") == true)
    }

    @Test("A process that waits for a real clock is found out")
    func outside() async throws {
        let simulation = Simulation(seed: 3)
        simulation.spawn("a") { _ in try await Task.sleep(for: .seconds(3600)) }
        let stuck = await #expect(throws: SimulationStuck.self) { try await simulation.run() }
        #expect(
            stuck?.description == "a: waits for something that is not the simulation's."
                + " Has each PatternTable and VersionedTable the clock of its process (`clock: process.clock`)?")
    }

    @Test("Child tasks are interleaved: a step with a time limit ends by the simulated clock", arguments: [1, 100])
    func children(seconds: Int) async throws {
        let simulation = Simulation(seed: 3)
        let winner = Mutex("")
        simulation.spawn("a") { process in
            let first = try await withThrowingTaskGroup(of: String.self) { group in
                group.addTask {
                    try await process.clock.sleep(.seconds(seconds))
                    return "effect"
                }
                group.addTask {
                    try await process.clock.sleep(.seconds(10))
                    return "limit"
                }
                defer { group.cancelAll() }
                return try await group.next() ?? ""
            }
            winner.withLock { $0 = first }
        }
        let begin = simulation.clock.now()
        try await simulation.run()
        #expect(winner.withLock { $0 } == (seconds == 1 ? "effect" : "limit"))
        #expect(simulation.clock.now().timeIntervalSince(begin) < 60)
    }

    @Test("A process spawns others, and the run waits for them")
    func spawning() async throws {
        let simulation = Simulation(seed: 3)
        let register = try Register(simulation.clock)
        simulation.spawn("parent") { parent in
            for name in ["x", "y"] {
                simulation.spawn(name) { child in
                    try await child.clock.sleep(.seconds(100))
                    try await register.add(child.dynamoDB(register.store))
                }
            }
        }
        try await simulation.run()
        #expect(register.value == 2)
    }

    @Test("A worker in the background is cancelled when all others have ended, and started again until then")
    func background() async throws {
        let simulation = Simulation(seed: 3)
        let register = try Register(simulation.clock)
        let starts = Mutex(0)
        simulation.spawn("worker", isBackground: true) { process in
            starts.withLock { $0 += 1 }
            let api = process.dynamoDB(register.store, faults: process.start == 1 ? .at(call: 2, .crashBefore) : .none)
            while true {
                try await register.add(api)
                try await process.clock.sleep(.seconds(1))
            }
        }
        simulation.spawn("client") { process in
            while try await register.read(process.dynamoDB(register.store)) < 5 {
                try await process.clock.sleep(.seconds(1))
            }
        }
        try await simulation.run()
        #expect(register.value >= 5)
        #expect(starts.withLock { $0 } == 2)
    }

    @Test("What has to hold is checked after a crash too")
    func violationAfterCrash() async throws {
        let simulation = Simulation(seed: 3)
        simulation.spawn("a") { process in
            _ = process.crash()
            try simulation.check(false, "It does not hold.")
        }
        let failure = await #expect(throws: ProcessFailure.self) { try await simulation.run() }
        #expect(failure?.cause is InvariantViolation)
    }

    @Test("A call that is throttled again and again takes time, so that a run of retries without pauses ends")
    func throttled() async throws {
        var timing = Simulation.Timing()
        timing.maximumSteps = 200
        let simulation = Simulation(seed: 3, timing: timing)
        let register = try Register(simulation.clock)
        simulation.spawn("a") { process in
            let api = process.dynamoDB(register.store, faults: .random(percent: 100, faults: [.throttled]))
            while !Task.isCancelled {
                do { try await register.add(api) } catch {}
            }
        }
        let stuck = await #expect(throws: SimulationStuck.self) { try await simulation.run() }
        #expect(stuck?.description.contains("a: UpdateItem: throttled") == true)
        #expect(register.value == 0)
    }

    @Test("A cancelled test ends its simulation")
    func cancelled() async throws {
        let simulation = Simulation(seed: 3)
        simulation.spawn("a") { process in
            while true { try await process.clock.sleep(.seconds(1)) }
        }
        let task = Task { try await simulation.run() }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
