package import DiscfgCore
import Synchronization

/// Any number of watches on one connection.
///
/// A transport passes requests of its client to `receive`, gets the answers from `next`, and must end the stream with
/// `close`. The answers keep etcd's guarantees: events are in the order of their revisions, each once, and none is left
/// out. The events of one revision are sent together. A progress answer means that everything up to its revision was
/// sent before it.
package final class WatchStream: Sendable {
    struct State {
        /// The requests that were not handled yet.
        var requests: ArraySlice<WatchRequest> = []
        var watches: [Int64: WatchState] = [:]
        /// The watch of each number in its follower.
        var ids: [Int: Int64] = [:]
        /// Watches that have events to read, in the order in which they are served.
        var behind: ArraySlice<Int64> = []
        /// Watches that cannot continue: their number, and why.
        var failures: ArraySlice<(number: Int, error: any Error)> = []
        /// The error of the client's last request.
        var abortion: EtcdError?
        /// Revisions up to which everything must be delivered before a progress answer is sent.
        var targets: [Revision] = []
        var nextID: Int64 = 0
        /// Whether progress notifications are due for watches without events.
        var isProgressDue = false
        var isClosed = false
        /// Whether there was a wake-up while no reader waited.
        var isWoken = false
        /// The reader waits for work, the writer for space in `requests`.
        var reader: CheckedContinuation<Void, Never>?
        var writer: CheckedContinuation<Void, Never>?
        var ticker: Task<Void, Never>?
    }

    /// The maximum number of requests that were not handled yet.
    static let maximumRequests = 16
    /// The maximum number of watches on one stream.
    static let maximumWatches = 100_000

    let service: EtcdService
    let state = Mutex(State())

    /// A stream without watches.
    package init(_ service: EtcdService) { self.service = service }

    /// Accepts a request of the client; waits while there are too many.
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

    /// The next answers to send; waits until there are some.
    ///
    /// For one caller at a time.
    /// - Returns: At least one answer; `nil` if the stream was closed.
    package func next() async throws(EtcdError) -> [WatchResponse]? {
        while true {
            if Task.isCancelled { throw EtcdError(answering: CancellationError()) }
            var responses = reachedTargets()
            if responses.isEmpty {
                switch takeWork() {
                case .request(let request): responses = try await service.answer { try await carryOut(request) }
                case .failure(let number, let error): responses = await end(number, error)
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

    /// Ends the stream with an error, once all earlier requests are answered: the next one cannot be decoded.
    package func abort(_ error: EtcdError) {
        let reader = state.withLock { state in
            state.abortion = error
            return state.takeReader()
        }
        reader?.resume()
    }

    /// Ends every watch, and wakes the waiting reader and writer.
    package func close() {
        let (watches, reader, writer, ticker) = state.withLock { state in
            defer { (state.watches, state.ids, state.behind, state.requests) = ([:], [:], [], []) }
            state.isClosed = true
            return (state.watches, state.takeReader(), state.writer.take(), state.ticker.take())
        }
        for watch in watches.values { watch.follower.remove(watch.number) }
        ticker?.cancel()
        reader?.resume()
        writer?.resume()
    }
}

// The calls of the follower.
extension WatchStream: LogWatch {
    /// Records that a watch has events to read up to `through`, and none between its position and `after`.
    package func mark(_ number: Int, after: Revision, through: Revision) {
        let reader = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard let id = state.ids[number], let watch = state.watches[id] else { return nil }
            state.watches[id]?.mark(after: after, through: through)
            guard !watch.isBehind, state.watches[id]?.isBehind == true else { return nil }
            state.behind.append(id)
            return state.takeReader()
        }
        reader?.resume()
    }

    /// Records that a watch cannot continue.
    package func fail(_ number: Int, _ error: any Error) {
        let reader = state.withLock { state in
            state.failures.append((number, error))
            return state.takeReader()
        }
        reader?.resume()
    }

    /// Makes the stream check for work.
    package func wake() { state.withLock { $0.takeReader() }?.resume() }
}

extension WatchStream {
    private enum Work {
        case request(WatchRequest)
        case failure(number: Int, error: any Error)
        case read(WatchState)
        case progress
        case abortion(EtcdError)
        case nothing
        case end
    }

    private func takeWork() -> Work {
        let (work, writer) = state.withLock { state -> (Work, CheckedContinuation<Void, Never>?) in
            if state.isClosed { return (.end, nil) }
            // `popFirst` of a slice moves no other element.
            if let failure = state.failures.popFirst() {
                return (.failure(number: failure.number, error: failure.error), nil)
            }
            if let request = state.requests.popFirst() { return (.request(request), state.writer.take()) }
            if let error = state.abortion { return (.abortion(error), nil) }
            if state.isProgressDue {
                state.isProgressDue = false
                return (.progress, nil)
            }
            while let id = state.behind.popFirst() {
                // A watch that was cancelled and created again with the same id may be in the list twice.
                if let watch = state.watches[id], watch.isBehind { return (.read(watch), nil) }
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
    /// The waiting reader; if none waits, the next one does not wait.
    fileprivate mutating func takeReader() -> CheckedContinuation<Void, Never>? {
        guard let reader = reader.take() else {
            isWoken = true
            return nil
        }
        return reader
    }
}
