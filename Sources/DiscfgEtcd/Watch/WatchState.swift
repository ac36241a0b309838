import DiscfgCore

/// One watch of a stream: what it is about, and how far it was delivered.
struct WatchState {
    /// The watch's id, as its client knows it.
    let id: Int64
    /// Which keys; `nil` where there can be none.
    let selection: KeySelection?
    let filters: Set<WatchCreateRequest.Filter>
    let wantsPrevious: Bool
    let mayFragment: Bool
    /// The config's revision when the watch was made: what is older is caught up with, many revisions at a time.
    let madeAt: Revision
    /// The watch's hub, and its number there.
    let hub: WatchHub
    let number: Int
    /// Everything up to here was delivered, or is not wanted.
    private(set) var position: Revision
    /// There is something to read up to here.
    private var pending: Revision
    /// The newest revision that the watch knows to be there: it may have to begin beyond.
    private var known: Revision
    /// Whether to tell how far everything was delivered at the next opportunity; `nil` for never.
    var owesProgress: Bool?

    /// A watch that joined a hub, which will tell it of everything beyond a position.
    init(
        id: Int64, selection: KeySelection?, request: WatchCreateRequest, start: Revision, madeAt: Revision,
        hub: (hub: WatchHub, number: Int, position: Revision)
    ) {
        self.id = id
        self.selection = selection
        filters = Set(request.filters)
        wantsPrevious = request.prevKv
        mayFragment = request.fragment
        self.madeAt = madeAt
        self.hub = hub.hub
        number = hub.number
        position = isPlanted(.watchBeginsLate) ? start : start - 1
        if isPlanted(.ignoresFutureStart) { position = min(position, madeAt) }
        pending = isPlanted(.losesEventsAtJoin) ? start - 1 : hub.position
        known = madeAt
        owesProgress = request.progressNotify ? true : nil
    }

    /// Whether there is something to read.
    var isBehind: Bool { pending > position }

    /// Takes in that there is something for the watch up to a revision, and nothing else since another.
    mutating func mark(after: Revision, through: Revision) {
        if !isBehind { position = max(position, after) }
        pending = max(pending, through)
    }

    /// Takes in that everything up to a revision was delivered.
    mutating func advance(through revision: Revision, hasEvents: Bool) {
        position = max(position, revision)
        known = max(known, revision)
        if hasEvents, owesProgress != nil { owesProgress = false }
    }

    /// The revision up to which everything was delivered, where all watches were told of everything up to another.
    func promise(announced: Revision) -> Revision {
        if isPlanted(.promisesTooMuch) { return max(known, announced, pending) }
        let delivered = min(position, known)
        return isBehind ? delivered : max(delivered, announced)
    }

    /// The events of a commit that the watch is about, in the order of their keys.
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
    /// About so many bytes are sent at once where nothing says otherwise; a revision is never divided by it.
    static let batchBytes = 1 << 20
    /// The most bytes of an answer that may be split: as etcd's limit of a request.
    static let fragmentBytes = 3 << 19

    /// The answers with the events of some commits.
    ///
    /// Each revision is an answer of its own, as etcd sends what happens while a watch follows; what was there before the watch
    /// was made comes as many revisions at a time.
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

    /// The answer in parts that are small enough, where the client takes parts.
    private func split(_ response: WatchResponse) -> [WatchResponse] {
        if isPlanted(.splitsRevisions) {
            return response.events.map { WatchResponse(header: response.header, watchID: id, events: [$0]) }
        }
        guard mayFragment, response.events.count > 1,
            response.events.reduce(0, { $0 + $1.weight }) >= Self.fragmentBytes
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
    /// About the bytes that it takes in an answer.
    var weight: Int { kv.weight + (prevKv?.weight ?? 0) + 16 }
}

extension KeyValue {
    fileprivate var weight: Int { key.count + value.count + 48 }
}
