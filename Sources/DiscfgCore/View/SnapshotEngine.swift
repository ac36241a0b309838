/// An engine on which one config stands still: its items, and the commits up to them, are answered from a state in memory.
///
/// Everything else goes to the engine inside. So what reads a config needs not know whether there is a view of it.
struct SnapshotEngine: EngineWrapper {
    /// A page of items ends when its values have about this many bytes.
    private static let pageBytes = 8 << 20

    let engine: any StorageEngine
    let state: ViewState
    /// How old the state is, if the store is unavailable.
    var age: Duration?

    var traits: StorageTraits { engine.traits.with(\.readsTellTail, true) }

    func tail(of config: ConfigName, knowing known: LogTail?) async throws -> LogTail { state.tail }

    func items(_ keys: [Key], in config: ConfigName, consistency: Consistency) async throws -> ItemBatch {
        let found = keys.compactMap { key in state.items[key].map { (key, $0) } }
        return ItemBatch(items: Dictionary(found) { first, _ in first }, tail: state.tail)
    }

    func items(
        _ range: KeyRange, in config: ConfigName, limit: Int, values: Bool, consistency: Consistency
    ) async throws -> ItemPage {
        let found = state.items.items(in: range, limit: limit)
        guard values else {
            let hasMore = found.count == limit && state.items.count(in: range) > limit
            return ItemPage(items: found.map(\.withoutValue), hasMore: hasMore, tail: state.tail)
        }
        var weight = 0
        let items = found.prefix { item in
            defer { weight += item.value.bytes.count }
            return weight < Self.pageBytes
        }
        let hasMore = items.count < found.count || (found.count == limit && state.items.count(in: range) > limit)
        return ItemPage(items: Array(items), hasMore: hasMore, tail: state.tail)
    }

    func log(
        of config: ConfigName, after: Revision, limit: Int, incarnation: String?, consistency: Consistency
    ) async throws -> LogPage {
        // What was trimmed is the store's: it tells which commits are kept for readers that name the log.
        if after >= state.tail.trimmed, incarnation ?? state.tail.incarnation == state.tail.incarnation,
            let commits = state.window.commits(after: after, through: state.tail.revision, limit: limit)
        {
            return LogPage(commits: commits, tail: state.tail.revision, incarnation: state.tail.incarnation)
        }
        return try await engine.log(
            of: config, after: after, limit: limit, incarnation: incarnation, consistency: consistency)
    }

    func history(
        of config: ConfigName, selection: KeySelection, _ part: LogPart, limit: Int
    ) async throws -> HistoryPage {
        let tail = state.tail
        switch part {
        case .through(let last):
            let oldest = max(tail.trimmed, (state.window.first ?? tail.revision + 1) - 1)
            let commits = state.window.commits(after: oldest, through: tail.revision) ?? []
            let found = commits.reversed().lazy.drop { $0.revision > last }.compactMap { $0.selecting(selection) }
            let page = Array(found.prefix(limit))
            // What is older than the newest commits in memory is the store's.
            guard page.count == limit || oldest == tail.trimmed else { break }
            return HistoryPage(page, of: part, isLast: page.count < limit, tail: tail)
        case .after(let revision):
            guard revision >= tail.trimmed,
                let commits = state.window.commits(after: revision, through: tail.revision)
            else { break }
            let page = Array(commits.lazy.compactMap { $0.selecting(selection) }.prefix(limit))
            return HistoryPage(page, of: part, isLast: page.count < limit, tail: tail)
        }
        return try await engine.history(of: config, selection: selection, part, limit: limit)
    }
}
