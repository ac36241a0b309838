/// What a type's own `init(from:)` is given.
struct ValueDecoder: Decoder {
    let value: AttributeValue
    let options: AttributeDecoder
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(KeyedValues<Key>(decoder: self, members: try require(value.map, "a map")))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        UnkeyedValues(decoder: self, elements: try require(value.elements, "a list or set"))
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { SingleValue(decoder: self) }

    func at(_ key: any CodingKey, _ value: AttributeValue) -> ValueDecoder {
        ValueDecoder(value: value, options: options, codingPath: codingPath + [key])
    }

    func decoded<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try options.value(type, of: value, at: codingPath)
    }

    private func require<Content>(_ content: Content?, _ name: String) throws -> Content {
        guard let content else {
            throw DecodingError.typeMismatch(
                Content.self, .init(codingPath: codingPath, debugDescription: "It is not \(name)."))
        }
        return content
    }
}

private struct KeyedValues<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: ValueDecoder
    let members: [String: AttributeValue]
    var codingPath: [any CodingKey] { decoder.codingPath }
    var allKeys: [Key] { members.keys.compactMap { Key(stringValue: $0) } }

    func contains(_ key: Key) -> Bool { value(for: key) != nil }
    func decodeNil(forKey key: Key) throws -> Bool { try member(key).value.isNull }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        if let type = type as? any SetType.Type, !contains(key), let empty = type.empty as? Value { return empty }
        return try member(key).decoded(type)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        try member(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try member(key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { try member(PlainKey("super")) }
    func superDecoder(forKey key: Key) throws -> any Decoder { try member(key) }

    private func member(_ key: some CodingKey) throws -> ValueDecoder {
        guard let value = value(for: key) else {
            throw DecodingError.keyNotFound(
                key, .init(codingPath: codingPath, debugDescription: "There is no attribute “\(key.stringValue)”."))
        }
        return decoder.at(key, value)
    }

    private func value(for key: some CodingKey) -> AttributeValue? {
        let name = key.stringValue
        return members[name] ?? (decoder.options.isWire ? members[AWSName.of(name)] : nil)
    }
}

private struct UnkeyedValues: UnkeyedDecodingContainer {
    let decoder: ValueDecoder
    let elements: [AttributeValue]
    private(set) var currentIndex = 0
    var codingPath: [any CodingKey] { decoder.codingPath }
    var count: Int? { elements.count }
    var isAtEnd: Bool { currentIndex >= elements.count }

    init(decoder: ValueDecoder, elements: [AttributeValue]) {
        self.decoder = decoder
        self.elements = elements
    }

    mutating func decodeNil() throws -> Bool {
        guard try current().value.isNull else { return false }
        currentIndex += 1
        return true
    }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try advancing { try $0.decoded(type) }
    }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> {
        try advancing { try $0.container(keyedBy: type) }
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try advancing { try $0.unkeyedContainer() }
    }

    mutating func superDecoder() throws -> any Decoder { try advancing { $0 } }

    private mutating func advancing<Value>(_ body: (ValueDecoder) throws -> Value) throws -> Value {
        let value = try body(try current())
        currentIndex += 1
        return value
    }

    private func current() throws -> ValueDecoder {
        guard elements.indices.contains(currentIndex) else {
            throw DecodingError.valueNotFound(
                AttributeValue.self, .init(codingPath: codingPath, debugDescription: "The list has no more elements."))
        }
        return decoder.at(PlainKey(currentIndex), elements[currentIndex])
    }
}

private struct SingleValue: SingleValueDecodingContainer {
    let decoder: ValueDecoder
    var codingPath: [any CodingKey] { decoder.codingPath }

    func decodeNil() -> Bool { decoder.value.isNull }
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try decoder.decoded(type) }
}

extension AttributeValue {
    /// The elements of a list or a set.
    fileprivate var elements: [AttributeValue]? {
        switch self {
        case .list(let values): values
        case .stringSet(let values): values.map(AttributeValue.string)
        case .numberSet(let values): values.map(AttributeValue.number)
        case .binarySet(let values): values.map(AttributeValue.binary)
        default: nil
        }
    }
}
