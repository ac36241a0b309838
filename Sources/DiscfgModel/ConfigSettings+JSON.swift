extension ConfigSettings {
    /// The settings as people write them: `{"retention":{"age":"90d","revisions":10000}}`, with `notifications` if there are
    /// any, and the requested settings of the store.
    ///
    /// It has the secrets of the notifications, and so is for the store alone; `publicJSON` has not.
    public var json: JSONValue { json(withSecrets: true) }

    /// The settings as they are shown.
    package var publicJSON: JSONValue { json(withSecrets: false) }

    private func json(withSecrets: Bool) -> JSONValue {
        var members: [(String, JSONValue)] = [
            (
                "retention",
                [
                    "age": .string(DurationText.format(retention.age, units: .max)),
                    "revisions": .integer(retention.revisions),
                ]
            )
        ]
        if !notifications.isEmpty {
            let rules = notifications.map { ($0.id, $0.json(withSecret: withSecrets)) }
            members.append(("notifications", .object(JSONObject(rules))))
        }
        members += store.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        return .object(JSONObject(members))
    }

    /// Replaces targets that were read from `publicJSON`, in which queries are hidden, by those of the earlier settings.
    ///
    /// So a client may read the settings, change some and send all of them back.
    /// - Throws: `DiscfgError` with code `invalidRequest` for a hidden query that is not of the rule of that name.
    package mutating func restoreHiddenTargets(from earlier: ConfigSettings) throws(DiscfgError) {
        for index in notifications.indices where notifications[index].target.isQueryHidden {
            let rule = notifications[index]
            guard let known = earlier.notifications.first(where: { $0.id == rule.id })?.target,
                known.shown == rule.target.description
            else {
                throw .invalid(
                    "The target of notification “\(rule.id)” ends in “?...”, which stands for a hidden query.",
                    hint: "Give the whole URL, or leave out “to” to keep the target that the notification has.")
            }
            notifications[index].target = known
        }
    }

    /// Reads settings; what is left out has its default.
    ///
    /// - Throws: `DiscfgError` with code `invalidRequest` that names what is unknown or out of range.
    public init(json: JSONValue) throws(DiscfgError) {
        self.init()
        try json.forEachMember(of: "settings") { name, value throws(DiscfgError) in
            switch name {
            case "retention": try readRetention(value)
            case "notifications": try readNotifications(value)
            default:
                guard let first = name.utf8.first, (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(first) else {
                    throw .invalid(
                        "There is no setting “\(name)”.",
                        hint: "There are “retention” and “notifications”. Settings of the store begin with a capital."
                    )
                }
                store[name] = value
            }
        }
    }

    private mutating func readNotifications(_ json: JSONValue) throws(DiscfgError) {
        try json.forEachMember(of: "notifications") { id, value throws(DiscfgError) in
            notifications.append(try NotificationRule(id: id, json: value))
        }
        guard notifications.count <= NotificationRule.maximumCount else {
            throw .invalid(
                "There are \(notifications.count) notifications; the most is \(NotificationRule.maximumCount).",
                hint: "Remove some, or send to one target from which others take it.")
        }
        notifications.sort { $0.id < $1.id }
    }

    private mutating func readRetention(_ json: JSONValue) throws(DiscfgError) {
        try json.forEachMember(of: "retention") { name, value throws(DiscfgError) in
            switch name {
            case "age":
                guard let age = value.string ?? value.integer.map({ String($0) }) else {
                    throw .invalid("The setting “retention.age” is not a duration.", hint: "Write it as “90d”.")
                }
                retention.age = try DurationText.parse(age)
            case "revisions":
                guard let revisions = value.integer, revisions >= 1 else {
                    throw .invalid(
                        "The setting “retention.revisions” is not a number from 1.", hint: "Write it as 10000.")
                }
                retention.revisions = revisions
            default:
                throw .invalid("There is no setting “retention.\(name)”.", hint: "There are “age” and “revisions”.")
            }
        }
    }
}

extension JSONValue {
    /// Calls `body` for each member.
    ///
    /// - Throws: `DiscfgError` with code `invalidRequest` when this is not an object.
    fileprivate func forEachMember(of name: String, _ body: (String, JSONValue) throws(DiscfgError) -> Void)
        throws(DiscfgError)
    {
        guard let object else { throw .invalid("“\(name)” is not a JSON object.", hint: "Write it as {…}.") }
        for (name, value) in object { try body(name, value) }
    }
}
