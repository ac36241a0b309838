extension Change {
    /// Writes the change as an object.
    func write(to writer: inout JSONWriter, _ style: WireStyle) {
        writer.object { writer in
            key.writeMember(to: &writer)
            writer.member("kind", kind.rawValue)
            if let item {
                item.value.writeMembers(to: &writer, style)
                writer.member("version", item.version)
                writer.member("created", item.created)
                if let expiry = item.expiry { writer.member("expiration", expiry.description) }
                if let lease = item.lease { writer.member("lease", lease) }
            }
            if let previous {
                writer.member("prevRevision", previous.modified)
                if style.withPrevious {
                    writer.name("prevItem")
                    previous.write(to: &writer, style)
                }
            }
        }
    }

    /// Reads what `write` writes, within a commit.
    init(wire object: JSONValue, in commit: Commit) throws(DiscfgError) {
        let key = try Key(wire: object)
        let name = try object.string("kind")
        guard let kind = Kind(rawValue: name) else { throw .invalid("There is no kind of change “\(name)”.") }
        var item: Item?
        if kind == .set {
            item = Item(
                key: key, value: try Value(wire: object), version: try object.integer("version"),
                created: try object.integer("created"), modified: commit.revision, modifiedAt: commit.time,
                author: commit.author, expiry: try object.optionalTimestamp("expiration"),
                lease: try object.optionalInteger("lease"))
        }
        let previous = object["prevItem"]
        self.init(
            kind: kind, key: key, item: item,
            previous: try previous.map { value throws(DiscfgError) in try Item(wire: value) })
    }
}

extension Commit {
    /// Writes the commit as an object.
    public func write(to writer: inout JSONWriter, _ style: WireStyle) {
        writer.object { writer in
            writer.member("revision", revision)
            writer.member("time", time.description)
            writer.member("author", author)
            writer.member("message", message)
            writer.name("changes")
            writer.array(of: changes) { $1.write(to: &$0, style) }
        }
    }

    /// Reads what `write` writes; the identity of the commit stays with the store.
    public init(wire object: JSONValue) throws(DiscfgError) {
        self.init(
            id: "", revision: try object.integer("revision"), time: try object.timestamp("time"),
            author: try object.string("author"), message: try object.string("message"), changes: [])
        for change in try object.optionalArray("changes") { changes.append(try Change(wire: change, in: self)) }
    }
}

extension ChangePage {
    /// Writes the page: `{"commits":[…],"scanned":6,"cfgVersion":7,"cfgLog":"…"}`.
    public func write(to writer: inout JSONWriter, _ style: WireStyle) {
        writer.object { writer in
            writer.name("commits")
            writer.array(of: commits) { $1.write(to: &$0, style) }
            writer.member("scanned", scanned)
            writer.member("cfgVersion", revision)
            if let log { writer.member("cfgLog", log) }
        }
    }

    /// Reads what `write` writes.
    public init(wire object: JSONValue) throws(DiscfgError) {
        var commits: [Commit] = []
        for commit in try object.optionalArray("commits") { commits.append(try Commit(wire: commit)) }
        self.init(
            commits: commits, scanned: try object.integer("scanned"), revision: try object.integer("cfgVersion"),
            log: try object.optionalString("cfgLog"))
    }
}

extension [Change] {
    /// Writes what became of some keys: each with the whole item before and after.
    fileprivate func writeComparison(to writer: inout JSONWriter, _ style: WireStyle) {
        writer.array(of: self) { writer, change in
            writer.object { writer in
                change.key.writeMember(to: &writer)
                writer.member("kind", change.kind.rawValue)
                for (name, item) in [("item", change.item), ("prevItem", change.previous)] {
                    guard let item else { continue }
                    writer.name(name)
                    item.write(to: &writer, style)
                }
            }
        }
    }

    /// Reads what `writeComparison` writes.
    fileprivate init(comparison elements: [JSONValue]) throws(DiscfgError) {
        self = []
        for element in elements {
            let kind = Change.Kind(rawValue: try element.string("kind")) ?? .set
            append(
                Change(
                    kind: kind, key: try Key(wire: element),
                    item: try element["item"].map { value throws(DiscfgError) in try Item(wire: value) },
                    previous: try element["prevItem"].map { value throws(DiscfgError) in try Item(wire: value) }))
        }
    }
}

extension Difference {
    /// Writes the difference: `{"from":3,"to":7,"changes":[{"key":…,"kind":…,"item":{…},"prevItem":{…}}]}`.
    public func write(to writer: inout JSONWriter, _ style: WireStyle) {
        writer.object { writer in
            writer.member("from", from)
            writer.member("to", to)
            writer.name("changes")
            changes.writeComparison(to: &writer, style)
        }
    }

    /// Reads what `write` writes.
    public init(wire object: JSONValue) throws(DiscfgError) {
        self.init(
            from: try object.integer("from"), to: try object.integer("to"),
            changes: try [Change](comparison: try object.optionalArray("changes")))
    }
}

extension RollbackResult {
    /// Writes the result, with what changed as in a difference.
    public func write(to writer: inout JSONWriter, _ style: WireStyle) {
        writer.object { writer in
            writer.member("action", "rollback")
            writer.name("changes")
            changes.writeComparison(to: &writer, style)
            writer.member("commits", commits)
            writer.member("leftOut", leftOut)
            writer.member("cfgVersion", revision)
        }
    }

    /// Reads what `write` writes.
    public init(wire object: JSONValue) throws(DiscfgError) {
        self.init(
            revision: try object.integer("cfgVersion"),
            changes: try [Change](comparison: try object.optionalArray("changes")))
        leftOut = Int(clamping: try object.optionalInteger("leftOut") ?? 0)
        commits = Int(clamping: try object.optionalInteger("commits") ?? (changes.isEmpty ? 0 : 1))
    }
}

extension RollbackRequest {
    /// Reads `{"to":3,"prefix":"/db","message":"why"}`; the author is not part of it.
    public init(wire object: JSONValue, author: String = "") throws(DiscfgError) {
        try object.allowOnly(["to", "prefix", "message"])
        self.init(
            to: try object.revision("to"), selection: try .subtree(try object.optionalString("prefix") ?? ""),
            author: author,
            message: try object.optionalString("message") ?? "")
    }

    /// Writes what `init(wire:author:)` reads.
    public func write(to writer: inout JSONWriter) {
        writer.object {
            $0.member("to", to)
            $0.member("prefix", selection.path)
            $0.member("message", message)
        }
    }
}

extension CompactionRequest {
    /// Reads `{"to":5}` or `{"keep":"30d"}`.
    public init(wire object: JSONValue) throws(DiscfgError) {
        try object.allowOnly(["to", "keep"])
        switch (
            try object["to"].map { _ throws(DiscfgError) in try object.revision("to") },
            try object.optionalString("keep")
        ) {
        case (let revision?, nil): self = .through(revision)
        case (nil, let duration?): self = .olderThan(try DurationText.parse(duration))
        default:
            throw .invalid("A compaction needs one of “to” and “keep”.", hint: "Send {\"to\":5} or {\"keep\":\"30d\"}.")
        }
    }

    /// Writes what `init(wire:)` reads.
    public func write(to writer: inout JSONWriter) {
        writer.object {
            switch self {
            case .through(let revision): $0.member("to", revision)
            case .olderThan(let age): $0.member("keep", "\(age.milliseconds)ms")
            }
        }
    }
}
