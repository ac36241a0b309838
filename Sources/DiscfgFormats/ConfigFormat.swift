public import DiscfgCore

/// A file format that configuration is imported from and exported to.
///
/// The raw value is the name that the command line and `?as=` take.
public enum ConfigFormat: String, CaseIterable, Sendable {
    case json, yaml, toml
    /// A dotenv file: `NAME=value` lines.
    case env
    /// A Java properties file.
    case properties

    /// The format of that name: a raw value, `yml` or `dotenv`, in any case; `nil` for another.
    public init?(name: some StringProtocol) {
        switch name.lowercased() {
        case "yml": self = .yaml
        case "dotenv": self = .env
        case let name:
            guard let format = ConfigFormat(rawValue: name) else { return nil }
            self = format
        }
    }

    /// The format that a file's name tells, or `nil` if it tells none.
    ///
    /// `.json`, `.yml`, `.yaml`, `.toml`, `.properties` and `.env` at the end decide, in any case; `.env.production` and
    /// the like are dotenv. A path may stand before the name.
    public init?(fileName: some StringProtocol) {
        let name = String(fileName).split(separator: "/").last?.lowercased() ?? ""
        if let dot = name.lastIndex(of: "."), let format = ConfigFormat(name: name[dot...].dropFirst()) {
            self = format
        } else if name.hasPrefix(".env.") {
            self = .env
        } else {
            return nil
        }
    }

    /// The media type of such a file in an HTTP answer.
    public var mediaType: String {
        switch self {
        case .json: "application/json"
        case .yaml: "application/yaml"
        case .toml: "application/toml"
        case .env: "text/plain; charset=utf-8"
        case .properties: "text/x-java-properties; charset=utf-8"
        }
    }

    /// Reads a file as leaves, each with the path and the typed value of what becomes one key.
    ///
    /// Objects become paths, scalars and arrays become leaves that keep their type; see ``Leaf``. An array is split into
    /// one leaf for each element when `splitArrays` says so, and also when it holds something that JSON has no type for,
    /// such as a TOML date. `document` picks one document of a YAML stream, counted from 1; `yaml` reads it.
    ///
    /// A large file is read outside Swift's cooperative threads, few at a time; reading stops if the calling task is cancelled.
    ///
    /// - Throws: `DiscfgError` with code `invalidRequest`, with the line where the format has lines, and without any
    ///   value: for syntax errors, input that is not UTF-8 (except in properties), more than 512 levels of nesting, a root
    ///   that is not an object (or, with `splitArrays`, an array), and a YAML stream of several documents; `tooLarge` for
    ///   more than 1,000,000 values or ``maximumLeaves`` leaves; `unsupported` for YAML that nothing reads; `overloaded`
    ///   when too many files wait to be read; `CancellationError`.
    public func leaves(
        of bytes: some Collection<UInt8>, document: Int? = nil, splitArrays: Bool = false, yaml: YAMLReader?
    ) async throws -> [Leaf] {
        let bytes = Array(bytes)
        return try await LongWork.run(onBytes: bytes.count) { cancellation throws(DiscfgError) in
            try Leaf.leaves(
                of: tree(of: bytes, document: document, yaml: yaml, meter: ReadingMeter(cancellation)),
                splitArrays: splitArrays, cancellation: cancellation)
        }
    }

    /// The most leaves that one file may make.
    public static let maximumLeaves = 250_000

    /// Writes the items below a directory as a file.
    ///
    /// `items` may hold keys outside the prefix; they are left out. `ConfigStore.export` says which. What was imported and exported again in the same format
    /// parses to the same data. JSON, YAML and TOML rebuild the tree; see ``Leaf`` for what becomes an array. Dotenv and
    /// properties, which are flat, join the names of nested paths with `_` (upper-case) or `.`, and write arrays as JSON.
    ///
    /// - Throws: `DiscfgError` with code `invalidRequest` that names the keys: where one is a value and a directory at once,
    ///   where two get one name in a flat format, for null in TOML, and for keys that are not paths;
    ///   `overloaded` when too many files wait to be written; `CancellationError`.
    public func bytes(of items: [Key: Value], under prefix: String = "/") async throws -> [UInt8] {
        let directory = try DirectoryPath(prefix)
        return try await LongWork.run(onBytes: items.byteCount) { _ throws(DiscfgError) in
            try bytes(of: items, under: directory)
        }
    }

    private func bytes(of items: [Key: Value], under directory: DirectoryPath) throws(DiscfgError) -> [UInt8] {
        switch self {
        case .json: JSONFormat.bytes(of: try ConfigTree(items, under: directory))
        case .yaml: YAMLWriter.bytes(of: try ConfigTree(items, under: directory))
        case .toml: try TOMLWriter.bytes(of: try ConfigTree(items, under: directory, arrayAtRoot: false))
        case .env: try DotenvFormat.bytes(of: items, under: directory)
        case .properties: try PropertiesFormat.bytes(of: items, under: directory)
        }
    }

    /// A JSON value as YAML, with the members of objects in their order.
    public static func yaml(of json: JSONValue) -> [UInt8] { YAMLWriter.bytes(of: ConfigTree(json)) }

    func tree(
        of bytes: [UInt8], document: Int? = nil, yaml: YAMLReader?, meter: ReadingMeter = ReadingMeter()
    ) throws(DiscfgError) -> ConfigTree {
        if let document, self != .yaml, document != 1 {
            throw .invalid(
                "There is no document \(document): only a YAML file can hold several.",
                hint: "Leave out “--document \(document)”."
            ).overHTTP("Leave out ?document=\(document).")
        }
        switch self {
        case .json: return try JSONFormat.tree(of: bytes, meter)
        case .yaml:
            guard let yaml else { throw YAMLReader.missing }
            return try yaml.read(bytes, document, meter).get()
        case .toml: return try TOMLFormat.tree(of: bytes, meter)
        case .env: return try DotenvFormat.tree(of: bytes, meter)
        case .properties: return try PropertiesFormat.tree(of: bytes, meter)
        }
    }
}
