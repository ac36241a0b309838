import DiscfgCore
import Synchronization

/// Follows the log of one config for all its watches, and announces to each the commits that concern it.
///
/// It delivers no events: after an announcement a watch reads them itself, from its own position. So the hub keeps
/// nothing for a slow client, no event is lost if a client falls behind, and any number of watches without events cost
/// nothing.
final class WatchHub: Sendable {
    struct Member {
        let range: KeyRange
        let stream: WatchStream
    }

    struct State {
        /// The log was read up to this revision: watches that are added now get announcements of later commits.
        var position: Revision = 0
        /// All commits up to this revision were announced to every watch.
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
    /// The incarnation of the log; a config that is created again has another log, and another hub.
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

    /// Adds a watch; returns its number, and the revision after which it gets announcements.
    func add(_ range: KeyRange, stream: WatchStream, at revision: Revision) -> (id: Int, position: Revision) {
        state.withLock { state in
            if state.follower == nil {
                (state.position, state.announced) = (revision, revision)
                // Detached from the caller: the limits of its task must not apply to other watches.
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

    /// Removes a watch, and returns whether it was the last.
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

    /// The revision up to which all commits were announced to every watch.
    var announced: Revision { state.withLock { $0.announced } }

    /// Wakes the stream when that revision is reached.
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
                // The config has another log, or the position was compacted; clients must read the current state first.
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

    /// Announces a page to the watches, and then records that.
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
            // A watch that is added from now on starts a new follower.
            state.follower = nil
            return state.members
        }
        for (id, member) in members.sorted(by: { $0.key < $1.key }) {
            member.stream.fail(id, error, oldest: oldest ?? 0)
        }
    }
}

extension WatchHub.State {
    /// The watches that the commits concern, each with the last such revision.
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
