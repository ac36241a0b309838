import CoreMetrics

extension ConfigService {
    /// Reads one key: from memory if the config is loaded, otherwise from the engine.
    public func get(
        _ key: Key, in config: ConfigName, at revision: Revision?, consistency: Consistency
    ) async throws -> Reading {
        guard let revision else { return try await get(key, in: config, consistency: consistency) }
        let engine = try await reader(of: config, consistency: consistency, withTrimmed: true)
        // Before the item, so that it is never older than the tail.
        let before = try await engine.traits.readsTellTail ? nil : engine.tail(of: config)
        let batch = try await engine.items([key], in: config, consistency: .strong)
        try (batch.tail ?? before)?.checkReadable(after: revision)
        if let current = batch.items[key], current.modified <= revision {
            guard revision != (batch.tail ?? before)?.revision || !current.isExpired(at: time.now()) else {
                throw DiscfgError.noKey(key, in: config)
            }
            return Reading(item: current, revision: revision, age: engine.age)
        }
        // The key changed since: what it was then, the first change since then has kept.
        guard let item = try await engine.firstChange(to: key, in: config, after: revision)?.previous else {
            throw DiscfgError(
                .keyNotFound, "There was no key “\(key)” in config “\(config)” at revision \(revision).",
                hint: "See its changes with “discfg history \(key)”."
            ).overHTTP("See its changes in GET /v1/\(config)/history.")
        }
        return Reading(item: item, revision: revision, age: engine.age)
    }

    private func get(_ key: Key, in config: ConfigName, consistency: Consistency) async throws -> Reading {
        let engine = try await reader(of: config, consistency: consistency)
        // The item alone may be older than a commit of the log that others have seen, and be left of a config that is gone.
        let isAlone = consistency == .strong && !engine.traits.readsTellTail
        let before = try await isAlone ? engine.tail(of: config) : nil
        let batch = try await engine.items(
            [key], in: config, consistency: freshness(consistency, of: .key(key), in: config))
        guard let item = batch.items[key], !item.isExpired(at: time.now()) else {
            throw DiscfgError.noKey(key, in: config)
        }
        let revision = max((batch.tail ?? before)?.revision ?? 0, item.modified)
        return Reading(item: item, revision: revision, age: engine.age)
    }

    /// Strong for what this process has written: it must not read an older state than its own.
    private func freshness(_ wanted: Consistency, of range: KeyRange, in config: ConfigName) -> Consistency {
        guard wanted == .eventual, let view = existing(config)?.view else { return wanted }
        return view.isUnsettled(range) ? .strong : .eventual
    }

    /// How old the view may be that answers an eventual read.
    private static let eventualAge: Duration = .seconds(1)

    /// What a read of a config is answered from: its view if the config is loaded, otherwise the engine.
    ///
    /// A strong read sees everything that was acknowledged before this call began. A store on this machine is always read so.
    /// With `withTrimmed` it also sees every compaction: for reads at a revision. An eventual read of a store that tolerates an
    /// outage is answered from the view while the store is unavailable.
    package func reader(
        of config: ConfigName, consistency: Consistency = .strong, withTrimmed: Bool = false
    ) async throws -> any StorageEngine {
        if viewMemory.isEnabled, let view = existing(config)?.view, view.isLoaded {
            let mayBeOld = consistency == .eventual && engine.traits.toleratesOutage
            let state: ViewState
            do {
                if mayBeOld, let answer = outdated(view) { return answer }
                let isStrong = consistency == .strong || engine.traits.readsTellTail || withTrimmed
                state =
                    try await isStrong
                    ? view.confirmed(withTrimmed: withTrimmed) : view.recent(within: Self.eventualAge)
            } catch let error as DiscfgError where error.code == .configNotFound {
                forget(config)
                throw error
            } catch let error as DiscfgError where error.code == .storeUnavailable && mayBeOld {
                guard let answer = outdated(view) else { throw error }
                return answer
            }
            if state.isComplete {
                viewMetrics.viewReads.increment()
                return SnapshotEngine(engine: engine, state: state)
            }
        }
        viewMetrics.storeReads.increment()
        load(config)
        return engine
    }

    private func outdated(_ view: ConfigView) -> SnapshotEngine? {
        guard let (state, age) = view.outdated(lookingAgainAfter: Self.eventualAge) else { return nil }
        viewMetrics.viewReads.increment()
        return SnapshotEngine(engine: engine, state: state, age: age)
    }

    /// Reads one page of a directory: from memory if the config is loaded, otherwise from the engine.
    public func list(_ query: ListQuery, in config: ConfigName) async throws -> Listing {
        guard (1...ListQuery.maximumLimit).contains(query.limit) else {
            throw DiscfgError.invalid(
                "A limit of \(query.limit) is out of range.", hint: "Ask for 1 to \(ListQuery.maximumLimit) entries.")
        }
        let ranges = try KeySelection.below(query.directory).ranges
        let isOwn =
            query.consistency == .eventual
            && ranges.contains {
                freshness(query.consistency, of: $0, in: config) == .strong
            }
        let engine = try await reader(
            of: config, consistency: query.consistency, withTrimmed: query.revision != nil)
        let reader = SnapshotReader(
            engine: engine, config: config, values: !query.keysOnly, now: time.now(),
            isSnapshot: query.consistency == .strong, goesOn: query.goesOn || query.after != nil,
            freshness: isOwn ? .strong : query.consistency)
        let cursor = try query.after.map { try ListCursor($0) }
        let rest = cursor.map { $0.rest(of: ranges) } ?? ranges
        var listing = try await SnapshotReader.read(at: query.revision) {
            var reader = reader
            return query.isRecursive
                ? try await reader.listing(of: rest, at: query.revision, limit: query.limit)
                : try await reader.level(
                    of: rest, below: ranges[0].lower, at: query.revision, limit: query.limit)
        }
        listing.age = engine.age
        return listing
    }
}

extension StorageEngine {
    /// How old the answers are, if that is known: only of a view whose store is unavailable.
    fileprivate var age: Duration? { (self as? SnapshotEngine)?.age }
}

/// Where a page of a listing ended: the key or directory of its last entry.
///
/// A key or directory is itself if it is text, unless its kind could not be told from that: those are written in hexadecimal after
/// `bytes:`, a directory with a `/` behind it.
struct ListCursor {
    private let bytes: [UInt8]
    private let isDirectory: Bool
    private static let mark = "bytes:"

    init(_ text: String) throws(DiscfgError) {
        guard text.utf8.starts(with: Self.mark.utf8) else {
            (bytes, isDirectory) = (Array(text.utf8), text.utf8.last == UInt8(ascii: "/"))
            return
        }
        isDirectory = text.utf8.last == UInt8(ascii: "/")
        let digits = Array(text.utf8.dropFirst(Self.mark.utf8.count).dropLast(isDirectory ? 1 : 0))
        bytes = stride(from: 0, to: digits.count - 1, by: 2).compactMap {
            UInt8(String(decoding: digits[$0...$0 + 1], as: UTF8.self), radix: 16)
        }
        guard bytes.count * 2 == digits.count else {
            throw .invalid("“\(text)” is not where a page ended.", hint: "Use “next” as it was answered.")
        }
    }

    /// The text to ask with for what comes after the entry.
    static func text(after entry: Listing.Entry) -> String {
        let (bytes, isDirectory) =
            switch entry {
            case .item(let item): (item.key.bytes, false)
            case .directory(let bytes): (bytes, true)
            }
        if (bytes.last == UInt8(ascii: "/")) == isDirectory, !bytes.starts(with: mark.utf8),
            let text = String(validating: bytes, as: UTF8.self)
        {
            return text
        }
        return mark + bytes.map(\.hex).joined() + (isDirectory ? "/" : "")
    }

    /// What is left of the ranges after the entry; after a directory, after all that is in it.
    func rest(of ranges: [KeyRange]) -> [KeyRange] {
        let next = isDirectory ? bytes.prefixEnd ?? bytes : bytes + [0]
        let rest = ranges.drop { range in range.upper.map { !next.lexicographicallyPrecedes($0) } ?? false }
        // Behind the last key of all there is nothing, which one look at the store says.
        return (rest.isEmpty ? ranges.suffix(1) : rest).map { range in
            KeyRange(from: range.lower.lexicographicallyPrecedes(next) ? next : range.lower, to: range.upper)
        }
    }
}
