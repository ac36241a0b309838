/// The value of a key: bytes with a content type.
public struct Value: Sendable, Hashable {
    /// The maximum number of bytes of a value: 1.5 MiB, as in etcd.
    public static let maximumLength = 1_572_864

    /// The bytes.
    public var bytes: [UInt8]
    /// The media type, such as `text/plain` or `application/json`.
    public var contentType: String

    /// Any bytes; their length and the content type are checked when they are set.
    public init(bytes: [UInt8], contentType: String) {
        self.bytes = bytes
        self.contentType = contentType
    }

    /// Text, as `text/plain`.
    public init(_ text: String) { self.init(bytes: Array(text.utf8), contentType: Self.text) }

    /// A JSON value, as `application/json`.
    public init(_ json: JSONValue) { self.init(bytes: json.bytes, contentType: Self.json) }

    /// The content type of text in UTF-8.
    public static let text = "text/plain"
    /// The content type of JSON.
    public static let json = "application/json"
    /// The content type of any other bytes.
    public static let octets = "application/octet-stream"
    /// The content type of items that represent directories.
    public static let directory = "inode/directory"

    /// Whether the content type is JSON: `application/json` or any type that ends in `+json`.
    public var isJSON: Bool {
        let type = contentType.prefix { $0 != ";" && $0 != " " }.lowercased()
        return type == Self.json || type.hasSuffix("+json")
    }

    /// The bytes as text, or `nil` if they are not UTF-8.
    public var text: String? { String(validating: bytes, as: UTF8.self) }

    /// Checks the rules that every API must check before it stores a value.
    ///
    /// - Throws: `DiscfgError` with code `tooLarge` over 1.5 MiB; with `invalidRequest` if the content type is JSON and
    ///   the bytes are not, or if it is not a media type.
    public func validate() throws(DiscfgError) {
        guard bytes.count <= Self.maximumLength else {
            throw DiscfgError(
                .tooLarge, "The value has \(bytes.count) bytes; the most is \(Self.maximumLength) (1.5 MiB).",
                hint: "Store large content elsewhere, and its address here.")
        }
        guard (3...256).contains(contentType.utf8.count), contentType.contains("/"),
            contentType.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F })
        else { throw .invalid("“\(contentType)” is not a content type.", hint: "Write one like text/plain.") }
        if isJSON { _ = try parsedJSON() }
    }

    /// The value as JSON.
    ///
    /// - Throws: `DiscfgError` with code `notJSON` if the content type is not JSON, `invalidRequest` if the bytes are
    ///   not.
    public func parsedJSON() throws(DiscfgError) -> JSONValue {
        guard isJSON else {
            throw DiscfgError(
                .notJSON, "The value is \(contentType), not JSON.", hint: "Set it again with the type application/json."
            )
        }
        do {
            return try JSONValue(parsing: bytes)
        } catch {
            throw .invalid("The value is not valid JSON: \(error).", hint: "Fix it, or give it the type text/plain.")
        }
    }
}
