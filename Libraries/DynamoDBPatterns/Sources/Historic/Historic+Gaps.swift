extension Historic {
    /// The versions of an item that its history does not have.
    ///
    /// While the consumer of the stream is behind, the newest versions count as missing; after it was down for more
    /// than 24 hours they stay so. Reads the whole history of the item, strongly consistent, and the item.
    ///
    /// - Parameter key: The item's key.
    /// - Returns: The gaps, newest first.
    /// - Throws: `AWSError`; `PatternError` with code `corrupt`.
    public func gaps(of key: PrimaryKey) async throws -> [HistoricGap] {
        try await gaps(of: key, current: try await current(key)?.place)
    }

    /// Stores the item as it is now, where its history lacks that.
    ///
    /// What a later record knew of the version before it was stored when it was recorded; this does the same for the
    /// newest version, and is the way to begin the history of items that are older than it.
    ///
    /// - Parameter key: The item's key.
    /// - Returns: The gaps that remain.
    /// - Throws: `AWSError`; `PatternError` with code `corrupt`, or `poison` if the item is too large.
    @discardableResult
    public func fillGaps(of key: PrimaryKey) async throws -> [HistoricGap] {
        let current = try await current(key)
        let gaps = try await gaps(of: key, current: current?.place)
        guard let (place, stored) = current, place.version > 0,
            gaps.contains(where: { $0.life == place.life && $0.before == place.version + 1 })
        else { return gaps }
        try await recover(stored, at: place, of: key)
        return try await self.gaps(of: key, current: place)
    }

    private func gaps(of key: PrimaryKey, current: VersionPlace?) async throws -> [HistoricGap] {
        let partition = try partition(key)
        var search = GapSearch<Item>(current: current)
        var end: String?
        repeat {
            let page = try await page(of: partition, before: end, limit: 1000)
            for entry in page.entries { search.take(entry) }
            end = page.next
        } while end != nil
        return search.end()
    }
}

/// Looks through all entries of an item, newest first, for what is missing.
private struct GapSearch<Item: Codable & Sendable> {
    let current: VersionPlace?
    private var gaps: [HistoricGap] = []
    private var later: HistoricEntry<Item>?
    private var hasCurrentLife = false

    init(current: VersionPlace?) { self.current = current }

    mutating func take(_ entry: HistoricEntry<Item>) {
        defer { later = entry }
        if let later, later.life == entry.life {
            guard later.version > entry.version + 1 else { return }
            gaps.append(HistoricGap(life: entry.life, after: entry.version, before: later.version))
            return
        }
        endLife()
        if let current, current.life == entry.life {
            hasCurrentLife = true
            guard current.version > entry.version else { return }
            gaps.append(HistoricGap(life: entry.life, after: entry.version, before: current.version + 1))
        } else if entry.kind != .removed {
            gaps.append(HistoricGap(life: entry.life, after: entry.version, before: nil))
        }
    }

    private mutating func endLife() {
        guard let later, !later.isBeginning, later.version > 1 else { return }
        gaps.append(HistoricGap(life: later.life, after: 0, before: later.version))
    }

    mutating func end() -> [HistoricGap] {
        endLife()
        if let current, !hasCurrentLife {
            gaps.insert(HistoricGap(life: current.life, after: 0, before: current.version + 1), at: 0)
        }
        return gaps
    }
}
