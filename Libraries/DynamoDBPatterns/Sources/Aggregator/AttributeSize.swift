import AWSClient

extension AttributeValue {
    /// How much of an item it takes, in bytes: never less than DynamoDB counts.
    var size: Int {
        switch self {
        case .string(let value): value.utf8.count
        case .number: 21
        case .binary(let value): value.count
        case .bool, .null: 1
        case .list(let elements): elements.reduce(3) { $0 + $1.size + 1 }
        case .map(let members): members.reduce(3) { $0 + $1.key.utf8.count + $1.value.size + 1 }
        case .stringSet(let values): values.reduce(0) { $0 + $1.utf8.count }
        case .numberSet(let values): values.count * 21
        case .binarySet(let values): values.reduce(0) { $0 + $1.count }
        }
    }
}
