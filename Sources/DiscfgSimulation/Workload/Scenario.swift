package import DiscfgCore
import DynamoDBPatterns
package import DynamoDBPatternsTesting
import Synchronization

/// Some servers on one store, with clients and watchers of each, and faults until the clients have done their work.
package struct Scenario: Sendable {
    /// The config that most of it happens in.
    package static let main: ConfigName = .default
    /// A config that is deleted and created again.
    package static let other = (try? ConfigName("other")) ?? .default
    /// The last key that is written; every watcher must see it.
    static let final = Array("/z/final".utf8)

    package var store = SimulatedStore.Options()
    package var servers = 2
    package var clientsPerServer = 2
    package var watchersPerServer = 1
    package var stepsPerClient = 6
    /// How often each step is chosen.
    package var weights: [(step: Step, weight: Int)] = Step.general
    /// How far the servers' clocks may be wrong, either way.
    package var skew: Duration = .milliseconds(500)
    package var timing: Simulation.Timing

    package init() {
        timing = Simulation.Timing()
        timing.call = .milliseconds(1) ... .milliseconds(20)
        timing.slowest = .seconds(5)
        timing.maximumSteps = 30_000
    }

    /// What came of a run.
    package struct Run: Sendable {
        package let history: History
        package let store: SimulatedStore
        package let scenario: Scenario
    }

    /// Runs it to the end, on an engine that carries out calls at once.
    ///
    /// - Parameters:
    ///   - simulation: What decides.
    ///   - engine: The store.
    ///   - decorate: Puts something between a process and the store, such as a planted defect.
    /// - Returns: What happened, to be checked.
    /// - Throws: `SimulationStuck` if something never ends, and what no fault explains.
    package func run(
        in simulation: Simulation, on engine: any StorageEngine,
        decorate: @escaping @Sendable (any StorageEngine) -> any StorageEngine = { $0 }
    ) async throws -> Run {
        let store = SimulatedStore(engine, observer: engine, options: store, history: History(), in: simulation)
        return try await run(on: store) { decorate(SimulatedEngine(store, for: $0)) }
    }

    /// Runs it to the end on a store.
    ///
    /// - Parameters:
    ///   - store: The record of the store.
    ///   - engine: Makes the engine of one life of a process.
    /// - Returns: What happened, to be checked.
    /// - Throws: `SimulationStuck` if something never ends, and what no fault explains.
    func run(
        on store: SimulatedStore, engine: @escaping @Sendable (SimulatedProcess) -> any StorageEngine
    ) async throws -> Run {
        let simulation = store.simulation
        let now = Timestamp(milliseconds: simulation.microseconds / 1000)
        for config in [Self.main, Self.other] {
            try await store.engine.createConfig(
                config, settings: ConfigSettings(),
                first: Commit(revision: 1, time: now, author: "", message: "created", changes: []))
            try await store.observe(config)
        }
        let stage = Stage(clients: servers * clientsPerServer)
        for number in 0..<servers {
            let name = "server-\(number)"
            let clients = (0..<clientsPerServer).map { Client("\(name).client-\($0)", in: self, store, stage) }
            let watchers = (0..<watchersPerServer).map { Watcher("\(name).watcher-\($0)", in: store, stage) }
            let skew = simulation.duration(in: .zero - skew...skew)
            simulation.spawn(name, skew: skew) { process in
                let server = Server(process, on: engine(process), in: simulation)
                try await serve(server, clients, watchers, stage)
            }
        }
        simulation.spawn("closer") { process in
            try await close(process, on: engine(process), store, stage)
        }
        try await simulation.run()
        return Run(history: store.history, store: store, scenario: self)
    }

    /// One life of a server.
    private func serve(_ server: Server, _ clients: [Client], _ watchers: [Watcher], _ stage: Stage) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for client in clients { group.addTask { try await client.run(on: server) } }
            for watcher in watchers { group.addTask { try await watcher.run(on: server) } }
            group.addTask { try await sweep(server, stage) }
            // The first that fails cancels the others: the process has crashed.
            for try await _ in group {}
        }
    }

    /// Ends what is overdue, as a server does from time to time.
    private func sweep(_ server: Server, _ stage: Stage) async throws {
        while !stage.isOver {
            do {
                try await server.process.clock.sleep(.seconds(2))
                try await server.service.sweep(Self.main)
            } catch let error as DiscfgError {
                if server.process.hasCrashed { throw SimulatedCrash() }
                guard error.isExpected else { throw error }
            }
        }
    }

    /// Waits until the clients have done their work, lets everything come to rest, and says that it is over.
    private func close(
        _ process: SimulatedProcess, on engine: any StorageEngine, _ store: SimulatedStore, _ stage: Stage
    ) async throws {
        while !stage.isQuiet { try await process.clock.sleep(.milliseconds(500)) }
        store.endFaults()
        let server = Server(process, on: engine, in: store.simulation)
        // Longer than any lease, or key, that is still there; this process ends a lease only after it has observed it for its life.
        for pause in [Client.longestLife + skew * 2 + .seconds(2), Client.longestLife] {
            try await process.clock.sleep(pause)
            try await server.service.sweep(Self.main)
        }
        let key = try Key(bytes: Self.final)
        _ = try await server.service.commit(
            Transaction(then: [.set(key, Value("the end"))], author: "closer"), to: Self.main)
        stage.end()
    }
}

extension DiscfgError {
    /// Whether a store with faults may answer so.
    var isExpected: Bool { [.storeUnavailable, .outcomeUnknown, .configNotFound].contains(code) }
}

/// How far a run has come.
final class Stage: Sendable {
    private let state: Mutex<(clients: Int, isOver: Bool)>

    init(clients: Int) { state = Mutex((clients, false)) }

    /// Whether every client has done its work.
    var isQuiet: Bool { state.withLock { $0.clients <= 0 } }
    var isOver: Bool { state.withLock { $0.isOver } }

    func clientEnded() { state.withLock { $0.clients -= 1 } }
    func end() { state.withLock { $0.isOver = true } }
}
