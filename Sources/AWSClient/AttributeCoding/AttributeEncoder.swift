#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Turns values of any `Encodable` type into attributes.
///
/// Numbers are exact, `[UInt8]` and `Data` are binary, dates are a number of seconds since 1970, `nil` members are
/// left out, and an `AttributeValue` stays what it is: the way to write sets.
public struct AttributeEncoder: Sendable {
    /// How a date is written; by default as `.number`, in seconds since 1970.
    public var date: @Sendable (Date) throws -> AttributeValue
    /// Whether to make the JSON of DynamoDB's API, in the shape of JSON: attributes are spelled out, and members
    /// named as AWS's.
    var isWire = false

    public init(
        date: @escaping @Sendable (Date) throws -> AttributeValue = { .number("\($0.timeIntervalSince1970)") }
    ) {
        self.date = date
    }

    /// An item of a value whose type has named members, such as a struct or a dictionary.
    ///
    /// - Parameter value: What to encode.
    /// - Returns: One attribute for each member that is not `nil`.
    /// - Throws: `EncodingError` where the value is not made of named members, or holds a number that is not finite.
    public func item(of value: some Encodable) throws -> [String: AttributeValue] {
        guard let item = try attribute(of: value).map else {
            throw EncodingError.invalidValue(
                value, .init(codingPath: [], debugDescription: "Only what has named members can be an item."))
        }
        return item
    }

    /// One attribute of any value.
    ///
    /// - Parameter value: What to encode.
    /// - Returns: The attribute; `null` for `nil`.
    /// - Throws: `EncodingError` for a number that is not finite, and what the type's own encoding throws.
    public func attribute(of value: some Encodable) throws -> AttributeValue { try attribute(of: value, at: []) }

    func attribute<Value: Encodable>(of value: Value, at path: [any CodingKey]) throws -> AttributeValue {
        switch value {
        case let value as AttributeValue: return isWire ? value.wire : value
        // Not by a cast alone: an empty dictionary of anything can be cast to one of attributes.
        case let value as [String: AttributeValue] where isWire && Value.self == [String: AttributeValue].self:
            return .map(value.mapValues(\.wire))
        case let value as String: return .string(value)
        case let value as Bool: return .bool(value)
        case let value as Date: return try date(value)
        case let value as Data: return .binary([UInt8](value))
        case let value as any BinaryInteger: return .number(String(describing: value))
        case let value as Double: return try number(value, isFinite: value.isFinite, at: path)
        case let value as Decimal: return try number(value, isFinite: value.isFinite, at: path)
        case let value as Float: return try number(value, isFinite: value.isFinite, at: path)
        case let value as [UInt8] where Value.self == [UInt8].self: return .binary(value)
        default:
            let slot = AttributeSlot()
            let isRenaming = isWire && !(Value.self is any NamedByCaller.Type)
            try value.encode(to: SlotEncoder(slot: slot, options: self, codingPath: path, isRenaming: isRenaming))
            return slot.value
        }
    }

    private func number(_ value: some Encodable, isFinite: Bool, at path: [any CodingKey]) throws -> AttributeValue {
        guard isFinite else {
            throw EncodingError.invalidValue(
                value, .init(codingPath: path, debugDescription: "DynamoDB has finite numbers only."))
        }
        return .number("\(value)")
    }
}

/// Where an encoder puts what it is given; containers of one value share it.
final class AttributeSlot {
    enum Content {
        case value(AttributeValue)
        case list([AttributeSlot])
        case map([String: AttributeSlot])
    }

    /// A value that encodes nothing has no members.
    var content = Content.map([:])

    var value: AttributeValue {
        switch content {
        case .value(let value): value
        case .list(let slots): .list(slots.map(\.value))
        case .map(let slots): .map(slots.mapValues(\.value))
        }
    }

    func slot(for key: String) -> AttributeSlot {
        guard case .map(var members) = content else {
            content = .map([:])
            return slot(for: key)
        }
        if let slot = members[key] { return slot }
        // Given up first, so that the dictionary is changed in its place.
        content = .list([])
        let slot = AttributeSlot()
        members[key] = slot
        content = .map(members)
        return slot
    }

    func appendSlot() -> AttributeSlot {
        guard case .list(var elements) = content else {
            content = .list([])
            return appendSlot()
        }
        content = .list([])
        let slot = AttributeSlot()
        elements.append(slot)
        content = .list(elements)
        return slot
    }
}

/// Dictionaries, whose keys are nothing that AWS names.
private protocol NamedByCaller {}

extension Dictionary: NamedByCaller where Key == String {}
