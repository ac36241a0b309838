/// How values are imported.
public struct ImportRequest: Sendable, Hashable {
    /// The directory below which the keys are put.
    public var prefix: String
    /// Whether keys below the prefix that the import does not have are deleted.
    public var prunes: Bool
    /// The revision that the config must still be at; `nil` if that does not matter.
    public var ifRevision: Revision?
    /// The author of the commits; empty if unknown.
    public var author: String
    /// Why; empty for “import”.
    public var message: String

    /// An import below the root that deletes nothing and has no condition, except for what is given.
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
    /// Keys that do not exist yet.
    public var added: Int
    /// Keys whose bytes or content type differ.
    public var changed: Int
    /// Keys that are deleted, because the import prunes or an array has become shorter.
    public var removed: Int
    /// Keys that already have the value that is imported.
    public var unchanged: Int
    /// Keys that the import would set or remove, and leaves as they are because they have a lease.
    public var leftOut: Int

    /// Counts that are 0 except for what is given.
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
    /// What became of the keys, in all commits of the import together.
    public var counts: ImportCounts
    /// The config's revision after it.
    public var revision: Revision
    /// The number of commits: 0 if nothing differed, more than one if the store does not take so much in one.
    public var commits: Int

    /// An outcome, as a store or the reader of an answer fills it in.
    public init(counts: ImportCounts, revision: Revision, commits: Int) {
        self.counts = counts
        self.revision = revision
        self.commits = commits
    }
}
