import DiscfgCore
import DiscfgDynamoDB

/// Where configs are kept, as one text says it.
enum StoreURL: Sendable, Hashable, CustomStringConvertible {
    /// One SQLite file.
    case sqlite(path: String)
    /// A table of DynamoDB.
    case dynamodb(DynamoDBAddress)
    /// A discfg server.
    case server(url: String)
    /// The memory of this process: gone when it ends.
    case memory

    /// Reads a store URL.
    ///
    /// - Throws: `DiscfgError` with code `invalidRequest`.
    init(_ text: String, environment: [String: String]) throws(DiscfgError) {
        let scheme = text.prefix { $0 != ":" }
        let rest = text.dropFirst(scheme.count + 1)
        guard scheme.count < text.count else {
            throw .invalid("“\(text)” is not a store URL.", hint: "For a file write “sqlite:\(text)”. \(Self.kinds)")
        }
        switch scheme.lowercased() {
        case "sqlite": self = .sqlite(path: try Self.path(String(rest), of: text, environment: environment))
        case "http", "https": self = .server(url: try Self.server(text, rest: rest))
        case "memory":
            guard rest.isEmpty else { throw .invalid("“\(text)” is not a store URL.", hint: "Write “memory:” alone.") }
            self = .memory
        case "dynamodb": self = .dynamodb(try DynamoDBAddress(rest, of: text))
        default:
            // “localhost:8899” has no scheme, but a host and a port.
            let isAddress = UInt16(rest.prefix { $0 != "/" }) != nil
            throw .invalid(
                "There is no kind of store “\(scheme):”.",
                hint: (isAddress ? "For a server write “http://\(text)”. " : "") + Self.kinds)
        }
    }

    var description: String {
        switch self {
        case .sqlite(let path): "sqlite:\(path)"
        case .dynamodb(let address): address.url
        case .server(let url): url
        case .memory: "memory:"
        }
    }

    private static let kinds = "There are sqlite:PATH, dynamodb:TABLE, http://HOST:PORT and memory:."

    /// The file that is used where none is named, in the user's data folder.
    static func defaultPath(environment: [String: String]) throws(DiscfgError) -> String {
        if let folder = environment["XDG_DATA_HOME"], folder.hasPrefix("/") { return folder + "/discfg/discfg.db" }
        guard let home = environment["HOME"], !home.isEmpty else {
            throw .invalid("There is no HOME, and so no data folder.", hint: "Name a file: --store sqlite:PATH.")
        }
        #if os(macOS)
        return home + "/Library/Application Support/discfg/discfg.db"
        #else
        return home + "/.local/share/discfg/discfg.db"
        #endif
    }

    private static func path(_ path: String, of url: String, environment: [String: String]) throws(DiscfgError)
        -> String
    {
        if path.isEmpty { return try defaultPath(environment: environment) }
        if path.hasPrefix("~/"), let home = environment["HOME"] { return home + path.dropFirst() }
        if path.hasPrefix("///") { return String(path.dropFirst(2)) }
        guard !path.hasPrefix("//") else {
            throw .invalid("“\(url)” is not a store URL.", hint: "Write “sqlite:PATH”, without “//”.")
        }
        guard !path.hasSuffix("/") else {
            throw .invalid("“\(url)” names a directory.", hint: "Name a file, such as “sqlite:\(path)discfg.db”.")
        }
        return path
    }

    private static func server(_ url: String, rest: Substring) throws(DiscfgError) -> String {
        let authority = rest.dropFirst(2).prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        let tail = rest.dropFirst(2 + authority.count)
        // A gateway's stage may be in the path.
        let isPath = !tail.contains { "?#".contains($0) } && !tail.hasPrefix("//")
        guard rest.hasPrefix("//"), !authority.isEmpty, authority.first != ":", isPath else {
            throw .invalid("“\(url)” is not the address of a server.", hint: "Write it as http://127.0.0.1:8899.")
        }
        guard !authority.contains("@") else {
            throw .invalid(
                "The address of a server has no room for a name or a password.", hint: "Write it as http://HOST:PORT.")
        }
        return tail.last == "/" ? String(url.dropLast()) : url
    }
}
