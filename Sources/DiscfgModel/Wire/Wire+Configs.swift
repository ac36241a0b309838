extension ConfigInfo {
    /// Writes what is known of the config as an object.
    public func write(to writer: inout JSONWriter, action: String? = nil) {
        writer.object { writer in
            if let action { writer.member("action", action) }
            writer.member("name", name.description)
            writer.member("cfgVersion", revision)
            writer.member("cfgModified", modified.description)
            writer.member("cfgCreated", created.description)
            writer.member("cfgOldest", oldest)
            if let log { writer.member("cfgLog", log) }
            writer.member("cfgState", "ACTIVE")
            writer.name("cfgSettings")
            writer.value(settings.publicJSON)
            writer.name("cfgStorage")
            writer.object { writer in
                writer.member("name", storage.name)
                writer.name("options")
                writer.object { for (name, value) in storage.options.sorted(by: <) { $0.member(name, value) } }
            }
        }
    }

    /// Reads what `write` writes.
    public init(wire object: JSONValue) throws(DiscfgError) {
        let storage = object["cfgStorage"] ?? .null
        var options: [String: String] = [:]
        for (name, value) in storage["options"]?.object ?? JSONObject() { options[name] = value.string }
        self.init(
            name: try ConfigName(try object.string("name")),
            settings: try ConfigSettings(json: object["cfgSettings"] ?? [:]),
            created: try object.timestamp("cfgCreated"), revision: try object.integer("cfgVersion"),
            modified: try object.timestamp("cfgModified"), oldest: try object.integer("cfgOldest"),
            storage: StorageDescription(name: try storage.string("name"), options: options),
            log: try object.optionalString("cfgLog"))
    }
}

extension DiscfgError {
    /// Writes the error: `{"errorCode":100,"error":"Key not found","message":"…","hint":"…"}`.
    ///
    /// With `commandHint` if the hint for commands is another. A failed condition carries the current item as `item`. The cause stays out: it may say what is nobody's business.
    public func write(to writer: inout JSONWriter, _ style: WireStyle) {
        writer.object { writer in
            writer.member("errorCode", code.rawValue)
            writer.member("error", code.title)
            writer.member("message", message)
            if let hint = httpHint ?? hint { writer.member("hint", hint) }
            if httpHint != nil, let hint { writer.member("commandHint", hint) }
            if let current {
                writer.name("item")
                current.write(to: &writer, style)
            }
        }
    }

    /// Reads what `write` writes; `nil` when the JSON is not such an error.
    public init?(wire object: JSONValue) {
        guard let code = object["errorCode"]?.integer, let message = object["message"]?.string else { return nil }
        let (hint, commandHint) = (object["hint"]?.string, object["commandHint"]?.string)
        self.init(
            Code(rawValue: Int(code)), message, hint: commandHint ?? hint,
            current: object["item"].flatMap { try? Item(wire: $0) })
        if commandHint != nil { httpHint = hint }
    }
}

extension JSONWriter {
    /// The JSON that `body` writes, as bytes.
    public static func bytes(capacity: Int = 512, _ body: (inout JSONWriter) -> Void) -> [UInt8] {
        var writer = JSONWriter(capacity: capacity)
        body(&writer)
        return writer.bytes
    }
}
