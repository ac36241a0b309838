import AWSClient

/// What one element of a value's array in a pattern asks for.
enum ValueTest: Sendable, Hashable {
    case equals(AttributeValue)
    case prefix(String, ignoringCase: Bool)
    case suffix(String, ignoringCase: Bool)
    case equalsIgnoringCase(String)
    case numeric(NumericRange)
    indirect case anythingBut([ValueTest])
    case exists
    case absent

    /// Whether a value that is there passes.
    func accepts(_ value: AttributeValue) -> Bool {
        switch self {
        case .equals(.number(let number)): value.double.map { $0 == Double(number) } ?? false
        case .equals(.string(let text)): value.string.map { $0.utf8.elementsEqual(text.utf8) } ?? false
        case .equals(let other): value == other
        case .prefix(let text, let ignoringCase):
            Self.bytes(of: value, ignoringCase).map { $0.starts(with: Self.bytes(of: text, ignoringCase)) } ?? false
        case .suffix(let text, let ignoringCase):
            Self.bytes(of: value, ignoringCase).map {
                $0.reversed().starts(with: Self.bytes(of: text, ignoringCase).reversed())
            } ?? false
        case .equalsIgnoringCase(let text):
            Self.bytes(of: value, true).map { $0 == Self.bytes(of: text, true) } ?? false
        case .numeric(let range): value.double.map(range.contains) ?? false
        case .anythingBut(let tests): !tests.contains { $0.accepts(value) }
        case .exists: true
        case .absent: false
        }
    }

    private static func bytes(of value: AttributeValue, _ ignoringCase: Bool) -> [UInt8]? {
        value.string.map { bytes(of: $0, ignoringCase) }
    }

    private static func bytes(of text: String, _ ignoringCase: Bool) -> [UInt8] {
        Array((ignoringCase ? text.lowercased() : text).utf8)
    }
}

/// A range of JSON numbers.
struct NumericRange: Sendable, Hashable {
    var lower = -Double.infinity
    var includesLower = true
    var upper = Double.infinity
    var includesUpper = true

    func contains(_ number: Double) -> Bool {
        (includesLower ? number >= lower : number > lower) && (includesUpper ? number <= upper : number < upper)
    }
}
