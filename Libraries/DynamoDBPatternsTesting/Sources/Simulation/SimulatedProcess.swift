public import DynamoDBPatterns

/// One life of a process of a simulation, from a start to its end or crash.
public final class SimulatedProcess: Sendable {
    /// The process's name.
    public let name: String
    /// Which start this is, from 1.
    public let start: Int
    private let skew: Duration
    private let simulation: Simulation
    private let life = ProcessLife()

    init(_ specification: ProcessSpecification, start: Int, in simulation: Simulation) {
        name = specification.name
        self.start = start
        skew = specification.skew
        self.simulation = simulation
    }

    /// Whether it has crashed: whatever it does, it does no more.
    public var hasCrashed: Bool { life.hasEnded }

    /// This process's clock, which is wrong by its skew; a pause of it lets others go on.
    public var clock: PatternClock {
        PatternClock(
            now: { self.simulation.date(skew: self.skew) },
            sleep: { duration in
                if self.hasCrashed { throw try await self.crashAgain() }
                try await self.simulation.pause(duration, by: self.name)
                if self.hasCrashed { throw SimulatedCrash() }
            },
            random: { self.simulation.random() },
            monotonic: { .microseconds(self.simulation.microseconds) })
    }

    /// This process's way to DynamoDB: each call takes simulated time, in which others go on.
    ///
    /// - Parameters:
    ///   - base: What carries out the calls.
    ///   - faults: What goes wrong, counted from here. Random faults differ from process to process and start to start.
    /// - Returns: A DynamoDB for this life of the process only.
    public func dynamoDB(_ base: any DynamoDBAPI & StreamsAPI, faults: FaultPlan = .none) -> FaultyDynamoDB {
        FaultyDynamoDB(
            SimulatedDynamoDB(base: base, process: name, simulation: simulation),
            plan: faults.mixed(with: simulation.random()), life: life,
            onFault: { [simulation, name] call, fault in
                let event = "\(call.operation.rawValue): \(fault.rawValue)"
                simulation.note(event, of: name)
                // What is not carried out takes time all the same, until the client's tries are used up.
                guard !fault.takesEffect, fault != .crashBefore else { return }
                try await simulation.park(simulation.latency(), process: name, event: event)
            },
            whenDead: { throw try await self.crashAgain() })
    }

    /// Ends the process, as a power failure would.
    ///
    /// - Returns: What is to be thrown.
    public func crash() -> SimulatedCrash {
        simulation.note("crash", of: name)
        return life.end()
    }

    /// The error of code that goes on after a crash; it takes a step, so that code which never ends ends the run.
    private func crashAgain() async throws -> SimulatedCrash {
        try await simulation.park(1_000_000, process: name, event: "goes on after a crash")
        return SimulatedCrash()
    }

    /// Waits until it is started; the first time a moment, later as long as a supervisor or a queue might take.
    func begin() async throws {
        var longest: Duration = start == 1 ? .milliseconds(20) : .seconds(5)
        if start > 1, simulation.chance(percent: 20) { longest = simulation.timing.slowest }
        let pause = simulation.duration(in: .zero...longest).microseconds
        try await simulation.park(pause, process: name, event: start == 1 ? "start" : "start again")
    }
}

/// A process that a run starts.
struct ProcessSpecification: Sendable {
    var name: String
    var skew: Duration
    var restarts: Int
    var isBackground: Bool
    var body: @Sendable (SimulatedProcess) async throws -> Void
}
