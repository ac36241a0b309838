/// A JSON value that loses nothing a configuration file can say.
///
/// Numbers keep the text they were written with (`1.10`, `1e400` and `12345678901234567890` come back as they were),
/// and objects keep the order of their members. Source: RFC 8259.
public enum JSONValue: Sendable, Hashable {
    case null
    case bool(Bool)
    /// A number, as its literal text; always valid under the JSON grammar.
    case number(String)
    case string(String)
    case array([JSONValue])
    case object(JSONObject)

    /// The string, if this is one.
    public var string: String? {
        if case .string(let value) = self { value } else { nil }
    }

    /// The integer, if this is a number without fraction or exponent that fits 64 bits.
    public var integer: Int64? {
        if case .number(let text) = self { Int64(text) } else { nil }
    }

    /// The truth value, if this is one.
    public var bool: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// The elements, if this is an array.
    public var array: [JSONValue]? {
        if case .array(let value) = self { value } else { nil }
    }

    /// The members, if this is an object.
    public var object: JSONObject? {
        if case .object(let value) = self { value } else { nil }
    }

    /// The member of that name, if this is an object that has one.
    public subscript(name: String) -> JSONValue? { object?[name] }
}

// Not by a nil literal: `object["name"] = nil` must remove the member, not set it to null.
extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// A string.
    public init(stringLiteral value: String) { self = .string(value) }
    /// A number without a fraction.
    public init(integerLiteral value: Int64) { self = .number(String(value)) }
    /// `true` or `false`.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// An array of the elements.
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    /// An object with the members in this order; of two with one name the last counts.
    public init(dictionaryLiteral elements: (String, JSONValue)...) { self = .object(JSONObject(elements)) }

    /// A number from any integer.
    public static func integer(_ value: some BinaryInteger) -> JSONValue { .number(String(value)) }
}

/// The members of a JSON object, in the order they were first written.
///
/// Two objects are equal when they have equal members in any order, as RFC 8259 has it.
public struct JSONObject: Sendable, Hashable {
    private var order: [String]
    private var members: [Name: JSONValue]

    /// A name that is compared by its bytes, as JSON has it: composed and decomposed “é” are two names.
    private struct Name: Hashable, Sendable {
        let text: String

        static func == (left: Name, right: Name) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }

        func hash(into hasher: inout Hasher) {
            for byte in text.utf8 { hasher.combine(byte) }
        }
    }

    /// An object with these members; of two with one name the later counts.
    public init(_ members: [(String, JSONValue)] = []) {
        self.order = []
        self.members = [:]
        order.reserveCapacity(members.count)
        self.members.reserveCapacity(members.count)
        for (name, value) in members { self[name] = value }
    }

    /// The number of members.
    public var count: Int { order.count }
    /// Whether there are none.
    public var isEmpty: Bool { order.isEmpty }
    /// The names, in order.
    public var names: [String] { order }

    /// The member of that name; setting `nil` removes it.
    public subscript(name: String) -> JSONValue? {
        get { members[Name(text: name)] }
        set {
            if let newValue {
                if members.updateValue(newValue, forKey: Name(text: name)) == nil { order.append(name) }
            } else if members.removeValue(forKey: Name(text: name)) != nil {
                order.removeAll { Name(text: $0) == Name(text: name) }
            }
        }
    }

    /// Removes members, in one pass however many they are.
    mutating func remove(_ names: [String]) {
        guard !names.isEmpty else { return }
        for name in names { members[Name(text: name)] = nil }
        order.removeAll { members[Name(text: $0)] == nil }
    }

    /// Whether both have the same members, in any order.
    public static func == (left: JSONObject, right: JSONObject) -> Bool { left.members == right.members }
    /// Hashes the members without their order.
    public func hash(into hasher: inout Hasher) { hasher.combine(members) }
}

extension JSONObject: Sequence {
    /// Iterates over the members in their order.
    public func makeIterator() -> some IteratorProtocol<(name: String, value: JSONValue)> {
        order.lazy.map { (name: $0, value: self[$0] ?? .null) }.makeIterator()
    }
}
