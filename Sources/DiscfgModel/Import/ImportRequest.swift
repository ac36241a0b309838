/// How values are imported.
public struct ImportRequest: Sendable, Hashable {
    /// The directory below which the keys are put.
    public var prefix: String
    /// Whether keys below the prefix that the import does not have are deleted.
    public var prunes: Bool
    /// The revision that the config must still be at; `nil` if that does not matter.
    public var ifRevision: Revision?
    public var author: String
    /// Why; empty for “import”.
    public var message: String

    public init(
        prefix: String = "/", prunes: Bool = false, ifRevision: Revision? = nil, author: String = "",
        message: String = ""
    ) {
        self.prefix = prefix
        self.prunes = prunes
        self.ifRevision = ifRevision
        self.author = author
        self.message = message
    }
}

/// How many keys an import changes, and how many it does not.
public struct ImportCounts: Sendable, Hashable {
    public var added: Int
    public var changed: Int
    public var removed: Int
    /// Keys that already have the value that is imported.
    public var unchanged: Int
    /// Keys that the import would set or remove, and leaves as they are because they have a lease.
    public var leftOut: Int

    public init(added: Int = 0, changed: Int = 0, removed: Int = 0, unchanged: Int = 0, leftOut: Int = 0) {
        self.added = added
        self.changed = changed
        self.removed = removed
        self.unchanged = unchanged
        self.leftOut = leftOut
    }

    /// Whether nothing is added, changed or removed.
    public var isEmpty: Bool { added + changed + removed == 0 }
}

/// The result of an import.
public struct ImportOutcome: Sendable, Hashable {
    public var counts: ImportCounts
    /// The config's revision after it.
    public var revision: Revision
    /// The number of commits: 0 if nothing differed, more than one if the store does not take so much in one.
    public var commits: Int

    public init(counts: ImportCounts, revision: Revision, commits: Int) {
        self.counts = counts
        self.revision = revision
        self.commits = commits
    }
}
