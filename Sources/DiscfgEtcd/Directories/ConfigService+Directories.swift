public import DiscfgCore

/// Files and directories, as etcd's v2 API has them, on the same keys as everything else.
///
/// A file `/a/b` is the key `/a/b`. A directory `/a` is an item with the key `/a/` and the content type `inode/directory`, and is
/// also there when any key is below it: those that make keys otherwise make no directories.
extension ConfigService {
    /// Carries out a write as one commit.
    ///
    /// - Throws: `DiscfgError`; what etcd refuses is a result.
    public func carryOut(_ write: DirectoryWrite, in config: ConfigName) async throws -> DirectoryResult {
        try write.validate()
        return try await submit(write, to: config)
    }

    /// Reads a file, or a directory with what is right in it, or with all that is below it.
    ///
    /// What is hidden is in no listing, but can be read by its name.
    /// - Throws: `DiscfgError`, with code `tooLarge` when a listing would hold more than 64 MiB; what is not there is a result.
    public func read(
        _ path: DirectoryPath, isRecursive: Bool, in config: ConfigName
    ) async throws -> DirectoryResult {
        let engine = try await reader(of: config)
        // Before the items, so that none of them is older.
        let before = try await engine.traits.readsTellTail ? nil : engine.tail(of: config)
        let now = time.now()
        var revision = before?.revision ?? 0
        if !path.isRoot {
            let batch = try await engine.items([path.file], in: config, consistency: .strong)
            revision = batch.tail?.revision ?? revision
            if let item = batch.items[path.file], !item.isExpired(at: now) {
                return .success(.reading(DirectoryNode(item, at: path), at: revision, time: now))
            }
        }
        let snapshot = SnapshotReader(
            engine: engine, config: config, values: true, now: now, isSnapshot: true, freshness: .strong)
        let found = try await SnapshotReader.read(at: nil) {
            try await DirectoryReader(snapshot: snapshot, path: path, isRecursive: isRecursive).read()
        }
        if let node = found.node {
            return .success(.reading(node, at: found.revision ?? revision, time: now))
        }
        // The earlier of the two reads: what was set between them is seen by a watch that begins after it.
        let seen = min(revision, found.revision ?? revision)
        return .failure(try await absence(of: path, in: config, engine: engine, now: now, at: seen))
    }

    /// Why there is nothing at a path.
    private func absence(
        of path: DirectoryPath, in config: ConfigName, engine: any StorageEngine, now: Timestamp, at revision: Revision
    ) async throws -> DirectoryRefusal {
        let ancestors = path.ancestors
        let batch = try await engine.items(
            ancestors.flatMap { [$0.file, $0.directory] }, in: config, consistency: .strong)
        let isThere = { (key: Key) in batch.items[key].map { !$0.isExpired(at: now) } ?? false }
        let deepest = ancestors.lastIndex { isThere($0.directory) } ?? -1
        for (depth, ancestor) in ancestors.enumerated() {
            if isThere(ancestor.file) {
                return DirectoryRefusal(reason: .notADirectory, cause: ancestor.description, revision: revision)
            }
            if depth <= deepest { continue }
            let inside = try await engine.items(
                ancestor.below, in: config, limit: 1, values: false, consistency: .strong)
            if inside.items.isEmpty {
                return DirectoryRefusal(reason: .keyNotFound, cause: ancestor.description, revision: revision)
            }
        }
        return DirectoryRefusal(reason: .keyNotFound, cause: path.description, revision: revision)
    }

    /// Follows what happens to a path, from a revision on; by default from the next.
    ///
    /// - Throws: `DiscfgError`; that the history is gone is a result.
    public func follow(
        _ watch: DirectoryWatch, from first: Revision?, in config: ConfigName
    ) async throws -> Result<DirectoryFeed, DirectoryRefusal> {
        let tail = try await tail(of: config)
        let first = first ?? tail.revision + 1
        guard first > tail.trimmed else {
            return .failure(
                DirectoryRefusal(
                    reason: .historyCleared,
                    cause: "the requested history has been cleared [\(tail.trimmed + 1)/\(first)]",
                    revision: tail.revision))
        }
        return .success(
            DirectoryFeed(
                service: self, config: config, watch: watch, first: first, position: min(first - 1, tail.revision),
                start: tail.revision, log: tail.incarnation))
    }
}

/// The events that a watcher sees, as they come.
public struct DirectoryFeed: Sendable {
    private let service: ConfigService
    private let config: ConfigName
    private let watch: DirectoryWatch
    private let first: Revision
    private var position: Revision
    /// The config's revision when it began.
    public let start: Revision
    private let log: String

    init(
        service: ConfigService, config: ConfigName, watch: DirectoryWatch, first: Revision, position: Revision,
        start: Revision, log: String
    ) {
        self.service = service
        self.config = config
        self.watch = watch
        self.first = first
        self.position = position
        self.start = start
        self.log = log
    }

    /// The next events: at least one, unless the wait is `.zero` and nothing has happened yet.
    ///
    /// - Throws: `DiscfgError` when the log cannot be followed any more, `CancellationError`.
    public mutating func next(wait: Duration? = nil) async throws -> [DirectoryEvent] {
        while true {
            var query = ChangesQuery(
                after: position, selection: watch.path.selection, wait: wait ?? ChangesQuery.maximumWait, log: log)
            // What happens to the path also depends on the other changes of a commit.
            query.keepsWholeCommits = true
            let page = try await service.changes(query, in: config)
            position = page.scanned
            let events = page.commits.filter { $0.revision >= first }.flatMap { watch.events(of: $0) }
            if !events.isEmpty || (wait == .zero && position >= page.revision) { return events }
        }
    }
}

extension DirectoryEvent {
    /// Something was read.
    fileprivate static func reading(_ node: DirectoryNode, at revision: Revision, time: Timestamp) -> DirectoryEvent {
        DirectoryEvent(action: .get, node: node, previous: nil, revision: revision, time: time)
    }
}
