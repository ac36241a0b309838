import Synchronization

extension LogFollower {
    /// Looks for what others append, as long as there are watchers.
    func poll() async {
        var interval = pace.lowerBound
        var failures = 0
        var nextLook = time.instant()
        while let start = nextPosition() {
            if start.isQuick {
                nextLook = nextLook - interval + pace.lowerBound
                interval = pace.lowerBound
            }
            // Waking for a deadline is no reason to ask the store.
            if start.isHurried || time.instant() >= nextLook {
                do {
                    let page = try await read(start.revision, start.log.isEmpty ? nil : start.log)
                    // The commits of a log that is seen to continue can be read soon.
                    let isEnd = page.commits.isEmpty && page.tail <= start.revision
                    interval = isEnd ? min(interval * 2, pace.upperBound) : pace.lowerBound
                    failures = 0
                    view.note(page)
                    announce(page)
                    let isFull = page.commits.last.map { $0.revision < page.tail } ?? false
                    nextLook = time.instant() + (isFull ? .zero : interval)
                } catch {
                    let isPassing = (error as? DiscfgError)?.code == .storeUnavailable && failures < Self.patience
                    failures = isPassing ? failures + 1 : 0
                    interval = min(interval * 2, pace.upperBound)
                    // One failure must not send everybody to the store at once.
                    let mayWait = isPassing || fail(with: error, at: start)
                    nextLook = time.instant() + (mayWait ? interval : .zero)
                }
            }
            let now = time.instant()
            for notice in state.withLock({ $0.watchers.expire(at: now) }) { notice.deliver() }
            await sleep(until: nextLook)
        }
    }

    /// Sleeps until then, the first deadline, or something that hurries.
    private func sleep(until nextLook: ContinuousClock.Instant) async {
        let sleeper = state.withLock { state -> Task<Void, Never>? in
            if state.isHurried || state.isQuick || state.watchers.isEmpty { return nil }
            let until = min(nextLook, state.watchers.earliestDeadline ?? nextLook)
            let duration = max(.milliseconds(1), until - time.instant())
            let task = Task.detached(executorPreference: time.executor) { [time] in
                // Cancelled to wake the poller.
                do { try await time.sleep(duration) } catch {}
            }
            state.sleeper = (task, until)
            return task
        }
        await sleeper?.value
        state.withLock { $0.sleeper = nil }
    }

    private struct Start {
        var revision: Revision
        /// Empty if it is not known.
        var log: String
        /// Whether it is before what was announced, for the view alone.
        var isForView = false
        var isHurried = false
        var isQuick = false
    }

    /// Where to look; `nil` ends the polling, because there are no watchers.
    private func nextPosition() -> Start? {
        state.withLock { state in
            state.isPolling = !state.watchers.isEmpty
            defer { (state.isHurried, state.isQuick) = (false, false) }
            guard state.isPolling else { return nil }
            var start = Start(
                revision: state.watchers.position, log: state.watchers.log, isHurried: state.isHurried,
                isQuick: state.isQuick)
            // A view that has fallen behind catches up, so that those who wait are answered from it. If it is too far
            // behind, it begins again, because the watchers wait meanwhile.
            if let tail = view.current?.tail, tail.revision < start.revision, tail.incarnation == start.log,
                !view.resetIfTooFarBehind(start.revision)
            {
                (start.revision, start.isForView) = (tail.revision, true)
            }
            return start
        }
    }

    /// Tells those who wait of a failure: all of them if the log has ended or was compacted, otherwise the calls alone.
    ///
    /// - Returns: False if it is to be looked again at once, because only the view was too far behind.
    private func fail(with error: any Error, at start: Start) -> Bool {
        let code = (error as? DiscfgError)?.code
        let isEnd = code == .compacted || code == .futureRevision || code == .configNotFound
        let (notices, watches) = state.withLock { state -> ([Notice], [any LogWatch]) in
            guard state.watchers.log == start.log || start.log.isEmpty else { return ([], []) }
            if isEnd { view.reset(ifLogIs: start.log.isEmpty ? view.announced.log : start.log) }
            if isEnd, start.isForView, code != .configNotFound { return ([], []) }
            let notices = state.watchers.fail(error, callsOnly: !isEnd)
            return (notices, isEnd ? state.takeMilestones() : [])
        }
        for notice in notices { notice.deliver() }
        for watch in watches { watch.wake() }
        return !(isEnd && start.isForView)
    }
}
