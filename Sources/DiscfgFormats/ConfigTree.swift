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

    /// Maximum nesting depth of a file.
    ///
    /// Parsers and writers do not recurse. The destruction of a tree does, as `JSONParser.maximumDepth` says.
    package static let maximumDepth = 512

    init(_ json: JSONValue) {
        self = fold(json, children: \.children) { json, children in
            switch json {
            case .null: .null
            case .bool(let flag): .bool(flag)
            case .number(let text): .number(text)
            case .string(let text): .string(text)
            case .array: .array(children)
            case .object(let members): .object(zip(members.names, children).map { Member(name: $0, value: $1) })
            }
        }
    }

    /// The tree as JSON; what JSON has no type for becomes a string.
    var json: JSONValue {
        fold(self, children: \.children) { tree, children in
            switch tree {
            case .null: .null
            case .bool(let flag): .bool(flag)
            case .number(let text): .number(text)
            case .string(let text): .string(text)
            case .typed(let scalar): scalar.json
            case .array: .array(children)
            case .object(let members): .object(JSONObject(zip(members, children).map { ($0.name, $1) }))
            }
        }
    }

    /// The elements of an array, or the values of an object.
    var children: [ConfigTree] {
        switch self {
        case .array(let elements): elements
        case .object(let members): members.map(\.value)
        default: []
        }
    }

    /// The element or the value of the member at a position; `nil` after the last one.
    func child(at position: Int) -> ConfigTree? {
        switch self {
        case .array(let elements): position < elements.count ? elements[position] : nil
        case .object(let members): position < members.count ? members[position].value : nil
        default: nil
        }
    }

    /// Whether it is an array or object, and not empty.
    var hasChildren: Bool { child(at: 0) != nil }

    /// Whether something in it has a type that JSON lacks.
    var holdsTypedScalar: Bool {
        if case .typed = self { return true }
        var open: [(tree: ConfigTree, position: Int)] = [(self, 0)]
        while let last = open.indices.last {
            guard let child = open[last].tree.child(at: open[last].position) else {
                open.removeLast()
                continue
            }
            open[last].position += 1
            if case .typed = child { return true }
            if child.hasChildren { open.append((child, 0)) }
        }
        return false
    }
}

extension JSONValue {
    /// The elements of an array, or the values of an object.
    fileprivate var children: [JSONValue] {
        switch self {
        case .array(let elements): elements
        case .object(let members): members.map(\.value)
        default: []
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
