import DiscfgCore
import DiscfgEtcd
import DynamoDBPatterns
import DynamoDBPatternsTesting
import Logging
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// One life of a server: everything that a process keeps in memory.
struct Server: Sendable {
    let process: SimulatedProcess
    let service: ConfigService
    let etcd: EtcdService

    /// A server that has just started.
    init(_ process: SimulatedProcess, on engine: any StorageEngine, in simulation: Simulation) {
        self.process = process
        let time = TimeSource(process, in: simulation)
        // Slower than a store in memory is asked otherwise, so that less of the run is looking for news.
        var options = ConfigService.Options(pollInterval: .milliseconds(200) ... .seconds(1), time: time)
        // Shorter than a run, so that runs have logs of which a part is gone.
        options.compactionDelay = .seconds(3)
        // Some lives answer reads from memory, and some with so little of it that configs come and go.
        options.viewMemory = [0, 4096, 64 << 20][Int(simulation.random() % 3)]
        let logger = Logger(label: "simulation") { _ in SwiftLogNoOpLogHandler() }
        service = ConfigService(engine: engine, options: options, logger: logger)
        let api = EtcdAPI(
            store: service, config: Scenario.main,
            identity: EtcdIdentity(clusterID: 1, memberID: 2, name: process.name), options: .init(time: time),
            logger: logger)
        etcd = api.acting(as: .anonymous)
    }
}

extension TimeSource {
    /// A process's clocks, chance and executor: nothing that the seed does not decide.
    init(_ process: SimulatedProcess, in simulation: Simulation) {
        let (clock, origin) = (process.clock, ContinuousClock.now)
        self.init(
            now: { Timestamp(milliseconds: Int64((clock.now().timeIntervalSince1970 * 1000).rounded(.down))) },
            sleep: clock.sleep,
            instant: { origin + .microseconds(simulation.microseconds - Simulation.origin) },
            random: { simulation.random() }, executor: simulation.executor)
    }
}

extension Simulation {
    /// The beginning of 2026, at which each simulation begins.
    static let origin: Int64 = 1_767_225_600_000_000
}
