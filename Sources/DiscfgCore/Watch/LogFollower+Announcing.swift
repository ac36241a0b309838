import Synchronization

// What is told.
extension LogFollower {
    /// Tells the watchers of what the view has, or the page that was read, beyond what they were told of.
    ///
    /// If another caller announces already, it also announces the page.
    func announce(_ page: LogPage? = nil) {
        state.withLock { state in
            if let page, !page.commits.isEmpty, !state.watchers.isEmpty { state.pages.append(page) }
        }
        while true {
            let notices = state.withLock { state -> [Notice]? in
                if state.isAnnouncing {
                    state.mustAnnounceAgain = true
                    return nil
                }
                (state.isAnnouncing, state.mustAnnounceAgain) = (true, false)
                return takeNotices(&state)
            }
            guard let notices else { return }
            for notice in notices { notice.deliver() }
            let (isDone, reached) = state.withLock { state in
                state.isAnnouncing = false
                if !state.mustAnnounceAgain, state.mustHurry { hurry(&state) }
                return (!state.mustAnnounceAgain, state.passMilestones())
            }
            for watch in reached { watch.wake() }
            if isDone { return }
        }
    }

    private func takeNotices(_ state: inout State) -> [Notice] {
        let pages = state.pages.sorted { ($0.commits.first?.revision ?? 0) < ($1.commits.first?.revision ?? 0) }
        state.pages = []
        var notices = state.watchers.follow(view.announced.log)
        if state.watchers.isEmpty { return notices }
        let log = state.watchers.log
        // Also what the view has no place for.
        for page in pages where page.incarnation == log {
            guard let first = page.commits.first, first.revision <= state.watchers.position + 1 else { continue }
            notices += state.watchers.announce(page.commits)
        }
        let known = view.page(after: state.watchers.position, limit: .max, log: log.isEmpty ? nil : log)
        return notices + state.watchers.announce(known?.commits ?? [])
    }

    /// Makes the poller look at once if the log is known to continue beyond what was announced.
    func hurry() {
        state.withLock { state in
            // What is being announced may be all that there is.
            if state.isAnnouncing { state.mustHurry = true } else { hurry(&state) }
        }
    }

    private func hurry(_ state: inout State) {
        state.mustHurry = false
        let (newest, log) = view.announced
        guard !state.watchers.isEmpty, state.watchers.log == log, state.watchers.position < newest else { return }
        state.isHurried = true
        state.sleeper?.task.cancel()
    }
}

extension LogFollower.State {
    /// Notes that everything up to the position was announced; returns the watches that waited for that.
    mutating func passMilestones() -> [any LogWatch] {
        if watchers.isEmpty { return takeMilestones() }
        let isSame = announced.log == watchers.log
        announced = (max(watchers.position, isSame ? announced.revision : 0), watchers.log)
        let isPassed = { [announced] (revision: Revision, log: String) in
            log != announced.log || revision <= announced.revision
        }
        let reached = milestones.filter { isPassed($0.revision, $0.log) }
        milestones.removeAll { isPassed($0.revision, $0.log) }
        return reached.map(\.watch)
    }

    /// The watches that wait for a revision that will not come.
    mutating func takeMilestones() -> [any LogWatch] {
        defer { milestones = [] }
        return milestones.map(\.watch)
    }
}
