extension Precondition {
    /// Reads a condition: `{"key":NAME,"version":3}`, with `is` and `range` as the table in docs/rest.md says.
    init(wire object: JSONValue) throws(DiscfgError) {
        if let name = ["prefix", "ranges"].first(where: { object[$0] != nil }) {
            try object.allowOnly([name, "unchangedSince"])
            let selection: KeySelection =
                name == "prefix"
                ? try .subtree(object.string(name)) : try KeySelection(wire: .array(object.optionalArray(name)))
            self = .unchanged(selection, since: try object.revision("unchangedSince"))
            return
        }
        let tests = ["exists", "version", "revision", "unchangedSince", "value", "created", "lease"]
        let value: Set<String> = object["value"] == nil ? [] : ["encoding", "contentType"]
        try object.allowOnly(value.union(tests).union(["key", "range", "is"]))
        let key = try Key(path: try object.string("key"))
        let named = tests.filter { object[$0] != nil }
        guard named.count == 1 else {
            throw .invalid(
                "The condition on “\(key)” has \(named.count) tests.",
                hint: "Give one of: \(tests.joined(separator: ", ")).")
        }
        if named == ["unchangedSince"] {
            try object.allowOnly(["key", "unchangedSince"])
            self = .unchanged(.key(key), since: try object.revision("unchangedSince"))
            return
        }
        let range = try object["range"].map { value throws(DiscfgError) in try KeyRange(wire: value) }
        self.init(key, try Test(wire: object, named: named[0]), over: range)
    }

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            if case .unchanged(let selection, let revision) = test {
                selection.writeCondition(to: &writer)
                writer.member("unchangedSince", revision)
                return
            }
            writer.member("key", key.name)
            if let range {
                writer.name("range")
                range.write(to: &writer)
            }
            test.write(to: &writer)
        }
    }
}

extension Precondition.Test {
    private static let relations: [String: Precondition.Relation] = [
        "equal": .equal, "notEqual": .notEqual, "less": .less, "greater": .greater,
    ]

    fileprivate init(wire object: JSONValue, named name: String) throws(DiscfgError) {
        if name == "exists" {
            guard let exists = try object.optionalBool(name) else {
                throw .invalid("The member “exists” is missing.")
            }
            guard object["is"] == nil else {
                throw .invalid("“is” says nothing about “exists”.", hint: "Leave it out.")
            }
            self = exists ? .present : .absent
            return
        }
        guard let word = try object.optionalString("is") else {
            switch name {
            case "version": self = .version(try object.integer(name))
            case "revision": self = .revision(try object.integer(name))
            case "created": self = .compare(.created(try object.integer(name)), .equal)
            case "lease": self = .compare(.lease(try object.integer(name)), .equal)
            default: self = .value(try Value(wire: object).bytes)
            }
            return
        }
        guard let relation = Self.relations[word] else {
            throw .invalid("“is” is “\(word)”.", hint: "Write one of: equal, notEqual, less, greater.")
        }
        switch name {
        case "version": self = .compare(.version(try object.integer(name)), relation)
        case "revision": self = .compare(.modified(try object.integer(name)), relation)
        case "created": self = .compare(.created(try object.integer(name)), relation)
        case "lease": self = .compare(.lease(try object.integer(name)), relation)
        default: self = .compare(.value(try Value(wire: object).bytes), relation)
        }
    }

    fileprivate func write(to writer: inout JSONWriter) {
        switch self {
        case .absent, .present:
            writer.name("exists")
            writer.value(.bool(self == .present))
        case .version(let version): writer.member("version", version)
        case .revision(let revision): writer.member("revision", revision)
        case .value(let bytes): Value(bytes: bytes, contentType: Value.octets).writeExactMembers(to: &writer)
        case .compare(let operand, let relation):
            switch operand {
            case .version(let version): writer.member("version", version)
            case .created(let revision): writer.member("created", revision)
            case .modified(let revision): writer.member("revision", revision)
            case .lease(let lease): writer.member("lease", lease)
            case .value(let bytes): Value(bytes: bytes, contentType: Value.octets).writeExactMembers(to: &writer)
            }
            writer.member("is", Self.relations.first { $0.value == relation }?.key ?? "")
        // The precondition around it writes the selection.
        case .unchanged: break
        }
    }
}

extension KeySelection {
    /// Reads what a condition or `deleteAll` selects: a name, or the ranges themselves.
    init(wire value: JSONValue) throws(DiscfgError) {
        if let name = value.string {
            self = try .subtree(name)
            return
        }
        guard let array = value.array else {
            throw .invalid("A selection of keys is neither a name nor an array of ranges.")
        }
        var ranges: [KeyRange] = []
        for element in array { ranges.append(try KeyRange(wire: element)) }
        guard !ranges.isEmpty, zip(ranges, ranges.dropFirst()).allSatisfy({ $0.precedes($1) }) else {
            throw .invalid(
                "The ranges of a selection are not in order, or overlap.", hint: "Give each key in one range, in order."
            )
        }
        self.init(ranges: ranges)
    }

    func write(to writer: inout JSONWriter) {
        if let exactPath { return writer.value(.string(exactPath)) }
        writer.array(of: ranges) { $1.write(to: &$0) }
    }

    fileprivate func writeCondition(to writer: inout JSONWriter) {
        if let onlyKey { return writer.member("key", onlyKey.name) }
        writer.name(exactPath == nil ? "ranges" : "prefix")
        write(to: &writer)
    }
}

extension KeyRange {
    /// Reads `{"from":NAME,"to":NAME}`; without `from` the range begins with the first key, without `to` it has no end.
    init(wire object: JSONValue) throws(DiscfgError) {
        try object.allowOnly(["from", "to"])
        func bound(_ name: String) throws(DiscfgError) -> [UInt8]? {
            try object.optionalString(name).map { name throws(DiscfgError) in
                name.isEmpty ? [] : try KeyName.bytes(of: name)
            }
        }
        self.init(from: try bound("from") ?? [], to: try bound("to"))
    }

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            if !lower.isEmpty { writer.member("from", KeyName.name(of: lower)) }
            if let upper { writer.member("to", upper.isEmpty ? "" : KeyName.name(of: upper)) }
        }
    }

    /// Whether every key of this range comes before every key of the other.
    package func precedes(_ other: KeyRange) -> Bool {
        upper.map { !other.lower.lexicographicallyPrecedes($0) } ?? false
    }
}

extension Value {
    /// Writes the value so that it is read exactly: as base64.
    func writeExactMembers(to writer: inout JSONWriter) {
        writeMembers(to: &writer, WireStyle(now: Timestamp(milliseconds: 0), isExact: true))
    }
}
