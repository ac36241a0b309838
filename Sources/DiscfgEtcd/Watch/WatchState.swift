import DiscfgCore

/// One watch of a stream: its keys, and its progress.
struct WatchState {
    /// The watch's id, as its client knows it.
    let id: Int64
    /// The keys; `nil` if there can be none.
    let selection: KeySelection?
    let filters: Set<WatchCreateRequest.Filter>
    let wantsPrevious: Bool
    let mayFragment: Bool
    /// The config's revision when the watch was created: earlier events are sent many revisions at a time.
    let madeAt: Revision
    /// What announces commits, the watch's number there, and the incarnation of its log.
    let follower: LogFollower
    let number: Int
    let log: String
    /// Everything up to this revision was delivered, or is not requested.
    private(set) var position: Revision
    /// There are events to read up to this revision.
    private var pending: Revision
    /// The newest revision that the watch knows to exist: the watch may begin at a later one.
    private var known: Revision
    /// Whether to send a progress notification at the next opportunity; `nil` for never.
    var owesProgress: Bool?

    /// A watch that was added to a follower, which announces all commits after a position.
    init(
        id: Int64, selection: KeySelection?, request: WatchCreateRequest, start: Revision, at tail: LogTail,
        in follower: LogFollower, as number: Int, from announcements: Revision
    ) {
        self.id = id
        self.selection = selection
        filters = Set(request.filters)
        wantsPrevious = request.prevKv
        mayFragment = request.fragment
        self.follower = follower
        self.number = number
        madeAt = tail.revision
        log = tail.incarnation
        position = isPlanted(.watchBeginsLate) ? start : start - 1
        if isPlanted(.ignoresFutureStart) { position = min(position, madeAt) }
        pending = isPlanted(.losesEventsAtJoin) ? start - 1 : announcements
        known = madeAt
        owesProgress = request.progressNotify ? true : nil
    }

    /// Whether there are events to read.
    var isBehind: Bool { pending > position }

    /// Records that there are events for the watch up to `through`, and none between its position and `after`.
    mutating func mark(after: Revision, through: Revision) {
        if !isBehind { position = max(position, after) }
        pending = max(pending, through)
    }

    /// Records that everything up to a revision was delivered.
    mutating func advance(through revision: Revision, hasEvents: Bool) {
        position = max(position, revision)
        known = max(known, revision)
        if hasEvents, owesProgress != nil { owesProgress = false }
    }

    /// The revision up to which everything was delivered, if all commits up to another revision were announced.
    func promise(announced: Revision) -> Revision {
        if isPlanted(.promisesTooMuch) { return max(known, announced, pending) }
        let delivered = min(position, known)
        return isBehind ? delivered : max(delivered, announced)
    }

    /// The events of a commit that concern the watch, in the order of their keys.
    func events(of commit: Commit) -> [Event] { commit.changes.compactMap { event(of: $0, at: commit.revision) } }

    private func event(of change: Change, at revision: Revision) -> Event? {
        let previous = wantsPrevious ? change.previous.flatMap { $0.isDirectory ? nil : KeyValue($0) } : nil
        if let item = change.item {
            guard !item.isDirectory, !filters.contains(.noPut) else { return nil }
            return Event(.put, KeyValue(item), prevKv: previous)
        }
        guard change.previous?.isDirectory != true, !filters.contains(.noDelete) else { return nil }
        if isPlanted(.catchUpDropsDeletions), revision <= madeAt { return nil }
        return Event(.delete, KeyValue(key: change.key.bytes, modRevision: revision), prevKv: previous)
    }
}

extension WatchState {
    /// The approximate number of bytes that are sent at once by default; this limit never divides a revision.
    static let batchBytes = 1 << 20
    /// The maximum number of bytes of an answer that may be split: the same as etcd's limit of a request.
    static let fragmentBytes = 3 << 19

    /// The answers with the events of some commits.
    ///
    /// Each new revision is a separate answer, as etcd sends the events that happen after a watch was created. The
    /// answers with earlier events contain many revisions each.
    func responses(_ commits: [Commit], header: (Revision) -> ResponseHeader) -> [WatchResponse] {
        var responses: [WatchResponse] = []
        var batch: [Event] = []
        var weight = 0
        func flush(_ revision: Revision) {
            guard !batch.isEmpty else { return }
            responses += split(WatchResponse(header: header(revision), watchID: id, events: batch))
            (batch, weight) = ([], 0)
        }
        for (index, commit) in commits.enumerated() {
            let events = events(of: commit)
            batch += events
            weight += events.reduce(0) { $0 + $1.weight }
            let isCaughtUp = index + 1 == commits.count || commits[index + 1].revision > madeAt
            if commit.revision > madeAt || isCaughtUp || weight >= Self.batchBytes { flush(commit.revision) }
        }
        return responses
    }

    /// The answer in parts that are small enough, if the client accepts parts.
    private func split(_ response: WatchResponse) -> [WatchResponse] {
        if isPlanted(.splitsRevisions) {
            return response.events.map { WatchResponse(header: response.header, watchID: id, events: [$0]) }
        }
        guard mayFragment, response.events.count > 1,
            response.weight >= Self.fragmentBytes
        else { return [response] }
        var parts: [WatchResponse] = []
        var (events, weight): ([Event], Int) = ([], 0)
        for event in response.events {
            if !events.isEmpty, weight + event.weight >= Self.fragmentBytes {
                parts.append(WatchResponse(header: response.header, watchID: id, events: events))
                (events, weight) = ([], 0)
            }
            events.append(event)
            weight += event.weight
        }
        parts.append(WatchResponse(header: response.header, watchID: id, events: events))
        for index in parts.indices.dropLast() { parts[index].fragment = true }
        return parts
    }
}

extension Event {
    /// Its approximate number of bytes in an answer.
    var weight: Int { kv.weight + (prevKv?.weight ?? 0) + 16 }
}

extension KeyValue {
    fileprivate var weight: Int { key.count + value.count + 48 }
}
