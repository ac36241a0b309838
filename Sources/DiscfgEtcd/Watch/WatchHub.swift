import DiscfgCore
import Synchronization

/// Follows the log of one config for all its watches, and tells each when there is something for it.
///
/// It hands out no events: a watch that is told reads them itself, from where it stands. So nothing is kept for a slow client,
/// nothing is lost when it falls behind, and a watch on which nothing happens costs nothing, however many there are.
final class WatchHub: Sendable {
    struct Member {
        let range: KeyRange
        let stream: WatchStream
    }

    struct State {
        /// The log was looked at up to here: the watches that are added now are told of what comes after.
        var position: Revision = 0
        /// Every watch was told of everything up to here.
        var announced: Revision = 0
        var members: [Int: Member] = [:]
        var nextID = 0
        var byKey: [Key: Set<Int>] = [:]
        var byRange: [KeyRange: Set<Int>] = [:]
        /// Streams that wait until `announced` has reached a revision.
        var milestones: [(revision: Revision, stream: WatchStream)] = []
        var follower: Task<Void, Never>?
    }

    let config: ConfigName
    /// The log that is followed; a config that is created again has another, and another hub.
    let log: String
    private let store: ConfigService
    private let time: TimeSource
    private let state = Mutex(State())

    init(config: ConfigName, log: String, store: ConfigService, time: TimeSource) {
        self.config = config
        self.log = log
        self.store = store
        self.time = time
    }

    /// Adds a watch; gives its number, and the revision from which on it is told of what happens.
    func add(_ range: KeyRange, stream: WatchStream, at revision: Revision) -> (id: Int, position: Revision) {
        state.withLock { state in
            if state.follower == nil {
                (state.position, state.announced) = (revision, revision)
                // Not of the caller: what its task is bound by does not bind the others.
                state.follower = Task.detached(executorPreference: time.executor) { [weak self] in
                    await self?.follow()
                }
            }
            let id = state.nextID
            state.nextID += 1
            state.members[id] = Member(range: range, stream: stream)
            if let key = range.onlyKey {
                state.byKey[key, default: []].insert(id)
            } else {
                state.byRange[range, default: []].insert(id)
            }
            return (id, state.position)
        }
    }

    /// Takes a watch out, and tells whether it was the last.
    func remove(_ id: Int) -> Bool {
        state.withLock { state in
            if let member = state.members.removeValue(forKey: id) {
                if let key = member.range.onlyKey {
                    state.byKey[key]?.remove(id)
                    if state.byKey[key]?.isEmpty == true { state.byKey[key] = nil }
                } else {
                    state.byRange[member.range]?.remove(id)
                    if state.byRange[member.range]?.isEmpty == true { state.byRange[member.range] = nil }
                }
            }
            guard state.members.isEmpty else { return false }
            state.follower?.cancel()
            state.follower = nil
            state.milestones = []
            return true
        }
    }

    /// The revision up to which every watch was told of everything.
    var announced: Revision { state.withLock { $0.announced } }

    /// Has the stream look again when that revision is reached.
    func callBack(_ stream: WatchStream, at revision: Revision) {
        let isReached = state.withLock { state in
            if state.announced >= revision { return true }
            state.milestones.append((revision, stream))
            return false
        }
        if isReached { stream.wake() }
    }

    private func follow() async {
        var failures = 0
        while !Task.isCancelled {
            let position = state.withLock { $0.position }
            do {
                let page = try await store.changes(
                    ChangesQuery(after: position, wait: ChangesQuery.maximumWait, log: log), in: config)
                failures = 0
                announce(page)
            } catch is CancellationError {
                return
            } catch let error as DiscfgError where [.compacted, .futureRevision].contains(error.code) {
                // The log is another, or ran away; whoever watches must look at the current state first.
                await fail(.compacted)
                return
            } catch let error as DiscfgError where error.code == .configNotFound {
                await fail(EtcdError(answering: error))
                return
            } catch {
                failures = min(failures + 1, 6)
                try? await time.sleep(.milliseconds(50 << failures))
            }
        }
    }

    /// Tells the watches of a page, and then takes note that they were told.
    private func announce(_ page: ChangePage) {
        let (before, marks) = state.withLock { state in
            let before = state.position
            state.position = max(before, page.scanned)
            return (before, state.marks(for: page.commits))
        }
        for (id, mark) in marks.sorted(by: { $0.key < $1.key }) {
            mark.stream.mark(id, after: before, through: mark.revision)
        }
        let reached = state.withLock { state in
            state.announced = max(state.announced, page.scanned)
            let reached = state.milestones.filter { $0.revision <= state.announced }
            state.milestones.removeAll { $0.revision <= state.announced }
            return reached
        }
        for (_, stream) in reached { stream.wake() }
    }

    private func fail(_ error: EtcdError) async {
        let oldest = try? await store.tail(of: config).compacted
        let members = state.withLock { state in
            // Whoever comes now begins anew.
            state.follower = nil
            return state.members
        }
        for (id, member) in members.sorted(by: { $0.key < $1.key }) {
            member.stream.fail(id, error, oldest: oldest ?? 0)
        }
    }
}

extension WatchHub.State {
    /// The watches that have something in the commits, with the last revision of it.
    fileprivate func marks(for commits: [Commit]) -> [Int: (stream: WatchStream, revision: Revision)] {
        var marks: [Int: (stream: WatchStream, revision: Revision)] = [:]
        func mark(_ ids: Set<Int>, _ revision: Revision) {
            for id in ids {
                if let member = members[id] { marks[id] = (member.stream, revision) }
            }
        }
        for commit in commits {
            for change in commit.changes {
                if let ids = byKey[change.key] { mark(ids, commit.revision) }
                for (range, ids) in byRange where range.contains(change.key) { mark(ids, commit.revision) }
            }
        }
        return marks
    }
}
