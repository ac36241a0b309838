import DiscfgCore

/// What kind of value is set: a short name or a media type.
enum ValueType: Hashable {
    case text, json, number, bool, null, binary
    case media(String)

    /// The short names.
    static let names = ["text", "json", "number", "bool", "null", "binary"]

    static let help = "text, json, number, bool, null, binary, or a media type such as application/yaml."

    /// Reads a type as it is written.
    ///
    /// - Throws: `DiscfgError` with code `invalidRequest`.
    init(parsing text: String) throws(DiscfgError) {
        switch text.lowercased() {
        case "text", "string": self = .text
        case "json": self = .json
        case "number": self = .number
        case "bool", "boolean": self = .bool
        case "null": self = .null
        case "binary": self = .binary
        case let other where other.contains("/"): self = .media(text)
        default: throw .invalid("There is no such type.", hint: "There are \(Self.help)")
        }
    }

    /// The value, checked against the type.
    ///
    /// - Throws: `DiscfgError` with code `invalidRequest` that does not show the value.
    func value(of bytes: [UInt8]) throws(DiscfgError) -> Value {
        guard let name = jsonKind else {
            let value = Value(bytes: bytes, contentType: contentType)
            try value.validate()
            return value
        }
        let json = try? JSONValue(parsing: bytes)
        let fits =
            switch json {
            case .number?: self == .number
            case .bool?: self == .bool
            case .null?: self == .null
            default: false
            }
        guard let json, fits else {
            throw .invalid("The value is not \(name).", hint: "Write \(name), or give it another --type.")
        }
        // Without the newline that a file or “echo” puts behind it.
        return Value(json)
    }

    private var contentType: String {
        switch self {
        case .text: Value.text
        case .json, .number, .bool, .null: Value.json
        case .binary: Value.octets
        case .media(let type): type
        }
    }

    private var jsonKind: String? {
        switch self {
        case .number: "a number"
        case .bool: "“true” or “false”"
        case .null: "“null”"
        default: nil
        }
    }

    /// The content type that the end of a file's name tells, or `nil` if it tells none.
    static func contentType(fileName: String) -> String? {
        let name = fileName.split(separator: "/").last.map(String.init) ?? ""
        guard let dot = name.lastIndex(of: ".") else { return nil }
        return switch name[dot...].dropFirst().lowercased() {
        case "json": Value.json
        case "yaml", "yml": "application/yaml"
        case "toml": "application/toml"
        case "xml": "application/xml"
        case "html": "text/html"
        case "csv": "text/csv"
        case "properties": "text/x-java-properties"
        default: nil
        }
    }

    /// The end of a file's name that tells an editor what is inside.
    static func fileExtension(of value: Value) -> String {
        switch value.contentType.prefix(while: { $0 != ";" }).lowercased() {
        case _ where value.isJSON: ".json"
        case "application/yaml": ".yaml"
        case "application/toml": ".toml"
        case "application/xml": ".xml"
        case "text/html": ".html"
        case "text/csv": ".csv"
        case "text/x-java-properties": ".properties"
        default: ".txt"
        }
    }
}
