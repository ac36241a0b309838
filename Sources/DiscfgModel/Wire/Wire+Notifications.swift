extension NotificationRule {
    /// Writes the rule; with its secret only in the answer to the request that added it.
    public func write(to writer: inout JSONWriter, withSecret: Bool = false) {
        writer.object { writeMembers(to: &$0, withSecret: withSecret) }
    }

    fileprivate func writeMembers(to writer: inout JSONWriter, withSecret: Bool) {
        writer.member("id", id)
        for (name, value) in json(withSecret: withSecret).object ?? JSONObject() {
            writer.name(name)
            writer.value(value)
        }
    }

    /// Reads what `write` writes, and what a client sends: `{"id":…,"to":…,"prefix":…,"withValues":…,"secret":…}`.
    ///
    /// - Throws: `DiscfgError` with code `invalidRequest`.
    public init(wire object: JSONValue) throws(DiscfgError) {
        guard var members = object.object else {
            throw .invalid("A notification is not a JSON object.", hint: "Write it as {\"to\":\"https://…\"}.")
        }
        let id = try object.optionalString("id")
        members["id"] = nil
        try self.init(id: id, json: .object(members))
    }
}

extension NotificationStatus {
    /// Writes the rule with how far it has come.
    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            rule.writeMembers(to: &writer, withSecret: false)
            writer.member("sent", sent)
            writer.member("cfgVersion", revision)
            if let failure {
                writer.name("failure")
                writer.object { writer in
                    writer.member("revision", failure.revision)
                    writer.member("attempts", failure.attempts)
                    writer.member("next", failure.next.description)
                    writer.member("reason", failure.reason)
                }
            }
            writer.name("deadLetters")
            writer.array { writer in
                for letter in deadLetters { letter.write(to: &writer) }
            }
            if hasMoreDeadLetters {
                writer.name("hasMoreDeadLetters")
                writer.value(true)
            }
        }
    }

    /// Reads what `write` writes.
    public init(wire object: JSONValue) throws(DiscfgError) {
        var members = object.object ?? JSONObject()
        for name in ["sent", "cfgVersion", "failure", "deadLetters", "hasMoreDeadLetters"] { members[name] = nil }
        var letters: [DeadLetter] = []
        for letter in try object.optionalArray("deadLetters") { letters.append(try DeadLetter(wire: letter)) }
        self.init(
            rule: try NotificationRule(wire: .object(members)), sent: try object.integer("sent"),
            revision: try object.integer("cfgVersion"),
            failure: try object["failure"].map { value throws(DiscfgError) in
                Failure(
                    revision: try value.integer("revision"), attempts: Int(try value.integer("attempts")),
                    next: try value.timestamp("next"), reason: try value.string("reason"))
            }, deadLetters: letters, hasMoreDeadLetters: object["hasMoreDeadLetters"]?.bool ?? false)
    }
}

extension NotificationStatus.DeadLetter {
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("revision", revision)
            writer.member("attempts", attempts)
            writer.member("time", time.description)
            writer.member("reason", reason)
        }
    }

    package init(wire object: JSONValue) throws(DiscfgError) {
        self.init(
            revision: try object.integer("revision"), attempts: Int(try object.integer("attempts")),
            time: try object.timestamp("time"), reason: try object.string("reason"))
    }
}

extension NotificationReplay {
    /// Writes `{"action":"replay","sent":3,"failed":0}`.
    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("action", "replay")
            writer.member("sent", sent)
            writer.member("failed", failed)
            writer.name("hasMore")
            writer.value(.bool(hasMore))
        }
    }

    /// Reads what `write` writes.
    public init(wire object: JSONValue) throws(DiscfgError) {
        self.init(
            sent: Int(try object.integer("sent")), failed: Int(try object.integer("failed")),
            hasMore: object["hasMore"]?.bool ?? false)
    }
}
