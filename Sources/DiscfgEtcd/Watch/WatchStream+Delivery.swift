import DiscfgCore
import Synchronization

// The answers to a client.
extension WatchStream {
    /// The next events of a watch that is behind: those in a page of the log that concern the watch.
    func read(_ watch: WatchState) async throws -> [WatchResponse] {
        let page: ChangePage
        let position = isPlanted(.repeatsEvents) ? watch.position - 1 : watch.position
        do {
            page = try await service.store.changes(
                ChangesQuery(
                    after: position, selection: watch.selection ?? .all, wait: .zero, log: watch.log),
                in: service.config)
        } catch let error as DiscfgError where [.compacted, .futureRevision].contains(error.code) {
            // The position of the watch was compacted, or the config has another log.
            return await end(watch.number, error)
        } catch let error as DiscfgError where error.code == .configNotFound {
            return await end(watch.number, error)
        } catch let error as DiscfgError where error.code != .internalError {
            // The store will be available again; a watch does not end because it has to wait.
            try await service.options.time.sleep(.milliseconds(200))
            advance(watch, through: watch.position, hasEvents: false)
            return []
        }
        let responses = watch.selection == nil ? [] : watch.responses(page.commits) { service.header($0) }
        if page.scanned <= watch.position { try await service.options.time.sleep(.milliseconds(10)) }
        advance(watch, through: page.scanned, hasEvents: !responses.isEmpty)
        return responses
    }

    private func advance(_ watch: WatchState, through revision: Revision, hasEvents: Bool) {
        state.withLock { state in
            guard state.watches[watch.id]?.number == watch.number else { return }
            state.watches[watch.id]?.advance(through: revision, hasEvents: hasEvents)
            if state.watches[watch.id]?.isBehind == true { state.behind.append(watch.id) }
        }
    }

    /// The answer to a progress request, once everything up to the time of the request was sent.
    func reachedTargets() -> [WatchResponse] {
        // Read before the watches are checked: all commits up to this revision were announced to all of them.
        guard let watch = state.withLock({ $0.targets.isEmpty ? nil : Optional($0.watches.values.first) }) else {
            return []
        }
        let announced = watch.map { $0.follower.announced(of: $0.log) } ?? 0
        let (count, revision) = state.withLock { state -> (Int, Revision) in
            let promise = state.watches.values.map { $0.promise(announced: announced) }.min()
            guard let target = state.targets.last(where: { $0 <= promise ?? .max }) else { return (0, 0) }
            let count = state.targets.count { $0 <= target }
            state.targets.removeAll { $0 <= target }
            return (count, max(target, promise ?? 0))
        }
        return (0..<count).map { _ in
            WatchResponse(header: service.header(revision), watchID: WatchResponse.noWatch)
        }
    }

    /// The progress notifications for watches that requested them and had no events since the last one.
    func progressOfQuietWatches() -> [WatchResponse] {
        guard let watch = state.withLock({ $0.watches.values.first }) else { return [] }
        let announced = watch.follower.announced(of: watch.log)
        return state.withLock { state in
            var responses: [WatchResponse] = []
            for (id, watch) in state.watches.sorted(by: { $0.key < $1.key }) where watch.owesProgress != nil {
                state.watches[id]?.owesProgress = true
                guard watch.owesProgress == true, !watch.isBehind else { continue }
                let header = service.header(watch.promise(announced: announced))
                responses.append(WatchResponse(header: header, watchID: id))
            }
            return responses
        }
    }
}
