import AWSClient
import DiscfgCore
import DiscfgDynamoDB
import DiscfgDynamoDBTestSupport
package import DynamoDBPatterns
package import DynamoDBPatternsTesting

/// One process's way to a DynamoDB in memory: every call takes simulated time and may go wrong.
struct SimulatedTable: DynamoDBDecorator {
    let base: any DynamoDBAPI
    let store: SimulatedStore
    let process: SimulatedProcess

    func around<Answer: Sendable>(
        _ call: DynamoDBCall, _ carryOut: () async throws -> Answer
    ) async throws -> Answer {
        try await wait(call.operation.rawValue)
        let fault = store.nextFault(isWrite: call.isWrite)
        if let fault { store.simulation.note("\(call.operation.rawValue): \(fault.rawValue)", of: process.name) }
        switch fault {
        case .crashBefore: throw process.crash()
        case .throttled: throw Fault.throttling(of: call)
        case .notSent: throw Fault.noAnswer(to: call)
        default: break
        }
        let answer: Result<Answer, any Error>
        do {
            answer = .success(try await carryOut())
        } catch {
            answer = .failure(error)
        }
        // A config that is marked as removed is gone at once, long before its items are.
        if call.isWrite { try await store.observe(Scenario.other) }
        if fault == .crashAfter { throw process.crash() }
        if fault == .lostReply { throw Fault.noAnswer(to: call) }
        if store.simulation.chance(percent: 25) {
            do {
                try await wait(call.operation.rawValue + " answered")
            } catch is CancellationError where call.isWrite {
                // A write under way is finished.
            }
        }
        return try answer.get()
    }

    private func wait(_ event: String) async throws {
        if !process.hasCrashed {
            try await store.simulation.park(store.simulation.latency(), process: process.name, event: event)
        }
        guard process.hasCrashed else { return }
        // It takes a step, so that code which never ends ends the run.
        try await store.simulation.park(1_000_000, process: process.name, event: "goes on after a crash")
        throw SimulatedCrash()
    }
}

/// An engine whose writes are entered in the record of the logs.
struct ObservedEngine: EngineWrapper {
    let engine: any StorageEngine
    let store: SimulatedStore

    /// Before and after, so that the record misses nothing that the write removes.
    private func observing<Answer>(_ config: ConfigName, _ write: () async throws -> Answer) async throws -> Answer {
        try await store.observe(config)
        let answer: Result<Answer, any Error>
        do {
            answer = .success(try await write())
        } catch {
            answer = .failure(error)
        }
        try await store.observe(config)
        return try answer.get()
    }

    func append(_ commits: [Commit], to config: ConfigName, incarnation: String?) async throws -> AppendOutcome {
        try await observing(config) { try await engine.append(commits, to: config, incarnation: incarnation) }
    }

    func trim(_ config: ConfigName, through: Revision, keepingSince moment: Timestamp) async throws -> Bool {
        try await observing(config) { try await engine.trim(config, through: through, keepingSince: moment) }
    }

    func createConfig(_ name: ConfigName, settings: ConfigSettings, first: Commit) async throws {
        try await observing(name) { try await engine.createConfig(name, settings: settings, first: first) }
    }

    func removeConfig(_ name: ConfigName) async throws -> Bool {
        try await observing(name) { try await engine.removeConfig(name) }
    }
}

extension Scenario {
    /// Runs it to the end on DynamoDB's engine, each life of a process with an engine of its own.
    ///
    /// - Parameters:
    ///   - simulation: What decides.
    ///   - itemByItem: Whether transactions become visible item by item, as AWS documents, or in one step.
    ///   - decorate: Puts something before the table, such as a planted defect.
    /// - Returns: What happened, to be checked.
    /// - Throws: `SimulationStuck` if something never ends, and what no fault explains.
    package func runOnDynamoDB(
        in simulation: Simulation, itemByItem: Bool,
        decorate: @escaping @Sendable (any DynamoDBAPI) -> any DynamoDBAPI = { $0 }
    ) async throws -> Run {
        let clock = simulation.clock
        let decided = MemoryDynamoDB(clock: clock.now)
        let table: InProcessDynamoDB
        if itemByItem {
            table = InProcessDynamoDB(
                ItemByItemDynamoDB(
                    decided: decided, visible: MemoryDynamoDB(clock: clock.now), seed: simulation.random(),
                    pause: {
                        // Mostly at once; now and then others see one item and not yet another.
                        guard simulation.chance(percent: 40) else { return }
                        try? await simulation.park(simulation.latency(), process: "table", event: "commits an item")
                    }))
        } else {
            table = InProcessDynamoDB(decided)
        }
        let origin = ContinuousClock.now
        let time = TimeSource(
            now: { Timestamp(milliseconds: simulation.microseconds / 1000) },
            sleep: { _ in throw DiscfgError(.internalError, "The observer never has to wait.") },
            // Before the run, so not on the simulation's executor, which nobody drains then.
            instant: { origin }, random: { simulation.random() })
        let maker = table.engine(options: .init(time: time))
        try await maker.manager.make()
        let observer = InProcessDynamoDB(decided).engine(options: .init(time: time))
        let store = SimulatedStore(maker, observer: observer, options: store, history: History(), in: simulation)
        return try await run(on: store) { process in
            let options = DynamoDBEngine.Options(time: TimeSource(process, in: simulation))
            let engine = table.engine(options: options) {
                SimulatedTable(base: decorate($0), store: store, process: process)
            }
            return ObservedEngine(engine: engine, store: store)
        }
    }
}
