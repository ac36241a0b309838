#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Historic {
    /// What an item was at a moment.
    ///
    /// Times by the stream are of whole seconds: of several changes in the moment's second the last one counts. A table
    /// with `VersionAttributes.modified` has exact times, except for deletions. What cannot be told for certain, because
    /// versions are missing or not recorded yet, is `unknown`, never guessed. Only a whole life that nothing was
    /// recorded of leaves no trace.
    ///
    /// Costs a strongly consistent read of the entries since the moment, in pages of 25; where the newest entry of a life
    /// decides, also one of the item itself, and one of the lives that began up to `allowedSkew` before;
    /// where the item was deleted, one of what was written without stamps.
    ///
    /// - Parameters:
    ///   - key: The item's key.
    ///   - moment: When.
    /// - Returns: What the item was.
    /// - Throws: `AWSError`; `PatternError` with code `corrupt`.
    public func item(_ key: PrimaryKey, at moment: Date) async throws -> HistoricState<Item> {
        switch try await find(key, at: moment.milliseconds) {
        case .notYet: .didNotExistYet
        case .unknown(let gap): .unknown(gap)
        case .entry(let entry):
            if let item = try entry.item {
                .found(item, version: entry.version)
            } else {
                .deleted(at: entry.time ?? moment, by: entry.by)
            }
        }
    }

    /// Finds the entry that was in force at a moment, in milliseconds since 1970.
    func find(_ key: PrimaryKey, at moment: Int64) async throws -> HistoricFinding<Item> {
        let partition = try partition(key)
        var search = HistoricSearch<Item>(moment: moment)
        try await look(in: partition, for: &search)
        if search.isOver {
            // Of a life without stamps nobody knows when it began: it may have come later.
            let life = VersionStamp.unstamped + "#"
            try await look(in: partition, before: life + "~", notBefore: life, for: &search)
        }
        search.endLife()
        if let finding = search.finding { return finding }
        return search.finding(current: try await current(key)?.place)
    }

    private func look(
        in partition: String, before end: String? = nil, notBefore start: String = " ",
        for search: inout HistoricSearch<Item>
    ) async throws {
        var (start, end) = (start, end)
        repeat {
            let page = try await page(of: partition, before: end, notBefore: start, limit: 25)
            end = page.next
            for entry in page.entries where search.take(entry) {
                // The rest of this life is older; lives that began long before cannot have lasted.
                end = search.isSettled ? nil : entry.life + "#"
                start = max(start, VersionStamp.lifePrefix((entry.order ?? 0) - allowedSkew.milliseconds))
                break
            }
        } while end.map { $0 >= start } ?? false
    }
}

/// What a search found.
enum HistoricFinding<Item: Codable & Sendable>: Sendable {
    case entry(HistoricEntry<Item>)
    case notYet
    case unknown(HistoricGap)
}

extension HistoricEntry {
    /// What decides between lives: the stream's time, which one clock gives, if there is one.
    var order: Int64? { streamTime ?? moment }
}

/// Looks through entries, newest first, for the one that was in force at a moment.
struct HistoricSearch<Item: Codable & Sendable> {
    let moment: Int64
    /// The newest entry that is not after the moment, of the life that was last.
    private var best: HistoricEntry<Item>?
    /// The one that followed it in its life.
    private var successor: HistoricEntry<Item>?
    /// The entry before, if it is after the moment.
    private var later: HistoricEntry<Item>?
    /// Whether a life began after the moment.
    private var isFollowed = false
    /// A life of which it is not known whether it began before the moment.
    private var doubt: HistoricGap?

    init(moment: Int64) { self.moment = moment }

    /// Looks at one entry; true for the first of a life that is not after the moment.
    mutating func take(_ entry: HistoricEntry<Item>) -> Bool {
        if entry.life != later?.life { endLife() }
        guard let time = entry.moment, time <= moment else {
            later = entry
            return false
        }
        if isBetter(entry) {
            best = entry
            successor = later
        }
        later = nil
        return true
    }

    /// Takes note that a life has no entries before the last one, which was after the moment.
    mutating func endLife() {
        guard let first = later else { return }
        later = nil
        if first.isBeginning && first.time != nil {
            isFollowed = true
        } else {
            doubt = HistoricGap(life: first.life, after: 0, before: first.version)
        }
    }

    private func isBetter(_ entry: HistoricEntry<Item>) -> Bool {
        guard let best, let new = entry.order, let old = best.order else { return true }
        // In the same second, one life ends before the next one begins.
        return new > old || new == old && best.kind == .removed && entry.kind != .removed
    }

    /// Whether the best one is the deletion of an item with stamps.
    var isOver: Bool { best?.kind == .removed && best?.life != VersionStamp.unstamped }

    /// Whether the best one was in force for certain, since the next version came after the moment.
    var isSettled: Bool {
        guard let best, let successor else { return false }
        return successor.version == best.version + 1 && successor.time != nil
    }

    /// What was found; `nil` if the item as it is now has to decide.
    var finding: HistoricFinding<Item>? {
        guard let best else { return doubt.map { .unknown($0) } ?? (isFollowed ? .notYet : nil) }
        if let successor {
            if isSettled { return .entry(best) }
            let before = successor.version + (successor.time == nil ? 1 : 0)
            return .unknown(HistoricGap(life: best.life, after: best.version, before: before))
        }
        if let doubt { return .unknown(doubt) }
        guard isFollowed else { return nil }
        return best.kind == .removed ? .entry(best) : .unknown(unended(best))
    }

    /// What was found, where no entry is after the moment.
    func finding(current: VersionPlace?) -> HistoricFinding<Item> {
        guard let best else { return current.map { .unknown(unrecorded($0)) } ?? .notYet }
        switch (best.kind, current) {
        case (.removed, nil): return .entry(best)
        case (.removed, let current?): return .unknown(unrecorded(current))
        case (_, best.place): return .entry(best)
        case (_, let current?) where current.life == best.life && current.version > best.version:
            return .unknown(HistoricGap(life: best.life, after: best.version, before: current.version + 1))
        default: return .unknown(unended(best))
        }
    }

    private func unended(_ entry: HistoricEntry<Item>) -> HistoricGap {
        HistoricGap(life: entry.life, after: entry.version, before: nil)
    }

    private func unrecorded(_ place: VersionPlace) -> HistoricGap {
        HistoricGap(life: place.life, after: 0, before: place.version + 1)
    }
}
