import DiscfgCore
import Synchronization

/// Any number of watches on one connection.
///
/// A door hands over what its client asks with `receive`, asks for what to send with `next`, and must end the stream with
/// `close`. What is sent keeps etcd's promises: events come in the order of their revisions, each once, none is left out, those
/// of one revision come together, and a progress answer says that everything up to its revision was sent before it.
package final class WatchStream: Sendable {
    struct State {
        /// What the client asked and was not looked at yet.
        var requests: [WatchRequest] = []
        var watches: [Int64: WatchState] = [:]
        /// The watch of each number in the hub.
        var ids: [Int: Int64] = [:]
        /// Watches that have something to read, in the order in which they take turns.
        var behind: [Int64] = []
        /// Watches that cannot go on: their number, why, and the oldest revision that can be watched.
        var failures: [(number: Int, error: EtcdError, oldest: Revision)] = []
        /// What was wrong with what the client asked last.
        var abortion: EtcdError?
        /// Revisions up to which everything must be delivered before their progress is told.
        var targets: [Revision] = []
        var nextID: Int64 = 0
        /// Whether the time has come to tell quiet watches how far everything was delivered.
        var isProgressDue = false
        var isClosed = false
        /// Something happened since the last look.
        var isWoken = false
        /// Who waits for something to do, and who waits for room to ask.
        var reader: CheckedContinuation<Void, Never>?
        var writer: CheckedContinuation<Void, Never>?
        var ticker: Task<Void, Never>?
    }

    /// So much may be asked before what was asked first is answered.
    static let maximumRequests = 16
    /// So many watches may be on one stream.
    static let maximumWatches = 100_000

    let service: EtcdService
    let state = Mutex(State())

    /// A stream without watches.
    package init(_ service: EtcdService) { self.service = service }

    /// Takes in what the client asks; waits while too much was asked already.
    ///
    /// For one caller at a time.
    package func receive(_ request: WatchRequest) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let (reader, hasRoom) = state.withLock { state in
                    if state.isClosed || Task.isCancelled { return (nil as CheckedContinuation<Void, Never>?, true) }
                    state.requests.append(request)
                    let hasRoom = state.requests.count < Self.maximumRequests
                    if !hasRoom { state.writer = continuation }
                    return (state.takeReader(), hasRoom)
                }
                reader?.resume()
                if hasRoom { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.writer.take() }?.resume()
        }
    }

    /// What to send next; waits until there is something.
    ///
    /// For one caller at a time.
    /// - Returns: At least one answer; `nil` when the stream was closed.
    package func next() async throws(EtcdError) -> [WatchResponse]? {
        while true {
            if Task.isCancelled { throw EtcdError(answering: CancellationError()) }
            var responses = reachedTargets()
            if responses.isEmpty {
                switch takeWork() {
                case .request(let request): responses = try await service.answer { try await carryOut(request) }
                case .failure(let number, let error, let oldest): responses = end(number, error, oldest: oldest)
                case .read(let watch): responses = try await service.answer { try await read(watch) }
                case .progress: responses = progressOfQuietWatches()
                case .abortion(let error): throw error
                case .nothing: await waitForWork()
                case .end: return nil
                }
            }
            if !responses.isEmpty { return responses }
        }
    }

    /// Ends the stream with an error, once what was asked before is answered: what came then cannot be understood.
    package func abort(_ error: EtcdError) {
        let reader = state.withLock { state in
            state.abortion = error
            return state.takeReader()
        }
        reader?.resume()
    }

    /// Ends every watch, and wakes who waits.
    package func close() {
        let (watches, reader, writer, ticker) = state.withLock { state in
            defer { (state.watches, state.ids, state.behind, state.requests) = ([:], [:], [], []) }
            state.isClosed = true
            return (state.watches, state.takeReader(), state.writer.take(), state.ticker.take())
        }
        for watch in watches.values { service.hubs.leave(watch.hub, id: watch.number) }
        ticker?.cancel()
        reader?.resume()
        writer?.resume()
    }
}

// What the hub calls.
extension WatchStream {
    /// Takes in that a watch has something to read up to a revision, and nothing else since another.
    func mark(_ number: Int, after: Revision, through: Revision) {
        let reader = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard let id = state.ids[number], let watch = state.watches[id] else { return nil }
            state.watches[id]?.mark(after: after, through: through)
            guard !watch.isBehind, state.watches[id]?.isBehind == true else { return nil }
            state.behind.append(id)
            return state.takeReader()
        }
        reader?.resume()
    }

    /// Takes in that a watch cannot go on.
    func fail(_ number: Int, _ error: EtcdError, oldest: Revision) {
        let reader = state.withLock { state in
            state.failures.append((number, error, oldest))
            return state.takeReader()
        }
        reader?.resume()
    }

    /// Has the stream look whether there is something to do.
    func wake() { state.withLock { $0.takeReader() }?.resume() }
}

extension WatchStream {
    private enum Work {
        case request(WatchRequest)
        case failure(number: Int, error: EtcdError, oldest: Revision)
        case read(WatchState)
        case progress
        case abortion(EtcdError)
        case nothing
        case end
    }

    private func takeWork() -> Work {
        let (work, writer) = state.withLock { state -> (Work, CheckedContinuation<Void, Never>?) in
            if state.isClosed { return (.end, nil) }
            if !state.failures.isEmpty {
                let failure = state.failures.removeFirst()
                return (.failure(number: failure.number, error: failure.error, oldest: failure.oldest), nil)
            }
            if !state.requests.isEmpty { return (.request(state.requests.removeFirst()), state.writer.take()) }
            if let error = state.abortion { return (.abortion(error), nil) }
            if state.isProgressDue {
                state.isProgressDue = false
                return (.progress, nil)
            }
            while !state.behind.isEmpty {
                // One that was cancelled, and made anew with the same id, may be named twice.
                if let watch = state.watches[state.behind.removeFirst()], watch.isBehind { return (.read(watch), nil) }
            }
            return (.nothing, nil)
        }
        writer?.resume()
        return work
    }

    private func waitForWork() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isWoken = state.withLock { state in
                    if state.isWoken || state.isClosed || Task.isCancelled {
                        state.isWoken = false
                        return true
                    }
                    state.reader = continuation
                    return false
                }
                if isWoken { continuation.resume() }
            }
        } onCancel: {
            wake()
        }
    }
}

extension WatchStream.State {
    /// Who waits for something to do; where nobody does, whoever comes next does not wait.
    fileprivate mutating func takeReader() -> CheckedContinuation<Void, Never>? {
        guard let reader = reader.take() else {
            isWoken = true
            return nil
        }
        return reader
    }
}
