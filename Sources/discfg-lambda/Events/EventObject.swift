import DiscfgCore

/// An object inside an event, read member by member.
///
/// An absent member and null mean the same, because gateways differ in what they send. Errors name the member that is
/// missing or of the wrong type, and never contain its value, which is data of clients.
struct EventObject: Sendable {
    private let members: JSONObject
    /// The path of the object in the event, for errors; ends with a dot, or is empty for the event itself.
    private let path: String

    /// The event itself.
    ///
    /// - Throws: `DiscfgError` with code `invalidRequest` if it is not an object.
    init(_ event: JSONValue) throws(DiscfgError) {
        guard let members = event.object else {
            throw .invalid("The event is not a JSON object.", hint: "Invoke the function through a gateway.")
        }
        self.init(members, path: "")
    }

    private init(_ members: JSONObject, path: String) {
        self.members = members
        self.path = path
    }

    /// The member; `nil` if it is absent or null.
    subscript(name: String) -> JSONValue? { members[name].flatMap { $0 == .null ? nil : $0 } }

    /// The member as an object; empty if it is absent.
    func object(_ name: String) throws(DiscfgError) -> EventObject {
        guard let value = self[name] else { return EventObject(JSONObject(), path: "\(path)\(name).") }
        guard let object = value.object else { throw wrong(name, "an object") }
        return EventObject(object, path: "\(path)\(name).")
    }

    /// The member as a string.
    func text(_ name: String) throws(DiscfgError) -> String? {
        guard let value = self[name] else { return nil }
        guard let text = value.string else { throw wrong(name, "a string") }
        return text
    }

    /// The member as a boolean; `false` if it is absent.
    func flag(_ name: String) throws(DiscfgError) -> Bool {
        guard let value = self[name] else { return false }
        guard let flag = value.bool else { throw wrong(name, "true or false") }
        return flag
    }

    /// The member as an array of strings; empty if it is absent.
    func texts(_ name: String) throws(DiscfgError) -> [String] {
        guard let value = self[name] else { return [] }
        guard let texts = Self.texts(value) else { throw wrong(name, "an array of strings") }
        return texts
    }

    /// The names and values of a map that an event may have in two forms, such as `headers` and `multiValueHeaders`.
    ///
    /// The map of lists comes first, in the order of the event. Members that only the other map has are added, because
    /// dropping a condition would ignore it. Errors name only the map, because the names in it are data of the client.
    func pairs(_ single: String, _ multiple: String) throws(DiscfgError) -> [(name: String, value: String)] {
        let (lists, singles) = (try object(multiple), try object(single))
        var pairs: [(name: String, value: String)] = []
        for name in lists.members.names {
            guard let list = lists[name] else { continue }
            guard let values = Self.texts(list) else { throw wrong("a member of \(multiple)", "an array of strings") }
            for value in values { pairs.append((name, value)) }
        }
        for name in singles.members.names where lists[name] == nil {
            guard let value = singles[name] else { continue }
            guard let text = value.string else { throw wrong("a member of \(single)", "a string") }
            pairs.append((name, text))
        }
        return pairs
    }

    private static func texts(_ value: JSONValue) -> [String]? {
        guard let elements = value.array else { return nil }
        let texts = elements.compactMap(\.string)
        return texts.count == elements.count ? texts : nil
    }

    private func wrong(_ name: String, _ kind: String) -> DiscfgError {
        .invalid("In the event, \(path)\(name) is not \(kind).", hint: "Send an event in the format of a gateway.")
    }
}
