extension ConfigSettings {
    /// The settings as people write them: `{"retention":{"age":"90d","revisions":10000}}`.
    public var json: JSONValue {
        [
            "retention": [
                "age": .string(DurationText.format(retention.age, units: .max)),
                "revisions": .integer(retention.revisions),
            ]
        ]
    }

    /// Reads settings; what is left out has its default.
    ///
    /// - Throws: `DiscfgError` with code `invalidRequest` that names what is unknown or out of range.
    public init(json: JSONValue) throws(DiscfgError) {
        self.init()
        try json.forEachMember(of: "settings") { name, value throws(DiscfgError) in
            guard name == "retention" else {
                throw .invalid("There is no setting “\(name)”.", hint: "There is “retention”.")
            }
            try readRetention(value)
        }
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
