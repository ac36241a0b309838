/// Which items of a range of keys to read.
public struct RangeQuery: Sendable, Hashable {
    /// The keys to read.
    public var range: KeyRange
    /// The revision to read at; `nil` for now.
    public var revision: Revision?
    /// The most items; `nil` for all.
    public var limit: Int?
    /// Whether values are read; without them an item's value is empty.
    public var values: Bool

    /// A query for all items of a range with their values, as they are now, unless more is given.
    public init(_ range: KeyRange, at revision: Revision? = nil, limit: Int? = nil, values: Bool = true) {
        self.range = range
        self.revision = revision
        self.limit = limit
        self.values = values
    }
}

/// The items of a range, all as they stood at one revision.
public struct RangeReading: Sendable, Hashable {
    /// In the order of their keys.
    public var items: [Item]
    /// How many there are in the range, whatever the limit.
    public var count: Int
    /// The config's revision: the one that was read at, or a later one where the past was asked for.
    public var revision: Revision

    /// A reading of a range.
    public init(items: [Item], count: Int, revision: Revision) {
        self.items = items
        self.count = count
        self.revision = revision
    }
}

extension ConfigService {
    /// The ends of a config's log, strongly consistent.
    public func tail(of config: ConfigName) async throws -> LogTail {
        try await reader(of: config, withTrimmed: true).tail(of: config)
    }

    /// The items of a range at one revision, strongly consistent; what stands for a directory is left out.
    ///
    /// Throws `compacted`, `futureRevision`, and `tooLarge` when the items have more than 64 MiB.
    public func range(_ query: RangeQuery, in config: ConfigName) async throws -> RangeReading {
        if query.revision == nil, let key = query.range.onlyKey {
            return try await SnapshotReader.read(at: nil) { try await reading(of: key, in: config) }
        }
        return try await SnapshotReader.read(at: query.revision) { try await pages(of: query, in: config) }
    }

    private func pages(of query: RangeQuery, in config: ConfigName) async throws -> RangeReading {
        // Before the items, so that the config's revision is never older than what was asked for.
        let engine = try await reader(of: config, withTrimmed: query.revision != nil)
        let current = try await query.revision == nil ? nil : engine.tail(of: config).revision
        var reader = SnapshotReader(
            engine: engine, config: config, values: query.values, now: time.now(), isSnapshot: true,
            freshness: .strong)
        var reading = RangeReading(items: [], count: 0, revision: current ?? 0)
        var revision = query.revision
        var rest: KeyRange? = query.range
        var weight = 0
        while let range = rest {
            let room = query.limit.map { max(0, $0 - reading.items.count) } ?? .max
            // What is only counted is read without values.
            reader.values = query.values && room > 0
            let most = isPlanted(.pagesApart) ? 2 : 1000
            // So that what is committed between two pages shows within a minute.
            if isPlanted(.pagesApart), !reading.items.isEmpty { try await time.sleep(.milliseconds(20)) }
            let page = try await reader.page(
                of: range, at: isPlanted(.pagesApart) ? query.revision : revision, isPaging: query.revision == nil,
                limit: room > 0 ? min(room, most) : most)
            let items = page.items.filter { !$0.isDirectory }
            reading.items += items.prefix(room)
            reading.count += items.count
            weight += items.reduce(0) { $0 + $1.weight }
            guard room == 0 || weight <= Evaluator.maximumOutcomeBytes else {
                throw DiscfgError(
                    .tooLarge,
                    "The keys and values of the range have more than \(Evaluator.maximumOutcomeBytes) bytes.",
                    hint: "Set a limit, and read page by page.")
            }
            (revision, rest) = (page.revision, page.rest)
        }
        if current == nil { reading.revision = revision ?? 0 }
        return reading
    }

    /// One key as it is now: the hottest of all reads.
    private func reading(of key: Key, in config: ConfigName) async throws -> RangeReading {
        let engine = try await reader(of: config)
        // Before the item, so that the revision is never older than what was asked for.
        let before = try await engine.traits.readsTellTail ? nil : engine.tail(of: config)
        let batch = try await engine.items([key], in: config, consistency: .strong)
        let item = batch.items[key].flatMap { $0.isExpired(at: time.now()) || $0.isDirectory ? nil : $0 }
        var revision = max((batch.tail ?? before)?.revision ?? 0, batch.items[key]?.modified ?? 0)
        if let before, batch.tail == nil, batch.items[key] == nil {
            revision = try await removal(of: key, after: before.revision, in: config) ?? revision
        }
        return RangeReading(items: item.map { [$0] } ?? [], count: item == nil ? 0 : 1, revision: revision)
    }

    /// The revision that removed a key first after a revision; `nil` if the key was absent at that revision already.
    private func removal(of key: Key, after revision: Revision, in config: ConfigName) async throws -> Revision? {
        var position = revision
        var end: Revision?
        while position < end ?? .max {
            let commits = try await engine.entries(of: config, after: position, limit: 1000)
            guard let last = commits.last else { return nil }
            for commit in commits {
                guard let change = commit.changes.first(where: { $0.key == key }) else { continue }
                if change.item == nil { return commit.revision }
                if change.previous == nil { return nil }
            }
            position = last.revision
            // The key was absent before, so its removal is not beyond this, and others may go on writing.
            if end == nil { end = try await engine.tail(of: config).revision }
        }
        return nil
    }
}
