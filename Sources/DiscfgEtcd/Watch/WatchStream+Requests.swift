import DiscfgCore
import Synchronization

// The requests of a client.
extension WatchStream {
    func carryOut(_ request: WatchRequest) async throws -> [WatchResponse] {
        // Read before anything else, so that the answer's revision is not newer than the events after it.
        let tail = try await service.store.tail(of: service.config)
        switch request {
        case .create(let request):
            return create(request, at: tail, in: service.store.follower(of: service.config, at: tail))
        case .cancel(let id):
            guard remove(id) != nil else { return [] }
            return [canceled(WatchResponse(header: service.header(tail.revision), watchID: id))]
        case .progress:
            state.withLock { $0.targets.append(tail.revision) }
            callBack(at: [tail.revision])
            return []
        }
    }

    /// Asks to be woken when everything up to a target was announced.
    private func callBack(at targets: [Revision]) {
        guard let watch = state.withLock({ $0.watches.values.first }) else { return }
        for target in targets { watch.follower.callBack(self, at: target, of: watch.log) }
    }

    private func create(
        _ request: WatchCreateRequest, at tail: LogTail, in follower: LogFollower
    ) -> [WatchResponse] {
        let key = request.key.isEmpty ? [0] : request.key
        let header = service.header(tail.revision)
        let isUnbounded = request.rangeEnd.isEmpty || request.rangeEnd == [0]
        guard isUnbounded || key.lexicographicallyPrecedes(request.rangeEnd) else {
            return [refused("mvcc: watcher range is empty", header)]
        }
        let start = request.startRevision == 0 ? tail.revision + 1 : max(1, request.startRevision)
        let keys = EtcdKeys(key, request.rangeEnd)
        let outcome = state.withLock { state -> Creation in
            if state.isClosed { return .closed }
            guard state.watches.count < Self.maximumWatches else { return .full }
            guard let id = state.id(for: request) else { return .duplicate }
            guard start >= tail.compacted else { return .compacted(id) }
            // Under this lock, so that no announcement comes before the watch is known here.
            let (number, position) = follower.add(self, of: keys.selection ?? .nothing, at: tail)
            let watch = WatchState(
                id: id, selection: keys.selection, request: request, start: start, at: tail, in: follower, as: number,
                from: position)
            state.watches[id] = watch
            state.ids[number] = id
            if watch.isBehind { state.behind.append(id) }
            if request.progressNotify, state.ticker == nil { state.ticker = makeTicker() }
            return .made(id)
        }
        switch outcome {
        case .made(let id): return [created(id, header)]
        case .compacted(let id): return [created(id, header), compacted(id, oldest: tail.compacted)]
        case .duplicate: return [refused("mvcc: duplicate watch ID provided on the WatchStream", header)]
        case .full:
            return [refused("discfg: \(Self.maximumWatches) watches are on this stream already.", header)]
        case .closed: return []
        }
    }

    private enum Creation {
        case made(Int64)
        case compacted(Int64)
        case duplicate
        case full
        case closed
    }

    /// Removes a watch from the stream and its follower.
    private func remove(_ id: Int64) -> WatchState? {
        let watch = state.withLock { state -> WatchState? in
            guard let watch = state.watches.removeValue(forKey: id) else { return nil }
            state.ids[watch.number] = nil
            return watch
        }
        if let watch { watch.follower.remove(watch.number) }
        return watch
    }

    /// Ends a watch that cannot continue.
    func end(_ number: Int, _ error: any Error) async -> [WatchResponse] {
        guard let id = state.withLock({ $0.ids[number] }), remove(id) != nil else { return [] }
        // The targets may depend on a watch of another log now.
        callBack(at: state.withLock { $0.targets })
        if let error = error as? DiscfgError, error.code == .compacted || error.code == .futureRevision {
            // Its position was compacted, or the config has another log: clients must read the current state first.
            let tail = try? await service.store.tail(of: service.config)
            return [compacted(id, oldest: tail?.compacted ?? 0)]
        }
        var response = canceled(WatchResponse(header: service.header(0), watchID: id))
        response.cancelReason = EtcdError(answering: error).message
        return [response]
    }

    private func created(_ id: Int64, _ header: ResponseHeader) -> WatchResponse {
        var response = WatchResponse(header: header, watchID: id)
        response.created = true
        return response
    }

    private func refused(_ reason: String, _ header: ResponseHeader) -> WatchResponse {
        var response = canceled(created(WatchResponse.noWatch, header))
        response.cancelReason = reason
        return response
    }

    private func canceled(_ response: WatchResponse) -> WatchResponse {
        var response = response
        response.canceled = true
        return response
    }

    private func compacted(_ id: Int64, oldest: Revision) -> WatchResponse {
        var response = canceled(WatchResponse(header: service.header(0), watchID: id))
        // Never 0, which would not show a client the reason.
        response.compactRevision = max(1, oldest)
        return response
    }

    private func makeTicker() -> Task<Void, Never> {
        let interval = max(service.options.progressInterval, .milliseconds(100))
        let time = service.options.time
        return Task.detached(executorPreference: time.executor) { [weak self] in
            while !Task.isCancelled {
                // A random delay, so that streams that were created together do not all send at once.
                let delay = time.random(in: 0...interval.milliseconds / 10)
                do { try await time.sleep(interval + .milliseconds(delay)) } catch { return }
                self?.tick()
            }
        }
    }

    private func tick() {
        state.withLock { $0.isProgressDue = true }
        wake()
    }
}

extension WatchStream.State {
    /// The id of a new watch; `nil` if the requested one is taken.
    fileprivate mutating func id(for request: WatchCreateRequest) -> Int64? {
        if request.watchID != 0 { return watches[request.watchID] == nil ? request.watchID : nil }
        while watches[nextID] != nil { nextID += 1 }
        defer { nextID += 1 }
        return nextID
    }
}
