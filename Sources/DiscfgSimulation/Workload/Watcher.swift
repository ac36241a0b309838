import DiscfgCore
import DiscfgEtcd
import DynamoDBPatterns
import DynamoDBPatternsTesting
import Synchronization

/// Watches all keys of the main config over all lives of its server, and goes on where it was after each.
final class Watcher: Sendable {
    private let name: String
    private let store: SimulatedStore
    private let stage: Stage
    private var history: History { store.history }

    private struct State {
        /// Everything up to here was delivered.
        var position: Revision = 0
        var hasEnded = false
    }

    private let state = Mutex(State())

    init(_ name: String, in store: SimulatedStore, _ stage: Stage) {
        (self.name, self.store, self.stage) = (name, store, stage)
    }

    /// Watches until the last key was seen, or the server's life ends.
    func run(on server: Server) async throws {
        while !state.withLock({ $0.hasEnded }) {
            do {
                try await watch(on: server)
            } catch is EtcdError {
                if server.process.hasCrashed { throw SimulatedCrash() }
                try Task.checkCancellation()
            }
            if server.process.hasCrashed { throw SimulatedCrash() }
            try await server.process.clock.sleep(.milliseconds(100))
        }
    }

    /// One stream.
    private func watch(on server: Server) async throws {
        let stream = WatchStream(server.etcd)
        defer { stream.close() }
        let position = state.withLock { $0.position }
        // From now on at first; later from where it was.
        let start = position == 0 ? 0 : position + 1
        await stream.receive(.create(WatchCreateRequest(key: [0], rangeEnd: [0], startRevision: start)))
        var id: Int?
        while !state.withLock({ $0.hasEnded }), let responses = try await stream.next() {
            if server.process.hasCrashed { throw SimulatedCrash() }
            for response in responses {
                if response.created, !response.canceled {
                    let first = start == 0 ? response.header.revision + 1 : start
                    id = history.beginWatch(on: Scenario.main, client: name, range: .all, first: first)
                }
                guard let id else { continue }
                if response.canceled {
                    restart(id, after: response)
                    return
                }
                deliver(response, to: id)
            }
            // It is asked now and then how far everything was delivered.
            if store.simulation.chance(percent: 10) { await stream.receive(.progress) }
        }
    }

    private func restart(_ id: Int, after response: WatchResponse) {
        history.change(watch: id) { $0.ending = "compacted at \(response.compactRevision) \(response.cancelReason)" }
        if response.compactRevision > 0 {
            state.withLock { $0.position = max($0.position, response.compactRevision - 1) }
        }
    }

    private func deliver(_ response: WatchResponse, to id: Int) {
        let changes = response.events.map { event in
            (event.kv.modRevision, event.kv.key, event.kind == .put ? event.kv.value : nil)
        }
        let isFinal = response.events.contains { $0.kv.key == Scenario.final }
        let promised = response.watchID == WatchResponse.noWatch ? response.header.revision : nil
        if changes.isEmpty && promised == nil { return }
        let delivery = History.Delivery(changes: changes, promised: promised)
        history.change(watch: id) { watch in
            watch.deliveries.append(delivery)
            if isFinal { watch.isComplete = true }
        }
        state.withLock { state in
            state.position = max(state.position, changes.last?.0 ?? 0)
            if isFinal { state.hasEnded = true }
        }
    }
}
