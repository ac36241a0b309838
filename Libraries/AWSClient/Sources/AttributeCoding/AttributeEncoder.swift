#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Turns values of any `Encodable` type into attributes.
///
/// | member | attribute |
/// | :-- | :-- |
/// | `String`, `URL`, `UUID`, an enum of strings | S |
/// | integers, `Double`, `Float`, `Decimal` | N, exact |
/// | `Data`, `[UInt8]` | B |
/// | `Bool` | BOOL |
/// | `Date` | as `dates` says, by default N |
/// | arrays and sets | L |
/// | structs, dictionaries whose keys are strings, enums with values | M |
/// | `nil` | left out; NULL within a list |
/// | `AttributeValue` | what it is: the way to write sets (SS, NS, BS) |
public struct AttributeEncoder: Sendable {
    /// How dates are written.
    public var dates: DateCoding
    /// Whether a `Set` of strings, numbers or binaries becomes a set of DynamoDB's, its elements sorted.
    ///
    /// Then an empty one becomes an empty `stringSet`, which DynamoDB cannot store: the caller has to leave it out. Other
    /// sets, and dictionaries whose keys are not strings, become lists in a fixed order, so that equal values have equal
    /// attributes.
    package var writesSets = false
    /// Receives the places of lists that are made from values without an order.
    var unordered: UnorderedPlaces?
    /// Whether to make the JSON of DynamoDB's API, in the shape of JSON: attributes are spelled out, and members
    /// named as AWS's.
    var isWire = false

    /// An encoder.
    ///
    /// - Parameter dates: How dates are written.
    public init(dates: DateCoding = .secondsSince1970) { self.dates = dates }

    /// An item of a value whose type has named members, such as a struct or a dictionary.
    ///
    /// - Parameter value: What to encode.
    /// - Returns: One attribute for each member that is not `nil`.
    /// - Throws: `EncodingError` if the value is not made of named members, or holds a number that is not finite.
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
        case let value as Date:
            if let attribute = try dates.write(value) { return attribute }
            // Not the date itself, whose own description traps for some of these.
            throw EncodingError.invalidValue(
                value.timeIntervalSince1970,
                .init(codingPath: path, debugDescription: "A date cannot be written in the way that was chosen."))
        case let value as URL: return .string(value.absoluteString)
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
            return writesSets ? inFixedOrder(slot.value, of: Value.self, at: path) : slot.value
        }
    }

    private func number(_ value: some Encodable, isFinite: Bool, at path: [any CodingKey]) throws -> AttributeValue {
        guard isFinite else {
            throw EncodingError.invalidValue(
                value, .init(codingPath: path, debugDescription: "DynamoDB has finite numbers only."))
        }
        return .number("\(value)")
    }

    /// A list in a fixed order, if the type that wrote it has none.
    private func inFixedOrder(
        _ value: AttributeValue, of type: Any.Type, at path: [any CodingKey]
    ) -> AttributeValue {
        guard let list = value.list else { return value }
        if type is any SetType.Type {
            let set = Self.asSet(list)
            guard case .list = set else { return set }
            unordered?.insert(path)
            return .list(Self.sorted(list) { $0 })
        }
        // Keys that are not strings are elements, each followed by its value.
        guard type is any DictionaryType.Type, list.count.isMultiple(of: 2) else { return value }
        unordered?.insert(path)
        let pairs = stride(from: 0, to: list.count, by: 2).map { (key: list[$0], value: list[$0 + 1]) }
        return .list(Self.sorted(pairs, by: \.key).flatMap { [$0.key, $0.value] })
    }

    private static func sorted<Element>(_ list: [Element], by key: (Element) -> AttributeValue) -> [Element] {
        list.map { (bytes: JSONWriter.bytes(of: key($0).wire, sortingMembers: true), element: $0) }
            .sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
            .map(\.element)
    }

    /// A list as a set in a fixed order, if all its elements are of one type that sets can have, and differ.
    private static func asSet(_ list: [AttributeValue]) -> AttributeValue {
        let (strings, numbers) = (list.compactMap(\.string), list.compactMap(\.number))
        let binaries = list.compactMap(\.binary)
        if strings.count == list.count, Set(strings.map { Array($0.utf8) }).count == list.count {
            return .stringSet(strings.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
        }
        if numbers.count == list.count, Set(numbers).count == list.count { return .numberSet(numbers.sorted()) }
        if binaries.count == list.count, Set(binaries).count == list.count {
            return .binarySet(binaries.sorted { $0.lexicographicallyPrecedes($1) })
        }
        return .list(list)
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

/// Dictionaries with any keys.
private protocol DictionaryType {}

extension Dictionary: DictionaryType {}

/// Sets of any elements.
protocol SetType {
    static var empty: Self { get }
}

extension Set: SetType {
    static var empty: Set { [] }
}
