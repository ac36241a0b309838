package import DiscfgCore
import Synchronization

/// Everything that the clients of a simulation asked, and what they were answered.
package final class History: Sendable {
    /// What a client asked.
    package enum Call: Sendable {
        case commit(Transaction)
        case get(Key, at: Revision?, Consistency)
        case list(String, at: Revision?, Consistency)
        case changes(after: Revision, KeySelection)
        case rollback(to: Revision, KeySelection)
        case compact(Revision)
        case create
        case delete
        case grant(Duration)
        case renew(Int64)
        case revoke(Int64)
        case lock(client: String)
        case unlock(client: String)
    }

    /// What a client was answered.
    package enum Answer: Sendable {
        case result(TransactionResult)
        /// `nil` if there is no such key.
        case reading(Reading?)
        case listing(Listing)
        case page(ChangePage)
        case rollback(RollbackResult)
        case revision(Revision?)
        case lease(Lease?)
        case done
    }

    package enum Outcome: Sendable {
        case answered(Answer)
        case refused(DiscfgError)
        /// The process ended before it was answered, or the answer was that the outcome is unknown.
        case unknown
    }

    /// One call.
    package struct Entry: Sendable {
        package let id: Int
        package let config: ConfigName
        package let client: String
        package let process: String
        /// Which life of the process it was.
        package let life: Int
        package let call: Call
        package let start: Int
        /// In microseconds.
        package let startTime: Int64
        package var end: Int
        package var endTime: Int64
        package var outcome: Outcome = .unknown

        package var answer: Answer? { if case .answered(let answer) = outcome { answer } else { nil } }
        /// What the author of its commit is called.
        package var author: String { "op-\(id)" }
    }

    /// What a watch was sent.
    package struct Delivery: Sendable {
        /// Events, each with its revision; no value for a delete.
        package var changes: [(revision: Revision, key: [UInt8], value: [UInt8]?)]
        /// The revision up to which everything was delivered before; of a progress answer.
        package var promised: Revision?
    }

    /// A watch from its creation to its end.
    package struct Watch: Sendable {
        package let id: Int
        package let config: ConfigName
        package let client: String
        package let range: KeyRange
        /// The first revision that concerns it.
        package let first: Revision
        package var deliveries: [Delivery] = []
        /// Why it ended, if the server ended it.
        package var ending: String?
        /// Whether it was there until the end of the run, and so must have seen everything.
        package var isComplete = false
    }

    private struct State {
        var now = 0
        var entries: [Entry] = []
        var watches: [Watch] = []
    }

    private let state = Mutex(State())

    package init() {}

    package var entries: [Entry] { state.withLock { $0.entries } }
    package var watches: [Watch] { state.withLock { $0.watches } }

    /// The next moment: a number that only grows.
    package func now() -> Int {
        state.withLock { state in
            state.now += 1
            return state.now
        }
    }

    /// Notes that something is asked.
    func begin(
        _ call: Call, on config: ConfigName, client: String, process: String, life: Int, time: Int64
    ) -> Int {
        state.withLock { state in
            state.now += 1
            let id = state.entries.count
            state.entries.append(
                Entry(
                    id: id, config: config, client: client, process: process, life: life, call: call, start: state.now,
                    startTime: time, end: .max, endTime: .max))
            return id
        }
    }

    /// Notes what came of it.
    func end(_ id: Int, _ outcome: Outcome, time: Int64) {
        state.withLock { state in
            state.now += 1
            state.entries[id].outcome = outcome
            // What is unknown may take effect later.
            if case .unknown = outcome { return }
            (state.entries[id].end, state.entries[id].endTime) = (state.now, time)
        }
    }

    /// Notes a watch that was made.
    func beginWatch(on config: ConfigName, client: String, range: KeyRange, first: Revision) -> Int {
        state.withLock { state in
            let id = state.watches.count
            state.watches.append(Watch(id: id, config: config, client: client, range: range, first: first))
            return id
        }
    }

    /// Notes something about a watch.
    func change(watch id: Int, _ body: (inout Watch) -> Void) {
        state.withLock { state in
            state.now += 1
            body(&state.watches[id])
        }
    }
}
