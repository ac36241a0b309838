import AWSClient

/// An item as it is stored.
typealias Item = [String: AttributeValue]

extension AttributeValue {
    /// The type as expressions name it.
    var typeName: String {
        switch self {
        case .string: "S"
        case .number: "N"
        case .binary: "B"
        case .bool: "BOOL"
        case .null: "NULL"
        case .list: "L"
        case .map: "M"
        case .stringSet: "SS"
        case .numberSet: "NS"
        case .binarySet: "BS"
        }
    }

    /// How many bytes it takes by DynamoDB's rules.
    var size: Int {
        switch self {
        case .string(let text): text.utf8.count
        case .number(let digits): (digits.utf8.count + 1) / 2 + 1
        case .binary(let bytes): bytes.count
        case .bool, .null: 1
        case .list(let elements): elements.reduce(3) { $0 + $1.size + 1 }
        case .map(let members): members.reduce(3) { $0 + $1.key.utf8.count + $1.value.size + 1 }
        case .stringSet(let elements): elements.reduce(0) { $0 + $1.utf8.count }
        case .numberSet(let elements): elements.reduce(0) { $0 + ($1.utf8.count + 1) / 2 + 1 }
        case .binarySet(let elements): elements.reduce(0) { $0 + $1.count }
        }
    }

    /// A text whose order is that of the values; `nil` for all but strings, numbers and bytes.
    ///
    /// DynamoDB orders strings by their bytes, and so does this, whatever Unicode says about equal characters.
    var sortableText: String? {
        switch self {
        case .string(let text):
            text.utf8.count == text.utf16.count ? text : Self.text(text.utf8)
        case .number(let digits): Numbers.sortable(digits)
        case .binary(let bytes): Self.text(bytes)
        default: nil
        }
    }

    /// One character for each byte: their order is that of the bytes, and none of them combines with others.
    private static func text(_ bytes: some Sequence<UInt8>) -> String {
        var text = String.UnicodeScalarView()
        for byte in bytes { text.append(Unicode.Scalar(byte)) }
        return String(text)
    }

    /// The value in the one way to write it: numbers without needless digits, sets in order.
    ///
    /// - Throws: `AWSError` for what DynamoDB refuses: empty sets, elements that are there twice, nesting of more than
    ///   32 levels.
    func canonical(depth: Int = 0) throws(AWSError) -> AttributeValue {
        switch self {
        case .string, .binary, .bool, .null: return self
        case .number(let text): return .number(try Numbers.canonical(text))
        case .list(let elements):
            try Self.checkDepth(depth)
            return .list(
                try elements.map { element throws(AWSError) in try element.canonical(depth: depth + 1) })
        case .map(let members):
            try Self.checkDepth(depth)
            return .map(try members.canonical(depth: depth + 1))
        case .stringSet(let elements): return .stringSet(try Self.set(elements) { $0 })
        case .numberSet(let elements):
            let elements = try elements.map { text throws(AWSError) in try Numbers.canonical(text) }
            return .numberSet(try Self.set(elements) { Numbers.sortable($0) })
        case .binarySet(let elements): return .binarySet(try Self.set(elements) { Self.text($0) })
        }
    }

    private static func checkDepth(_ depth: Int) throws(AWSError) {
        if depth >= 32 { throw .validation("Nesting Levels have exceeded supported limits") }
    }

    private static func set<Element: Hashable>(
        _ elements: [Element], order: (Element) -> String
    ) throws(AWSError) -> [Element] {
        guard !elements.isEmpty else {
            throw .validation("One or more parameter values were invalid: An set may not be empty")
        }
        guard Set(elements).count == elements.count else {
            throw .validation("One or more parameter values were invalid: Input collection contains duplicates.")
        }
        return elements.map { (order($0), $0) }.sorted { $0.0 < $1.0 }.map(\.1)
    }
}

extension Item {
    /// The most bytes that an item can have, names included.
    static var maximumSize: Int { 400 * 1024 }

    /// How many bytes it takes, names included.
    var size: Int { reduce(0) { $0 + $1.key.utf8.count + $1.value.size } }

    func canonical(depth: Int = 0) throws(AWSError) -> Item {
        var item = self
        for (name, value) in self {
            switch value {
            case .string, .binary, .bool, .null: continue
            default: item[name] = try value.canonical(depth: depth)
            }
        }
        return item
    }
}
