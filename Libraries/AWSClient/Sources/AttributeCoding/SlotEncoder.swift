/// What a type's own `encode(to:)` is given.
struct SlotEncoder: Encoder {
    let slot: AttributeSlot
    let options: AttributeEncoder
    let codingPath: [any CodingKey]
    /// Whether members are named as AWS names them: with a large first letter.
    var isRenaming = false
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(KeyedSlots<Key>(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer { UnkeyedSlots(encoder: self) }

    func singleValueContainer() -> any SingleValueEncodingContainer { SingleSlot(encoder: self) }

    func member(_ key: some CodingKey) -> SlotEncoder {
        let name = isRenaming ? AWSName.of(key.stringValue) : key.stringValue
        return SlotEncoder(slot: slot.slot(for: name), options: options, codingPath: codingPath + [key])
    }

    func put(_ value: some Encodable) throws {
        slot.content = .value(try options.attribute(of: value, at: codingPath))
    }
}

private struct KeyedSlots<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: SlotEncoder
    var codingPath: [any CodingKey] { encoder.codingPath }

    mutating func encodeNil(forKey key: Key) { encoder.member(key).slot.content = .value(.null) }

    mutating func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        try encoder.member(key).put(value)
    }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        encoder.member(key).container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        encoder.member(key).unkeyedContainer()
    }

    mutating func superEncoder() -> any Encoder { encoder.member(PlainKey("super")) }
    mutating func superEncoder(forKey key: Key) -> any Encoder { encoder.member(key) }
}

private struct UnkeyedSlots: UnkeyedEncodingContainer {
    let encoder: SlotEncoder
    private(set) var count = 0
    var codingPath: [any CodingKey] { encoder.codingPath }

    init(encoder: SlotEncoder) {
        self.encoder = encoder
        encoder.slot.content = .list([])
    }

    private mutating func next() -> SlotEncoder {
        defer { count += 1 }
        return SlotEncoder(
            slot: encoder.slot.appendSlot(), options: encoder.options, codingPath: codingPath + [PlainKey(count)])
    }

    mutating func encodeNil() { next().slot.content = .value(.null) }
    mutating func encode<Value: Encodable>(_ value: Value) throws { try next().put(value) }

    mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        next().container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { next().unkeyedContainer() }
    mutating func superEncoder() -> any Encoder { next() }
}

private struct SingleSlot: SingleValueEncodingContainer {
    let encoder: SlotEncoder
    var codingPath: [any CodingKey] { encoder.codingPath }

    mutating func encodeNil() { encoder.slot.content = .value(.null) }
    mutating func encode<Value: Encodable>(_ value: Value) throws { try encoder.put(value) }
}

/// The names of members: ours are AWS's, with a small first letter.
enum AWSName {
    static func of(_ name: String) -> String {
        guard let first = name.utf8.first, UInt8(ascii: "a")...UInt8(ascii: "z") ~= first else { return name }
        return name.prefix(1).uppercased() + name.dropFirst()
    }
}

/// A place within a list, or a name that no type has declared.
struct PlainKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(_ name: String) { (stringValue, intValue) = (name, nil) }
    init(_ index: Int) { (stringValue, intValue) = ("\(index)", index) }
    init(stringValue: String) { self.init(stringValue) }
    init(intValue: Int) { self.init(intValue) }
}
