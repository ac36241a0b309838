extension Transaction {
    /// Reads a transaction as people write it:
    /// `{"if":[{"key":"/a","version":3}],"then":[{"set":"/a","value":"x"},{"delete":"/b"}],"else":[{"get":"/a"}],"message":"why"}`.
    ///
    /// - Throws: `DiscfgError` with code `invalidRequest` or `invalidName`.
    public init(wire object: JSONValue, author: String) throws(DiscfgError) {
        try object.allowOnly(["if", "then", "else", "message"])
        self.init(then: [], author: author, message: try object.optionalString("message") ?? "")
        for condition in try object.optionalArray("if") { preconditions.append(try Precondition(wire: condition)) }
        for operation in try object.optionalArray("then") { success.append(try Operation(wire: operation)) }
        for operation in try object.optionalArray("else") { failure.append(try Operation(wire: operation)) }
    }

    /// The keys of its conditions and operations, those of a `deleteAll` left out.
    public var keys: [Key] { preconditions.compactMap(\.onlyKey) + (success + failure).compactMap(\.key) }

    /// Writes what `init(wire:author:)` reads, exact to the byte; the author travels beside it.
    ///
    /// Each of its keys must have a `path`.
    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.name("if")
            writer.array(of: preconditions) { $1.write(to: &$0) }
            writer.name("then")
            writer.array(of: success) { $1.write(to: &$0) }
            writer.name("else")
            writer.array(of: failure) { $1.write(to: &$0) }
            writer.member("message", message)
        }
    }
}

extension Precondition {
    init(wire object: JSONValue) throws(DiscfgError) {
        if object["prefix"] != nil {
            try object.allowOnly(["prefix", "unchangedSince"])
            let selection = try KeySelection.subtree(try object.string("prefix"))
            self = .unchanged(selection, since: try object.revision("unchangedSince"))
            return
        }
        let value: Set<String> = object["value"] == nil ? [] : ["encoding", "contentType"]
        try object.allowOnly(value.union(["key", "exists", "version", "revision", "unchangedSince", "value"]))
        let key = try Key(path: try object.string("key"))
        let tests = ["exists", "version", "revision", "unchangedSince", "value"].filter { object[$0] != nil }
        guard tests.count == 1 else {
            throw .invalid(
                "The condition on “\(key)” has \(tests.count) tests.",
                hint: "Give one of: exists, version, revision, unchangedSince, value.")
        }
        switch tests[0] {
        case "unchangedSince": self = .unchanged(.key(key), since: try object.revision("unchangedSince"))
        case "exists":
            guard let exists = try object.optionalBool("exists") else {
                throw .invalid("The member “exists” is missing.")
            }
            self.init(key, exists ? .present : .absent)
        case "version": self.init(key, .version(try object.integer("version")))
        case "revision": self.init(key, .revision(try object.integer("revision")))
        default: self.init(key, .value(try Value(wire: object).bytes))
        }
    }

    fileprivate func write(to writer: inout JSONWriter) {
        writer.object { writer in
            if case .unchanged(let selection, let revision) = test {
                writer.member(selection.onlyKey == nil ? "prefix" : "key", selection.path)
                writer.member("unchangedSince", revision)
                return
            }
            writer.member("key", key.wirePath)
            switch test {
            case .absent, .present:
                writer.name("exists")
                writer.value(.bool(test == .present))
            case .version(let version): writer.member("version", version)
            case .revision(let revision): writer.member("revision", revision)
            case .value(let bytes):
                Value(bytes: bytes, contentType: Value.octets)
                    .writeMembers(to: &writer, WireStyle(now: Timestamp(milliseconds: 0), isExact: true))
            // Has no form on the wire: a server refuses a condition without a test.
            case .compare, .unchanged: break
            }
        }
    }
}

extension Operation {
    fileprivate static let verbs = ["set", "patch", "delete", "deleteAll", "get"]

    init(wire object: JSONValue) throws(DiscfgError) {
        try object.allowOnly(Set(Self.verbs + ["value", "encoding", "contentType", "ttl", "expiration"]))
        let named = Self.verbs.filter { object[$0] != nil }
        guard named.count == 1 else {
            throw .invalid(
                "An operation names \(named.count) of set, patch, delete, deleteAll and get.",
                hint: "Write each as one operation.")
        }
        let members: Set<String> =
            switch named[0] {
            case "set": ["set", "value", "encoding", "contentType", "ttl", "expiration"]
            case "patch": ["patch", "value"]
            default: [named[0]]
            }
        try object.allowOnly(members)
        guard !members.contains("value") || object["value"] != nil else {
            throw .invalid("The operation “\(named[0])” has no value.", hint: "Give it as “value”.")
        }
        let path = try object.string(named[0])
        switch named[0] {
        case "set": self = .set(try Key(path: path), try Value(wire: object), expiry: try Expiry(members: object))
        case "patch": self = .patch(try Key(path: path), object["value"] ?? .object(JSONObject()))
        case "delete": self = .delete(try Key(path: path))
        case "deleteAll": self = .deleteAll(try .subtree(path))
        default: self = .get(try Key(path: path))
        }
    }

    fileprivate func write(to writer: inout JSONWriter) {
        writer.object { writer in
            switch self {
            case .set(let key, let value, let expiry):
                writer.member("set", key.wirePath)
                value.writeMembers(to: &writer, WireStyle(now: Timestamp(milliseconds: 0), isExact: true))
                expiry.writeMember(to: &writer)
            case .patch(let key, let patch):
                writer.member("patch", key.wirePath)
                writer.name("value")
                writer.value(patch)
            case .delete(let key): writer.member("delete", key.wirePath)
            case .deleteAll(let selection): writer.member("deleteAll", selection.path)
            case .get(let key): writer.member("get", key.wirePath)
            // Have no form on the wire: a server refuses an operation without a verb.
            case .touch, .getAll, .transaction, .fail: break
            }
        }
    }
}

extension Key {
    /// The key as a transaction names it.
    fileprivate var wirePath: String { path ?? description }
}

extension Operation.Expiry {
    /// Reads the members `ttl` and `expiration`, of which there may be one.
    fileprivate init(members object: JSONValue) throws(DiscfgError) {
        guard let moment = try object.optionalTimestamp("expiration") else {
            try self.init(wire: object["ttl"])
            return
        }
        guard object["ttl"] == nil else {
            throw .invalid("An operation has a “ttl” and an “expiration”.", hint: "Give one.")
        }
        self = .at(moment)
    }

    /// Reads a time to live: seconds as a number, a duration as text, `"keep"` for as before, absent for never.
    public init(wire value: JSONValue?) throws(DiscfgError) {
        switch value {
        case nil, .null?: self = .never
        case .string("keep")?: self = .unchanged
        case .string(let text)?: self = .after(try DurationText.parse(text))
        case .number(let text)?: self = .after(try DurationText.parse(text))
        default: throw .invalid("The time to live is neither seconds nor a duration.", hint: "Write 30 or “30s”.")
        }
    }

    fileprivate func writeMember(to writer: inout JSONWriter) {
        switch self {
        case .never: break
        case .unchanged, .kept: writer.member("ttl", "keep")
        case .after(let duration): writer.member("ttl", "\(duration.milliseconds)ms")
        case .at(let moment): writer.member("expiration", moment.description)
        // Has no form on the wire: a server refuses the member.
        case .lease(let id): writer.member("lease", id)
        }
    }
}

extension TransactionResult {
    /// Writes the result: `{"action":"txn","succeeded":true,"results":[{"item":{…},"prevItems":[…]}],"cfgVersion":7}`.
    public func write(to writer: inout JSONWriter, _ style: WireStyle) {
        writer.object { writer in
            writer.member("action", "txn")
            writer.name("succeeded")
            writer.value(.bool(failed == nil))
            writer.name("changed")
            writer.value(.bool(changed))
            writer.name("results")
            writer.array(of: outcomes) { $1.write(to: &$0, style) }
            if let failed {
                writer.name("failed")
                failed.write(to: &writer)
            }
            if let current {
                writer.name("current")
                current.write(to: &writer, style)
            }
            writer.member("cfgVersion", revision)
        }
    }

    /// Reads what `write` writes.
    public init(wire object: JSONValue) throws(DiscfgError) {
        self.init(revision: try object.integer("cfgVersion"), changed: try object.optionalBool("changed") ?? false)
        failed = try object["failed"].map { value throws(DiscfgError) in try Precondition(wire: value) }
        current = try object["current"].map { value throws(DiscfgError) in try Item(wire: value) }
        for result in try object.optionalArray("results") {
            var outcome = Outcome(item: try result["item"].map { value throws(DiscfgError) in try Item(wire: value) })
            for item in try result.optionalArray("prevItems") { outcome.previous.append(try Item(wire: item)) }
            outcomes.append(outcome)
        }
    }
}

extension TransactionResult.Outcome {
    fileprivate func write(to writer: inout JSONWriter, _ style: WireStyle) {
        writer.object { writer in
            if let item {
                writer.name("item")
                item.write(to: &writer, style)
            }
            if !previous.isEmpty {
                writer.name("prevItems")
                writer.array(of: previous) { $1.write(to: &$0, style) }
            }
        }
    }
}
