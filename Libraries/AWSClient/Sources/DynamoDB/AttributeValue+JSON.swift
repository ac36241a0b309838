#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension AttributeValue {
    /// DynamoDB's JSON for this value, such as `{"N": "42"}`, in the shape of JSON.
    package var wire: AttributeValue {
        switch self {
        case .string(let value): .map(["S": .string(value)])
        case .number(let value): .map(["N": .string(value)])
        case .binary(let value): .map(["B": .string(Self.text(value))])
        case .bool(let value): .map(["BOOL": .bool(value)])
        case .null: .map(["NULL": .bool(true)])
        case .list(let value): .map(["L": .list(value.map(\.wire))])
        case .map(let value): .map(["M": .map(value.mapValues(\.wire))])
        case .stringSet(let value): .map(["SS": .list(value.map(AttributeValue.string))])
        case .numberSet(let value): .map(["NS": .list(value.map(AttributeValue.string))])
        case .binarySet(let value): .map(["BS": .list(value.map { .string(Self.text($0)) })])
        }
    }

    /// The value that DynamoDB's JSON stands for: exactly one type, and a value of that type.
    init(wire: AttributeValue) throws(WireFailure) {
        guard let (type, value) = wire.map?.first, wire.map?.count == 1 else {
            throw WireFailure(reason: "An attribute value names exactly one type.")
        }
        switch (type, value) {
        case ("S", .string(let text)): self = .string(text)
        case ("N", .string(let text)): self = .number(try Self.number(text))
        case ("B", .string(let text)): self = .binary(try Self.bytes(text))
        case ("BOOL", .bool(let flag)): self = .bool(flag)
        case ("NULL", .bool(true)): self = .null
        case ("L", .list(let elements)): self = .list(try elements.map(AttributeValue.init(wire:)))
        case ("M", .map(let members)): self = .map(try Self.attributes(wire: members))
        case ("SS", .list(let elements)): self = .stringSet(try elements.map(Self.element))
        case ("NS", .list(let elements)):
            self = .numberSet(
                try elements.map { element throws(WireFailure) in try Self.number(Self.element(element)) })
        case ("BS", .list(let elements)):
            self = .binarySet(try elements.map { element throws(WireFailure) in try Self.bytes(Self.element(element)) })
        default: throw WireFailure(reason: "An attribute value is of no type of DynamoDB's, or does not fit its type.")
        }
    }

    /// The attributes of an item in DynamoDB's JSON.
    static func attributes(wire: [String: AttributeValue]) throws(WireFailure) -> [String: AttributeValue] {
        var attributes: [String: AttributeValue] = [:]
        attributes.reserveCapacity(wire.count)
        for (name, value) in wire { attributes[name] = try AttributeValue(wire: value) }
        return attributes
    }

    private static func text(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }

    private static func element(_ value: AttributeValue) throws(WireFailure) -> String {
        guard let text = value.string else { throw WireFailure(reason: "A set holds texts only.") }
        return text
    }

    private static func bytes(_ text: String) throws(WireFailure) -> [UInt8] {
        guard let data = Data(base64Encoded: text) else { throw WireFailure(reason: "A binary value is not base64.") }
        return [UInt8](data)
    }

    private static func number(_ text: String) throws(WireFailure) -> String {
        guard DecimalText.isNumber(text) else { throw WireFailure(reason: "A number is not written as one.") }
        return text
    }

    /// Why something is not DynamoDB's JSON; names no value: those are the user's.
    struct WireFailure: Error {
        let reason: String
    }
}

extension AttributeValue: Codable {
    /// Reads DynamoDB's JSON, such as `{"N": "42"}`, from any decoder.
    public init(from decoder: any Decoder) throws {
        do {
            self = try AttributeValue(wire: try PlainJSON(from: decoder).value)
        } catch let failure as WireFailure {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: failure.reason))
        }
    }

    /// Writes DynamoDB's JSON to any encoder.
    public func encode(to encoder: any Encoder) throws { try PlainJSON(value: wire).encode(to: encoder) }
}

/// What JSON there is in DynamoDB's attribute values, for encoders and decoders that are not ours.
private struct PlainJSON: Codable {
    let value: AttributeValue

    init(value: AttributeValue) { self.value = value }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let text = try? container.decode(String.self) {
            value = .string(text)
        } else if let flag = try? container.decode(Bool.self) {
            value = .bool(flag)
        } else if let elements = try? container.decode([PlainJSON].self) {
            value = .list(elements.map(\.value))
        } else {
            value = .map(try container.decode([String: PlainJSON].self).mapValues(\.value))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch value {
        case .string(let text): try container.encode(text)
        case .bool(let flag): try container.encode(flag)
        case .list(let elements): try container.encode(elements.map(PlainJSON.init(value:)))
        case .map(let members): try container.encode(members.mapValues(PlainJSON.init(value:)))
        default: try container.encodeNil()
        }
    }
}
