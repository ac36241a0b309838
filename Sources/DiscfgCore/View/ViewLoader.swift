/// Reads a whole config into a state, while others write.
///
/// Pages that were read at different moments are brought to one revision by the log: what changed after the first moment is applied
/// to all of them, and what did not change is the same in each.
struct ViewLoader {
    let engine: any StorageEngine
    let config: ConfigName
    let time: TimeSource
    /// The most bytes that the state may take.
    let limit: Int

    /// How often the log may end before a change that the items already show, and how long to wait for it each time.
    private static let maximumWaits = 50
    private static let wait: Duration = .milliseconds(100)

    /// - Returns: The config at the end of its log; `nil` if it takes more than `limit` bytes.
    /// - Throws: What the engine throws; `compacted` if the config was deleted and created again meanwhile.
    func load() async throws -> ViewState? {
        let start = try await engine.tail(of: config)
        var state = ViewState(tail: start)
        var newest = start.revision
        var rest = KeyRange.all
        while true {
            let page = try await engine.items(rest, in: config, limit: 1000, values: true, consistency: .strong)
            state.learn(Dictionary(uniqueKeysWithValues: page.items.map { ($0.key, .some($0)) }), ranges: [])
            guard state.weight <= limit else { return nil }
            newest = page.items.reduce(max(newest, page.tail?.revision ?? 0)) { max($0, $1.modified) }
            guard page.hasMore, let last = page.items.last else { break }
            rest = rest.after(last.key)
        }
        state.learn([:], ranges: [.all])
        try await advance(&state, to: newest)
        return state.weight <= limit ? state : nil
    }

    /// Reads the log on, at least up to a revision.
    func advance(_ state: inout ViewState, to newest: Revision) async throws {
        var waits = 0
        while true {
            let page = try await engine.log(
                of: config, after: state.tail.revision, limit: 1000, incarnation: state.tail.incarnation,
                consistency: .strong)
            state.apply(page.commits, at: time.instant())
            if state.tail.revision >= newest { return }
            guard page.commits.isEmpty else { continue }
            waits += 1
            guard waits < Self.maximumWaits else {
                throw DiscfgError(
                    .storeUnavailable,
                    "The log of config “\(config)” ends at revision \(state.tail.revision), its items at \(newest).",
                    hint: "Try again in a moment.")
            }
            try await time.sleep(Self.wait)
        }
    }
}
