extension AttributeValue {
    /// Whether both are the same to the byte, as DynamoDB compares.
    ///
    /// Swift's strings are equal however a character is composed. Numbers are compared as they are written, and sets
    /// with their order.
    public static func == (left: AttributeValue, right: AttributeValue) -> Bool {
        switch (left, right) {
        case (.string(let left), .string(let right)), (.number(let left), .number(let right)):
            left.utf8.elementsEqual(right.utf8)
        case (.binary(let left), .binary(let right)): left == right
        case (.bool(let left), .bool(let right)): left == right
        case (.null, .null): true
        case (.list(let left), .list(let right)): left == right
        case (.map(let left), .map(let right)):
            left.count == right.count
                && left.allSatisfy { name, value in
                    right.index(forKey: name).map {
                        right[$0].key.utf8.elementsEqual(name.utf8) && right[$0].value == value
                    } ?? false
                }
        case (.stringSet(let left), .stringSet(let right)), (.numberSet(let left), .numberSet(let right)):
            left.elementsEqual(right) { $0.utf8.elementsEqual($1.utf8) }
        case (.binarySet(let left), .binarySet(let right)): left == right
        default: false
        }
    }
}
