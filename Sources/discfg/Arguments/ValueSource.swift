import DiscfgCore

/// Where a value comes from: an argument, standard input (`-`), or a file (`@PATH`).
enum ValueSource: Hashable {
    case literal(String)
    case input
    case file(String)

    /// Reads an argument; `@@` stands for an `@` that is meant as such.
    init(_ argument: String) {
        if argument == "-" {
            self = .input
        } else if argument.hasPrefix("@@") {
            self = .literal(String(argument.dropFirst()))
        } else if argument.hasPrefix("@") {
            self = .file(String(argument.dropFirst()))
        } else {
            self = .literal(argument)
        }
    }

    /// The bytes of the value.
    func bytes() throws(DiscfgError) -> [UInt8] {
        switch self {
        case .literal(let text): Array(text.utf8)
        case .input: try LocalFile.read("-", limit: Value.maximumLength)
        case .file(let path): try LocalFile.read(path, limit: Value.maximumLength)
        }
    }

    /// The value, with the content type that was asked for, or that its origin suggests.
    func value(type: ValueType?) throws(DiscfgError) -> Value {
        let bytes = try bytes()
        if let type { return try type.value(of: bytes) }
        let guess = if case .file(let path) = self { ValueType.contentType(fileName: path) } else { String?.none }
        let isText = !bytes.contains(0) && String(validating: bytes, as: UTF8.self) != nil
        let value = Value(bytes: bytes, contentType: guess ?? (isText ? Value.text : Value.octets))
        try value.validate()
        return value
    }
}
