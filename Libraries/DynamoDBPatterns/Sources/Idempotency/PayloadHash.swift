import AWSClient

/// The hash of a payload: two payloads with the same members and values have the same one.
enum PayloadHash {
    /// The hash that stands for no payload.
    static let none = "-"

    /// SHA-256 of the payload's attributes; dictionaries and sets are in the order of their bytes.
    static func of(_ payload: (any Encodable)?) throws(PatternError) -> String {
        guard let payload else { return none }
        var encoder = AttributeEncoder()
        // A Swift set has another order in each process.
        encoder.writesSets = true
        let attribute: AttributeValue
        do {
            attribute = try encoder.attribute(of: payload)
        } catch {
            throw PatternError(.invalidArgument, "The payload cannot be encoded.", cause: error)
        }
        var bytes: [UInt8] = []
        attribute.appendCanonically(to: &bytes)
        return ContentHash.sha256(of: bytes)
    }
}

extension AttributeValue {
    /// Appends bytes that no other value has: a letter for the type, the length, the content.
    fileprivate func appendCanonically(to bytes: inout [UInt8]) {
        func append(_ type: Character, _ content: some Collection<UInt8>) {
            bytes += "\(type)\(content.count):".utf8
            bytes += content
        }
        func append(_ type: Character, elements: [AttributeValue]) {
            bytes += "\(type)\(elements.count):".utf8
            for element in elements { element.appendCanonically(to: &bytes) }
        }
        switch self {
        case .string(let text): append("S", text.utf8)
        case .number(let digits): append("N", CanonicalNumber.text(of: digits).utf8)
        case .binary(let content): append("B", content)
        case .bool(let flag): append("O", [flag ? 1 : 0])
        case .null: append("U", [])
        case .list(let elements): append("L", elements: elements)
        case .map(let members):
            let sorted = members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
            append("M", elements: sorted.flatMap { [.string($0.key), $0.value] })
        case .stringSet(let texts):
            let sorted = texts.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
            append("T", elements: sorted.map(AttributeValue.string))
        case .numberSet(let numbers):
            append("V", elements: numbers.map(CanonicalNumber.text).sorted().map(AttributeValue.number))
        case .binarySet(let contents):
            append("C", elements: contents.sorted { $0.lexicographicallyPrecedes($1) }.map(AttributeValue.binary))
        }
    }
}
