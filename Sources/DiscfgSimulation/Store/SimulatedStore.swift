package import DiscfgCore
package import DynamoDBPatternsTesting
import Synchronization

/// The store that the processes of a simulation share, and the record of its logs.
///
/// The record is read from the logs themselves after every write, so it does not depend on what writers were told.
package final class SimulatedStore: Sendable {
    /// What goes wrong, in per mille of the calls.
    package struct Faults: Sendable {
        package var crashes = 4
        package var lostAnswers = 15
        package var lostRequests = 15
        package var refusals = 15

        package static let none = Faults(crashes: 0, lostAnswers: 0, lostRequests: 0, refusals: 0)

        package init(crashes: Int = 4, lostAnswers: Int = 15, lostRequests: Int = 15, refusals: Int = 15) {
            (self.crashes, self.lostAnswers) = (crashes, lostAnswers)
            (self.lostRequests, self.refusals) = (lostRequests, refusals)
        }
    }

    /// How the store behaves.
    package struct Options: Sendable {
        /// Whether reads tell no tail, and eventual reads may be behind, as those of a store far away.
        package var isRemote = false
        /// How far eventual reads may be behind.
        package var lag: Duration = .seconds(1)
        package var faults = Faults()

        package init() {}
    }

    private struct State {
        var logs: [ConfigName: [LogRecord]] = [:]
        var faults: Faults
        var counts: [String: Int] = [:]
    }

    let simulation: Simulation
    let history: History
    /// Carries out the calls, at once.
    let engine: any StorageEngine
    /// Reads the logs for the record; never the one with a planted defect.
    let observer: any StorageEngine
    let options: Options
    private let state: Mutex<State>

    /// A store.
    ///
    /// - Parameters:
    ///   - engine: Carries out the calls without waiting.
    ///   - observer: Reads the same store as it is.
    ///   - options: How it behaves.
    ///   - history: Tells what happened before what.
    ///   - simulation: What decides.
    package init(
        _ engine: any StorageEngine, observer: any StorageEngine, options: Options = Options(), history: History,
        in simulation: Simulation
    ) {
        (self.engine, self.observer, self.options) = (engine, observer, options)
        (self.history, self.simulation) = (history, simulation)
        state = Mutex(State(faults: options.faults))
    }

    /// The logs of a config, oldest first.
    package func logs(of config: ConfigName) -> [LogRecord] { state.withLock { $0.logs[config] ?? [] } }

    /// Every log.
    package var allLogs: [LogRecord] {
        state.withLock { $0.logs.values.flatMap { $0 } }.sorted { ($0.config, $0.created) < ($1.config, $1.created) }
    }

    /// How often each fault has happened.
    package var faultCounts: [String: Int] { state.withLock { $0.counts } }

    /// From now on nothing goes wrong.
    package func endFaults() { state.withLock { $0.faults = .none } }

    /// What happens to the next call.
    func nextFault(isWrite: Bool) -> Fault? {
        let faults = state.withLock { $0.faults }
        let number = simulation.choose(1000)
        var limit = 0
        for (fault, share) in [
            (.crashBefore, faults.crashes / 2), (.crashAfter, faults.crashes - faults.crashes / 2),
            (.throttled, faults.refusals), (.lostReply, isWrite ? faults.lostAnswers : 0),
            (.notSent, isWrite ? faults.lostRequests : 0),
        ] as [(Fault, Int)] {
            limit += share
            if number < limit {
                state.withLock { $0.counts[fault.rawValue, default: 0] += 1 }
                return fault
            }
        }
        return nil
    }

    /// Takes over what a config's log has grown by.
    func observe(_ config: ConfigName) async throws {
        let record = try await observer.config(config)
        let tail = record?.tail
        let known = state.withLock { state -> Revision? in
            var logs = state.logs[config] ?? []
            if let log = logs.last, log.removed == nil, log.incarnation != tail?.incarnation {
                logs[logs.count - 1].removed = history.now()
            }
            if let tail, logs.last?.incarnation != tail.incarnation {
                logs.append(
                    LogRecord(config, incarnation: tail.incarnation, base: tail.trimmed, created: history.now()))
            }
            state.logs[config] = logs
            return tail == nil ? nil : logs.last?.last
        }
        guard let known, let tail, tail.revision > known else { return }
        var position = known
        while position < tail.revision {
            let commits = try await observer.entries(of: config, after: position, limit: 1000)
            guard let last = commits.last else { return }
            let moment = simulation.microseconds
            state.withLock { state in
                guard var logs = state.logs[config], var log = logs.popLast() else { return }
                // One owner, so that nothing is copied.
                state.logs[config] = nil
                for commit in commits where commit.revision > log.last { log.add(commit, at: moment) }
                logs.append(log)
                state.logs[config] = logs
            }
            position = last.revision
        }
    }

    /// A revision that an eventual read may stop at, as the seed decides.
    func staleRevision(of config: ConfigName) -> Revision? {
        guard options.isRemote, let log = logs(of: config).last, log.removed == nil else { return nil }
        let oldest = simulation.microseconds - options.lag.microseconds
        let settled = log.base + Revision(log.moments.partitioningIndex { $0 > oldest })
        // Mostly it is the newest.
        guard simulation.chance(percent: 50) else { return log.last }
        return max(log.base + 1, settled + Revision(simulation.choose(Int(log.last - settled) + 1)))
    }
}
