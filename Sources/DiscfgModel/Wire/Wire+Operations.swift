extension Operation {
    private static let verbs = ["set", "patch", "delete", "deleteAll", "get", "touch", "getAll", "txn", "fail"]
    /// With what a branch may fail.
    private static let failures: [DiscfgError.Code] = [.keyNotFound, .compacted, .futureRevision]

    /// Reads an operation of a transaction that is part of `depth - 1` others.
    init(wire object: JSONValue, depth: Int) throws(DiscfgError) {
        try object.allowOnly(Set(Self.verbs + ["value", "encoding", "contentType", "ttl", "expiration", "lease"]))
        let named = Self.verbs.filter { object[$0] != nil }
        guard named.count == 1 else {
            throw .invalid(
                "An operation names \(named.count) of \(Self.verbs.joined(separator: ", ")).",
                hint: "Write each as one operation.")
        }
        let verb = named[0]
        let members: Set<String> =
            switch verb {
            case "set": ["set", "value", "encoding", "contentType", "ttl", "expiration", "lease"]
            case "touch": ["touch", "ttl", "expiration", "lease"]
            case "patch": ["patch", "value"]
            default: [verb]
            }
        try object.allowOnly(members)
        guard !members.contains("value") || object["value"] != nil else {
            throw .invalid("The operation “\(verb)” has no value.", hint: "Give it as “value”.")
        }
        func key() throws(DiscfgError) -> Key { try Key(path: try object.string(verb)) }
        let value = object[verb] ?? .null
        switch verb {
        case "set": self = .set(try key(), try Value(wire: object), expiry: try Expiry(members: object))
        case "touch": self = .touch(try key(), expiry: try Expiry(members: object))
        case "patch": self = .patch(try key(), object["value"] ?? .object(JSONObject()))
        case "delete": self = .delete(try key())
        case "deleteAll": self = .deleteAll(try KeySelection(wire: value))
        case "getAll": self = .getAll(try KeyRange(wire: value))
        case "txn": self = .transaction(try Transaction(wire: value, author: "", depth: depth + 1))
        case "fail":
            let code = try object.integer(verb)
            guard let failure = Self.failures.first(where: { $0.rawValue == code }) else {
                throw .invalid(
                    "A transaction cannot fail with \(code).",
                    hint: "There are \(Self.failures.map { "\($0.rawValue)" }.joined(separator: ", ")).")
            }
            self = .fail(failure)
        default: self = .get(try key())
        }
    }

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            switch self {
            case .set(let key, let value, let expiry):
                writer.member("set", key.name)
                value.writeExactMembers(to: &writer)
                expiry.writeMember(to: &writer)
            case .touch(let key, let expiry):
                writer.member("touch", key.name)
                expiry.writeMember(to: &writer)
            case .patch(let key, let patch):
                writer.member("patch", key.name)
                writer.name("value")
                writer.value(patch)
            case .delete(let key): writer.member("delete", key.name)
            case .deleteAll(let selection):
                writer.name("deleteAll")
                selection.write(to: &writer)
            case .get(let key): writer.member("get", key.name)
            case .getAll(let range):
                writer.name("getAll")
                range.write(to: &writer)
            case .transaction(let transaction):
                writer.name("txn")
                transaction.write(to: &writer)
            case .fail(let code): writer.member("fail", code.rawValue)
            }
        }
    }

    /// Checks that `write` writes the operation so that the same is read again.
    func validateWire() throws(DiscfgError) {
        switch self {
        case .set(_, _, let expiry), .touch(_, let expiry): try expiry.validateWire()
        case .transaction(let transaction): try transaction.validateWire()
        case .fail(let code):
            guard Self.failures.contains(code) else {
                throw DiscfgError(
                    .unsupported, "That a transaction fails with \(code.rawValue) cannot be sent to a server.",
                    hint: "Use a local store.")
            }
        case .deleteAll(let selection):
            guard selection.includesDirectories else {
                throw DiscfgError(
                    .unsupported, "A deletion that leaves out directories of etcd's v2 API cannot be sent to a server.",
                    hint: "Use a local store.")
            }
        case .patch, .delete, .get, .getAll: break
        }
    }
}

extension Operation.Expiry {
    /// What a time to live is that stays as it is; with `required` the key must exist.
    private static let (keep, required) = ("keep", "keep-existing")

    /// Reads the members `ttl`, `expiration` and `lease`, of which there may be one.
    fileprivate init(members object: JSONValue) throws(DiscfgError) {
        let named = ["ttl", "expiration", "lease"].filter { object[$0] ?? .null != .null }
        guard named.count <= 1 else {
            throw .invalid("An operation has a “\(named[0])” and a “\(named[1])”.", hint: "Give one.")
        }
        if let moment = try object.optionalTimestamp("expiration") {
            self = .at(moment)
        } else if let lease = try object.optionalInteger("lease") {
            self = .lease(lease)
        } else {
            try self.init(wire: object["ttl"])
        }
    }

    /// Reads a time to live: seconds as a number, a duration as text, `"keep"` for as before, `"keep-existing"` for as before and
    /// an error if the key is absent, absent for never.
    public init(wire value: JSONValue?) throws(DiscfgError) {
        switch value {
        case nil, .null?: self = .never
        case .string(Self.keep)?: self = .unchanged
        case .string(Self.required)?: self = .kept
        case .string(let text)?: self = .after(try DurationText.parse(text))
        case .number(let text)?: self = .after(try DurationText.parse(text))
        default: throw .invalid("The time to live is neither seconds nor a duration.", hint: "Write 30 or “30s”.")
        }
    }

    fileprivate func writeMember(to writer: inout JSONWriter) {
        switch self {
        case .never: break
        case .unchanged: writer.member("ttl", Self.keep)
        case .kept: writer.member("ttl", Self.required)
        case .after(let duration): writer.member("ttl", "\(duration.milliseconds)ms")
        case .at(let moment): writer.member("expiration", moment.description)
        case .lease(let id): writer.member("lease", id)
        }
    }

    fileprivate func validateWire() throws(DiscfgError) {
        let isExact =
            switch self {
            case .after(let duration): duration == .milliseconds(duration.milliseconds) && duration >= .zero
            case .at(let moment): Timestamp(moment.description) == moment
            case .never, .unchanged, .kept, .lease: true
            }
        guard isExact else {
            throw DiscfgError(
                .unsupported, "The end of a key cannot be sent to a server as it is.",
                hint: "Give a time to live in whole milliseconds, or a moment of the years 0 to 9999.")
        }
    }
}
