public import AWSClient

/// The names of the attributes that are the key of a table.
public struct KeyAttributes: Sendable, Hashable {
    /// The name of the partition key.
    public var partition: String
    /// `nil` for a table whose key is one attribute.
    public var sort: String?
    /// Of what type the attributes are in a table that is created.
    public var partitionType: ScalarAttributeType
    /// The type of the sort key, if there is one, in a table that is created.
    public var sortType: ScalarAttributeType

    /// The names of the attributes, and their types for a table that is yet to be created.
    ///
    /// - Parameters:
    ///   - partition: The name of the partition key.
    ///   - partitionType: Its type; of interest to `create`, `check` and `createTable(for:)` only.
    ///   - sort: The name of the sort key; `nil` for a table whose key is one attribute.
    ///   - sortType: Its type.
    public init(
        partition: String, _ partitionType: ScalarAttributeType = .string, sort: String? = nil,
        _ sortType: ScalarAttributeType = .string
    ) {
        self.partition = partition
        self.sort = sort
        self.partitionType = partitionType
        self.sortType = sortType
    }
}

/// The key of one item of a table whose attributes can have any name and any type that keys can have.
///
///     let key: PrimaryKey = "order-7"
///     let other = PrimaryKey(customer, "order-7")
///     let reading = PrimaryKey("sensor-1", 1_790_000_000)
public struct PrimaryKey: Sendable, Hashable, ExpressibleByStringLiteral {
    /// The value of the partition key; a number is in its shortest form.
    public let partition: AttributeValue
    /// `nil` for a table whose key is one attribute.
    public let sort: AttributeValue?

    /// A key of strings, numbers or bytes; numbers are the same however they are written: `1.0` is `1`.
    public init(_ partition: AttributeValue, _ sort: AttributeValue? = nil) {
        self.partition = partition.asKeyPart
        self.sort = sort?.asKeyPart
    }

    /// A key of strings.
    public init(_ partition: String, _ sort: String? = nil) {
        self.init(.string(partition), sort.map(AttributeValue.string))
    }

    /// A key of a string and a whole number.
    public init(_ partition: String, _ sort: some BinaryInteger) {
        self.init(.string(partition), .integer(sort))
    }

    /// A partition key of a string, for a table without a sort key.
    public init(stringLiteral value: String) { self.init(value) }
}

extension PrimaryKey {
    /// The key of an item; `nil` if it lacks a part.
    init?(of item: StoredItem, by names: KeyAttributes) {
        guard let partition = item[names.partition] else { return nil }
        guard let sort = names.sort else {
            self.init(partition)
            return
        }
        guard let value = item[sort] else { return nil }
        self.init(partition, value)
    }

    /// The key as DynamoDB takes it.
    func attributes(by names: KeyAttributes) throws(PatternError) -> StoredItem {
        switch (names.sort, sort) {
        case (nil, nil): return [names.partition: partition]
        case (let name?, let sort?): return [names.partition: partition, name: sort]
        default:
            throw PatternError(
                .invalidArgument,
                "The key has \(sort == nil ? "no" : "a") sort key, and the table has \(names.sort == nil ? "none" : "one")."
            )
        }
    }

    /// The key in one text, which no other key of the same table has: its parts, a `|` between them.
    var text: String { partition.keyText + (sort.map { "|" + $0.keyText } ?? "") }
}

extension AttributeValue {
    /// As part of a key: numbers in the one way in which DynamoDB, too, gives them back.
    fileprivate var asKeyPart: AttributeValue {
        if case .number(let text) = self { .number(CanonicalNumber.text(of: text)) } else { self }
    }

    /// A key's part in a text without `|`.
    fileprivate var keyText: String {
        switch self {
        case .number(let text): text
        case .binary(let bytes):
            bytes.map { $0 < 16 ? "0" + String($0, radix: 16) : String($0, radix: 16) }.joined()
        default:
            // By scalars: as characters, a `|` and an accent after it are one, and no `|`.
            (string ?? "").unicodeScalars.reduce(into: "") { text, scalar in
                switch scalar {
                case "%": text += "%25"
                case "|": text += "%7C"
                default: text.unicodeScalars.append(scalar)
                }
            }
        }
    }
}

/// One way to write each decimal number.
enum CanonicalNumber {
    /// The shortest text of a number, without needless zeros; what is no number stays as it is.
    static func text(of number: String) -> String {
        let parts = number.lowercased().split(separator: "e", maxSplits: 1, omittingEmptySubsequences: false)
        let mantissa = parts[0].drop { $0 == "-" || $0 == "+" }
        let halves = mantissa.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let exponent = parts.count == 2 ? Int(parts[1]) : 0, (-999...999).contains(exponent),
            mantissa.contains(where: { $0 != "." }),
            halves.allSatisfy({ $0.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains) })
        else { return number }
        let fraction = halves.count == 2 ? halves[1] : ""
        var digits = (halves[0] + fraction).drop { $0 == "0" }
        var power = exponent - fraction.count
        while digits.last == "0" {
            digits.removeLast()
            power += 1
        }
        guard !digits.isEmpty else { return "0" }
        let sign = number.hasPrefix("-") ? "-" : ""
        if (0...38).contains(power) { return sign + digits + String(repeating: "0", count: power) }
        if (-40..<0).contains(power) {
            let padded = String(repeating: "0", count: max(0, 1 - power - digits.count)) + digits
            return "\(sign)\(padded.dropLast(-power)).\(padded.suffix(-power))"
        }
        return "\(sign)\(digits)e\(power)"
    }
}
