extension ImportedValues {
    /// Writes the keys and their values: `{"items":[{"key":"/db/port","value":5432},…]}`.
    ///
    /// Text and JSON scalars are embedded; every other value is base64 with its content type.
    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.name("items")
            writer.array { writer in
                for key in keys {
                    guard let value = values[key] else { continue }
                    writer.object { writer in
                        key.writeMember(to: &writer)
                        value.writeImported(to: &writer)
                    }
                }
            }
        }
    }

    /// Reads what `write` writes.
    ///
    /// - Throws: `DiscfgError` with code `invalidRequest`, and as the other initializer does.
    public init(wire object: JSONValue, for request: ImportRequest) throws(DiscfgError) {
        try object.allowOnly(["items"])
        guard object["items"] != nil else { throw .invalid("The member “items” is missing.") }
        var values: [Key: Value] = [:]
        for item in try object.optionalArray("items") {
            try item.allowOnly(["key", "keyEncoding", "name", "value", "encoding", "contentType"])
            let key = try Key(wire: item)
            // A listing without values must not empty them.
            guard item["value"] != nil else { throw .invalid("The item of “\(key)” has no value.") }
            guard values.updateValue(try Value(wire: item), forKey: key) == nil else {
                throw .invalid("The key “\(key)” is there twice.", hint: "Send one value for each key.")
            }
        }
        try self.init(values, for: request)
    }
}

extension Value {
    fileprivate func writeImported(to writer: inout JSONWriter) {
        let isScalar = bytes.first.map { !"[{\"".utf8.contains($0) } ?? false
        if contentType == Self.text, let text {
            writer.member("value", text)
        } else if contentType == Self.json, isScalar {
            writer.name("value")
            writer.raw(bytes)
        } else {
            writeMembers(to: &writer, WireStyle(now: Timestamp(milliseconds: 0), isExact: true))
        }
    }
}

extension ImportOutcome {
    /// Writes what the import did, or would do:
    /// `{"action":"import","dryRun":false,"added":2,"changed":0,"removed":0,"unchanged":5,"leftOut":0,"commits":1,"cfgVersion":7}`.
    public func write(to writer: inout JSONWriter, dryRun: Bool) {
        writer.object { writer in
            writer.member("action", "import")
            writer.name("dryRun")
            writer.value(.bool(dryRun))
            writer.member("added", counts.added)
            writer.member("changed", counts.changed)
            writer.member("removed", counts.removed)
            writer.member("unchanged", counts.unchanged)
            writer.member("leftOut", counts.leftOut)
            writer.member("commits", commits)
            writer.member("cfgVersion", revision)
        }
    }

    /// Reads what `write` writes.
    public init(wire object: JSONValue) throws(DiscfgError) {
        func count(_ name: String) throws(DiscfgError) -> Int { Int(clamping: try object.integer(name)) }
        self.init(
            counts: ImportCounts(
                added: try count("added"), changed: try count("changed"), removed: try count("removed"),
                unchanged: try count("unchanged"), leftOut: try count("leftOut")),
            revision: try object.integer("cfgVersion"), commits: try count("commits"))
    }
}
