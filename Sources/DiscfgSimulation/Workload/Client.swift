import DiscfgCore
import DiscfgEtcd
import DynamoDBPatternsTesting
import Synchronization

/// A client that does random things, over all lives of its server.
final class Client: Sendable {
    /// The longest time to live of what it makes.
    static let longestLife: Duration = .seconds(5)

    struct Memory {
        var steps: Int
        var hasEnded = false
        /// At which revision each key was seen last.
        var revisions: [Key: Revision] = [:]
        var registers: [Key: String?] = [:]
        var leases: [Int64] = []
        /// Up to where the log was followed.
        var position: Revision = 1
    }

    let name: String
    let scenario: Scenario
    let store: SimulatedStore
    let memory: Mutex<Memory>
    private let stage: Stage
    var simulation: Simulation { store.simulation }

    init(_ name: String, in scenario: Scenario, _ store: SimulatedStore, _ stage: Stage) {
        (self.name, self.scenario, self.store, self.stage) = (name, scenario, store, stage)
        memory = Mutex(Memory(steps: scenario.stepsPerClient))
    }

    /// Does what is left to do, or what can be done in the server's life.
    func run(on server: Server) async throws {
        while takeStep() {
            try await ClientStep(client: self, server: server).perform(choose())
            if server.process.hasCrashed { throw SimulatedCrash() }
        }
        let isEnd = memory.withLock { memory in
            defer { memory.hasEnded = true }
            return !memory.hasEnded
        }
        if isEnd { stage.clientEnded() }
    }

    /// Whether there is a step left, which is taken then.
    private func takeStep() -> Bool {
        memory.withLock { memory in
            memory.steps -= 1
            return memory.steps >= 0
        }
    }

    private func choose() -> Step {
        var number = simulation.choose(scenario.weights.reduce(0) { $0 + $1.weight })
        for (step, weight) in scenario.weights {
            number -= weight
            if number < 0 { return step }
        }
        return .get
    }
}

extension Client {
    /// Asks something, and notes the answer in the history.
    ///
    /// - Returns: `nil` if it was refused, or its outcome is unknown.
    func ask<Result>(
        _ call: History.Call, on config: ConfigName = Scenario.main, of server: Server,
        _ body: (_ author: String) async throws -> Result, answer: (Result) -> History.Answer
    ) async throws -> Result? {
        let (history, process) = (store.history, server.process)
        let id = history.begin(
            call, on: config, client: name, process: process.name, life: process.start, time: simulation.microseconds)
        do {
            let result = try await body("op-\(id)")
            if process.hasCrashed { throw SimulatedCrash() }
            history.end(id, .answered(answer(result)), time: simulation.microseconds)
            return result
        } catch let error as DiscfgError where !process.hasCrashed {
            let isUnknown = error.code == .outcomeUnknown
            history.end(id, isUnknown ? .unknown : .refused(error), time: simulation.microseconds)
            return nil
        } catch is EtcdError where !process.hasCrashed && !Task.isCancelled {
            return nil
        } catch {
            throw process.hasCrashed ? SimulatedCrash() : error
        }
    }
}
