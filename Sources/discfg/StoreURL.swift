import DiscfgCore

/// Where configs are kept, as one text says it.
struct StoreURL: Sendable, CustomStringConvertible {
    /// The text of a store URL.
    struct Text: Sendable {
        let whole: String
        /// The part after the scheme and its colon.
        let rest: Substring
        let environment: [String: String]
    }

    /// The place that the URL names.
    let location: any StoreLocation

    var description: String { location.description }

    /// Reads a store URL.
    ///
    /// - Throws: `DiscfgError` with code `invalidRequest`.
    init(_ text: String, environment: [String: String]) throws(DiscfgError) {
        let scheme = text.prefix { $0 != ":" }
        let rest = text.dropFirst(scheme.count + 1)
        guard scheme.count < text.count else {
            throw .invalid(
                "“\(text)” is not a store URL.", hint: "For a file write “sqlite:\(text)”. \(StoreKind.forms)")
        }
        guard let kind = StoreKind.all.first(where: { $0.schemes.contains(scheme.lowercased()) }) else {
            // “localhost:8899” has no scheme, but a host and a port.
            let isAddress = UInt16(rest.prefix { $0 != "/" }) != nil
            throw .invalid(
                "There is no kind of store “\(scheme):”.",
                hint: (isAddress ? "For a server write “http://\(text)”. " : "") + StoreKind.forms)
        }
        location = try kind.read(Text(whole: text, rest: rest, environment: environment))
    }
}

extension MemoryLocation {
    init(_ text: StoreURL.Text) throws(DiscfgError) {
        guard text.rest.isEmpty else {
            throw .invalid("“\(text.whole)” is not a store URL.", hint: "Write “memory:” alone.")
        }
    }
}

extension SQLiteLocation {
    init(_ text: StoreURL.Text) throws(DiscfgError) {
        path = try Self.path(String(text.rest), of: text.whole, environment: text.environment)
    }

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
}

extension ServerLocation {
    init(_ text: StoreURL.Text) throws(DiscfgError) {
        let (url, rest) = (text.whole, text.rest)
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
        self.url = tail.last == "/" ? String(url.dropLast()) : url
    }
}
