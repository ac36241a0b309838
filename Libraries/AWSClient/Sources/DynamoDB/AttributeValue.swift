/// A value of an item's attribute, of one of DynamoDB's types.
///
/// Sets keep the order in which they came, although DynamoDB gives them none.
public enum AttributeValue: Sendable, Hashable {
    case string(String)
    /// A decimal number of up to 38 digits, as text, so that nothing is rounded.
    case number(String)
    case binary([UInt8])
    case bool(Bool)
    case null
    case list([AttributeValue])
    case map([String: AttributeValue])
    case stringSet([String])
    case numberSet([String])
    case binarySet([[UInt8]])
}

extension AttributeValue {
    /// A whole number.
    public static func integer(_ value: some BinaryInteger) -> AttributeValue { .number(String(value)) }

    /// The text; `nil` for every other type.
    public var string: String? { if case .string(let value) = self { value } else { nil } }

    /// The number's digits; `nil` for every other type.
    public var number: String? { if case .number(let value) = self { value } else { nil } }

    /// The number, if it is whole and fits; `nil` otherwise.
    public var int64: Int64? { number.flatMap { Int64($0) } }

    /// The number, if it is whole and fits; `nil` otherwise.
    public var int: Int? { number.flatMap { Int($0) } }

    /// The number as near as a `Double` comes to it; `nil` for every other type.
    public var double: Double? { number.flatMap { Double($0) } }

    /// The bytes; `nil` for every other type.
    public var binary: [UInt8]? { if case .binary(let value) = self { value } else { nil } }

    /// The truth value; `nil` for every other type.
    public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }

    /// Whether it is DynamoDB's null.
    public var isNull: Bool { self == .null }

    /// The elements; `nil` for every other type.
    public var list: [AttributeValue]? { if case .list(let value) = self { value } else { nil } }

    /// The members; `nil` for every other type.
    public var map: [String: AttributeValue]? { if case .map(let value) = self { value } else { nil } }

    /// The elements; `nil` for every other type.
    public var stringSet: [String]? { if case .stringSet(let value) = self { value } else { nil } }

    /// The elements' digits; `nil` for every other type.
    public var numberSet: [String]? { if case .numberSet(let value) = self { value } else { nil } }

    /// The elements; `nil` for every other type.
    public var binarySet: [[UInt8]]? { if case .binarySet(let value) = self { value } else { nil } }
}
