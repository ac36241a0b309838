import DiscfgCore

/// What a configuration file says, in a form that all formats share: JSON and the types that JSON lacks.
package enum ConfigTree: Sendable, Hashable {
    case null
    case bool(Bool)
    /// A number as JSON writes it; the literal is kept, so 5432, 5432.0 and 5.432e3 stay apart.
    case number(String)
    case string(String)
    case typed(TypedScalar)
    case array([ConfigTree])
    case object([Member])

    /// One member of an object; names are unique within it.
    package struct Member: Sendable, Hashable {
        package var name: String
        package var value: ConfigTree

        package init(name: String, value: ConfigTree) {
            self.name = name
            self.value = value
        }
    }

    /// The most levels of nesting that any parser here follows; input may come from anyone, and the stack is finite.
    package static let maximumDepth = 512

    init(_ json: JSONValue) {
        switch json {
        case .null: self = .null
        case .bool(let flag): self = .bool(flag)
        case .number(let text): self = .number(text)
        case .string(let text): self = .string(text)
        case .array(let elements): self = .array(elements.map { ConfigTree($0) })
        case .object(let members):
            self = .object(members.map { Member(name: $0.name, value: ConfigTree($0.value)) })
        }
    }

    /// The tree as JSON; what JSON has no type for becomes a string.
    var json: JSONValue {
        switch self {
        case .null: .null
        case .bool(let flag): .bool(flag)
        case .number(let text): .number(text)
        case .string(let text): .string(text)
        case .typed(let scalar): scalar.json
        case .array(let elements): .array(elements.map(\.json))
        case .object(let members): .object(JSONObject(members.map { ($0.name, $0.value.json) }))
        }
    }

    /// Whether something in it has a type that JSON lacks.
    var holdsTypedScalar: Bool {
        switch self {
        case .typed: true
        case .array(let elements): elements.contains { $0.holdsTypedScalar }
        case .object(let members): members.contains { $0.value.holdsTypedScalar }
        default: false
        }
    }
}

extension ConfigTree {
    /// What a stored value says: text and JSON by content type; bytes that are not text as binary.
    ///
    /// - Throws: `DiscfgError` that names the key when the content type says JSON and the bytes are not.
    init(_ value: Value, of key: Key) throws(DiscfgError) {
        if value.isJSON {
            do {
                self.init(try JSONValue(parsing: value.bytes))
            } catch {
                throw .invalid(
                    "The value of “\(key)” has the type \(value.contentType) and is not JSON.",
                    hint: "Set it again, as JSON or with the type text/plain.")
            }
        } else if let scalar = TypedScalar(value) {
            self = .typed(scalar)
        } else if let text = value.text {
            self = .string(text)
        } else {
            self = .typed(TypedScalar(binary: value.bytes))
        }
    }

    /// The value of a leaf: text for a string, JSON for everything that JSON can say.
    var leafValue: Value {
        switch self {
        case .string(let text): Value(text)
        case .typed(let scalar): scalar.value
        default: Value(json)
        }
    }

    /// The value as the text that a flat format, which has only strings, writes.
    var flatText: String {
        switch self {
        case .null: ""
        case .string(let text): text
        case .typed(let scalar): scalar.text
        default: json.text
        }
    }
}
