public import DiscfgCore

/// What an export came to.
public struct ExportedFile: Sendable {
    /// The file.
    public var bytes: [UInt8]
    /// How many keys are in it.
    public var keys: Int
    /// Keys that a file has no place for, in order: those that are not UTF-8, have an empty segment or end in `/`, and in an export of
    /// `/` those that do not begin with `/`, which an export of `bare:` has.
    public var leftOut: [Key]
    /// How many keys are left out because they have a lease.
    public var leased: Int
}

extension ConfigStore {
    /// Compares the leaves of a file with the current items, without a change.
    ///
    /// - Throws: `conditionFailed` if the config is not at the revision that the request names.
    public func planImport(of leaves: [Leaf], as request: ImportRequest, in config: ConfigName) async throws
        -> ImportPlan
    {
        let values = try await ImportedValues.of(leaves, for: request)
        return try await planImport(of: values, in: config)
    }

    /// Compares values with the current items, without a change.
    ///
    /// - Throws: `conditionFailed` if the config is not at the revision that the request names.
    public func planImport(of values: ImportedValues, in config: ConfigName) async throws -> ImportPlan {
        let current = try await reading(below: values.request.prefix, in: config, at: nil)
        if let wanted = values.request.ifRevision, wanted != current.revision {
            throw DiscfgError.moved(config, to: current.revision, from: wanted)
        }
        let size = (Array(values.values.values) + current.items.values.map(\.value)).reduce(0) { $0 + $1.bytes.count }
        var plan = try await LongWork.run(onBytes: size) { _ throws(DiscfgError) in
            ImportPlan(values, current: current.items)
        }
        plan.revision = current.revision
        return plan
    }

    /// Imports the leaves of a file; see `importValues`.
    public func importLeaves(
        _ leaves: [Leaf], as request: ImportRequest, in config: ConfigName,
        progress: (_ done: Int, _ total: Int) async -> Void = { _, _ in }
    ) async throws -> ImportOutcome {
        let values = try await ImportedValues.of(leaves, for: request)
        return try await importValues(values, in: config, progress: progress)
    }

    /// The items below a directory as a file, without keys that have a lease.
    ///
    /// - Throws: As `ConfigFormat.bytes` does, but not for keys that are left out.
    public func export(
        as format: ConfigFormat, below prefix: String, in config: ConfigName, at revision: Revision?
    ) async throws -> ExportedFile {
        let directory = try DirectoryPath(prefix)
        let items = try await items(below: prefix, in: config, at: revision)
        var values = items.withoutLeases
        let leased = items.count - values.count
        let leftOut = values.keys.filter { directory.segments(of: $0) == nil }.sorted()
        for key in leftOut { values[key] = nil }
        return ExportedFile(
            bytes: try await format.bytes(of: values, under: prefix.isEmpty ? "/" : prefix), keys: values.count,
            leftOut: leftOut, leased: leased)
    }

    /// Every item below a directory, all at one revision.
    public func items(below prefix: String, in config: ConfigName, at revision: Revision?) async throws -> [Key: Item] {
        try await reading(below: prefix, in: config, at: revision).items
    }

    /// Every item below a directory, and the revision at which all of them stood so.
    ///
    /// It is read from the start again if compaction overtakes it and no revision is named.
    private func reading(
        below prefix: String, in config: ConfigName, at revision: Revision?
    ) async throws -> (items: [Key: Item], revision: Revision) {
        for _ in 0..<5 where revision == nil {
            do {
                return try await pages(below: prefix, in: config, at: nil)
            } catch let error as DiscfgError where error.code == .compacted {
                try Task.checkCancellation()
            }
        }
        return try await pages(below: prefix, in: config, at: revision)
    }

    private func pages(
        below prefix: String, in config: ConfigName, at revision: Revision?
    ) async throws -> (items: [Key: Item], revision: Revision) {
        var items: [Key: Item] = [:]
        var query = ListQuery(
            prefix, isRecursive: true, at: revision, limit: ListQuery.maximumLimit, consistency: .strong)
        while true {
            let page = try await list(query, in: config)
            for item in page.items { items[item.key] = item }
            guard let known = page.revision ?? query.revision else {
                throw DiscfgError(.internalError, "The store does not report the revision of a listing.")
            }
            guard let next = page.next else { return (items, known) }
            (query.after, query.revision) = (next, known)
        }
    }
}

extension [Key: Item] {
    /// The values of the keys that have no lease, which is what an export has.
    ///
    /// A lock, an election or a registration belongs to a process that is alive. Imported again, its key would have no lease and
    /// never end.
    var withoutLeases: [Key: DiscfgCore.Value] { compactMapValues { $0.lease == nil ? $0.value : nil } }
}

extension ImportedValues {
    /// The values of a file, with the keys that its paths make.
    ///
    /// - Throws: As the initializer with a dictionary does, and `invalidName` for a path that makes too long a key.
    public init(_ leaves: [Leaf], for request: ImportRequest = ImportRequest()) throws(DiscfgError) {
        let root = try DirectoryPath(request.prefix)
        var values: [Key: Value] = [:]
        values.reserveCapacity(leaves.count)
        for leaf in leaves { values[try root.key(leaf.path)] = leaf.value }
        try self.init(values, for: request)
    }

    /// The same; the keys of a large file are made outside Swift's cooperative threads.
    package static func of(_ leaves: [Leaf], for request: ImportRequest) async throws -> ImportedValues {
        let size = leaves.reduce(0) { $0 + $1.path.utf8.count + $1.value.bytes.count }
        return try await LongWork.run(onBytes: size) { _ throws(DiscfgError) in
            try ImportedValues(leaves, for: request)
        }
    }
}

extension [Key: Value] {
    /// The bytes of the keys and values.
    var byteCount: Int { reduce(0) { $0 + $1.key.bytes.count + $1.value.bytes.count } }
}
