#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Turns attributes into values of any `Decodable` type: the way back from `AttributeEncoder`.
///
/// Arrays and sets are read from lists and from sets. DynamoDB has no empty set, and removes an attribute with the last
/// element of its set: so a member that is a `Set` is empty if there is no attribute. Its errors name places and types,
/// and never a value.
public struct AttributeDecoder: Sendable {
    /// How dates are read.
    public var dates: DateCoding
    /// Whether to read the JSON of DynamoDB's API; see `AttributeEncoder`.
    var isWire = false

    /// A decoder.
    ///
    /// - Parameter dates: How dates are read.
    public init(dates: DateCoding = .secondsSince1970) { self.dates = dates }

    /// A value of an item.
    ///
    /// - Parameters:
    ///   - type: What to decode; attributes that it does not know are passed over.
    ///   - item: From DynamoDB.
    /// - Returns: The value.
    /// - Throws: `DecodingError`.
    public func decode<Value: Decodable>(
        _ type: Value.Type = Value.self, from item: [String: AttributeValue]
    ) throws -> Value {
        try decode(type, from: .map(item))
    }

    /// A value of one attribute.
    ///
    /// - Parameters:
    ///   - type: What to decode.
    ///   - attribute: From DynamoDB.
    /// - Returns: The value.
    /// - Throws: `DecodingError`.
    public func decode<Value: Decodable>(
        _ type: Value.Type = Value.self, from attribute: AttributeValue
    ) throws -> Value {
        try value(type, of: attribute, at: [])
    }

    func value<Value: Decodable>(
        _ type: Value.Type, of attribute: AttributeValue, at path: [any CodingKey]
    ) throws -> Value {
        let value: Any?
        switch type {
        case is AttributeValue.Type:
            value =
                isWire
                ? try wire(at: path) { () throws(WireFailure) in try AttributeValue(wire: attribute) } : attribute
        case is [String: AttributeValue].Type where isWire:
            value = try attribute.map.map { map in
                try wire(at: path) { () throws(WireFailure) in try AttributeValue.attributes(wire: map) }
            }
        case is String.Type: value = attribute.string
        case is Bool.Type: value = attribute.bool
        case is Date.Type: value = try dates.read(attribute)
        case is URL.Type where attribute.map == nil: value = attribute.string.flatMap { URL(string: $0) }
        case is Data.Type: value = attribute.binary.map { Data($0) }
        case is [UInt8].Type: value = attribute.binary
        case is Double.Type: value = attribute.double.flatMap { $0.isFinite ? $0 : nil }
        case is Float.Type: value = attribute.number.flatMap { Float($0) }.flatMap { $0.isFinite ? $0 : nil }
        case is Decimal.Type: value = attribute.number.flatMap { Decimal(string: $0) }
        case let type as any FixedWidthInteger.Type: value = attribute.number.flatMap { Self.integer(type, $0) }
        default: return try Value(from: ValueDecoder(value: attribute, options: self, codingPath: path))
        }
        guard let value = value as? Value else {
            throw DecodingError.typeMismatch(
                type, .init(codingPath: path, debugDescription: "It is of another type, or does not fit into this one.")
            )
        }
        return value
    }

    private typealias WireFailure = AttributeValue.WireFailure

    private func wire<Value>(at path: [any CodingKey], _ body: () throws(WireFailure) -> Value) throws -> Value {
        do {
            return try body()
        } catch {
            throw DecodingError.dataCorrupted(.init(codingPath: path, debugDescription: error.reason))
        }
    }

    private static func integer<Integer: FixedWidthInteger>(_ type: Integer.Type, _ text: String) -> Integer? {
        Integer(text)
    }
}
