extension Item {
    /// Writes the item as an object.
    public func write(to writer: inout JSONWriter, _ style: WireStyle, withValue: Bool = true) {
        writer.object { writer in
            key.writeMember(to: &writer)
            if withValue {
                value.writeMembers(to: &writer, style)
            } else {
                writer.member("contentType", value.contentType)
            }
            writer.member("version", version)
            writer.member("revision", modified)
            writer.member("created", created)
            writer.member("modified", modifiedAt.description)
            if !author.isEmpty { writer.member("author", author) }
            if let expiry {
                writer.member("ttl", Self.secondsLeft(until: expiry, from: style.now))
                writer.member("expiration", expiry.description)
            }
            if let lease { writer.member("lease", lease) }
        }
    }

    /// Whole seconds that are left, rounded up, at least 0.
    static func secondsLeft(until expiry: Timestamp, from now: Timestamp) -> Int64 {
        max(0, (expiry - now).milliseconds + 999) / 1000
    }

    /// Reads what `write` writes.
    public init(wire object: JSONValue) throws(DiscfgError) {
        self.init(
            key: try Key(wire: object), value: try Value(wire: object), version: try object.integer("version"),
            created: try object.integer("created"), modified: try object.integer("revision"),
            modifiedAt: try object.timestamp("modified"), author: try object.optionalString("author") ?? "",
            expiry: try object.optionalTimestamp("expiration"), lease: try object.optionalInteger("lease"))
    }
}

/// The answer to an operation on one key: `{"action":"set","item":{…},"prevItem":{…},"cfgVersion":7}`.
public struct Envelope: Sendable, Hashable {
    /// What was done, such as `get`, `set` or `delete`.
    public var action: String
    /// The item after it; `nil` if the key was deleted.
    public var item: Item?
    /// The item before it; `nil` if the key was absent, or nothing was written.
    public var previous: Item?
    /// How many keys were deleted, if it may be more than one.
    public var deleted: Int?
    /// The config's revision as of the answer, `cfgVersion` in JSON.
    public var revision: Revision

    /// An answer to be written, or one that was read.
    public init(action: String, item: Item? = nil, previous: Item? = nil, deleted: Int? = nil, revision: Revision) {
        self.action = action
        self.item = item
        self.previous = previous
        self.deleted = deleted
        self.revision = revision
    }

    /// Writes the envelope as an object.
    public func write(to writer: inout JSONWriter, _ style: WireStyle) {
        writer.object { writer in
            writer.member("action", action)
            if let item {
                writer.name("item")
                item.write(to: &writer, style)
            }
            if let previous {
                writer.name("prevItem")
                previous.write(to: &writer, style)
            }
            if let deleted { writer.member("deleted", deleted) }
            writer.member("cfgVersion", revision)
        }
    }
}

extension Listing {
    /// Writes the listing: items and directories in one array, in order; a directory has the member `dir`.
    public func write(to writer: inout JSONWriter, _ style: WireStyle, keysOnly: Bool) {
        writer.object { writer in
            writer.member("action", "list")
            writer.name("items")
            writer.array(of: entries) { writer, entry in
                switch entry {
                case .item(let item): item.write(to: &writer, style, withValue: !keysOnly)
                case .directory(let bytes):
                    writer.object {
                        $0.keyMember(bytes)
                        if !bytes.elementsEqual(entry.name.utf8) { $0.member("name", entry.name) }
                        $0.name("dir")
                        $0.value(true)
                    }
                }
            }
            if let next { writer.member("next", next) }
            if let revision { writer.member("cfgVersion", revision) }
        }
    }

    /// Reads what `write` writes.
    public init(wire object: JSONValue) throws(DiscfgError) {
        var entries: [Entry] = []
        for entry in try object.optionalArray("items") {
            entries.append(
                try entry.optionalBool("dir") == true
                    ? .directory(try entry.keyMember()) : .item(try Item(wire: entry)))
        }
        self.init(
            entries: entries, revision: try object.optionalInteger("cfgVersion"),
            next: try object.optionalString("next"))
    }
}
