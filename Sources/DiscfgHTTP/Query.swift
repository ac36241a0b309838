import DiscfgCore
import Hummingbird

/// The parameters of a request; one that the route does not know is refused by name, never ignored.
struct Query: Sendable {
    private var values: [String: String] = [:]

    /// Reads the parameters of a request, of which the route knows `names`.
    init(_ call: Call, allowing names: Set<String> = []) throws(DiscfgError) {
        try self.init(call) { name throws(DiscfgError) in
            guard !names.contains(name) else { return true }
            let known = names.isEmpty ? "none" : names.sorted().joined(separator: ", ")
            throw .invalid("There is no parameter “\(name)” here.", hint: "There are: \(known).")
        }
    }

    /// Reads those parameters of a request that are wanted.
    private init(_ call: Call, _ isWanted: (String) throws(DiscfgError) -> Bool) throws(DiscfgError) {
        guard let query = call.request.uri.query, !query.isEmpty else { return }
        for pair in query.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = try Self.decode(parts[0])
            guard try isWanted(name) else { continue }
            let value = parts.count == 2 ? try Self.decode(parts[1]) : ""
            guard values.updateValue(value, forKey: name) == nil else {
                throw .invalid("The parameter “\(name)” is given twice.", hint: "Give it once.")
            }
        }
    }

    private static func decode(_ text: Substring) throws(DiscfgError) -> String {
        do throws(DiscfgError) {
            return try PercentEncoding.decode(
                text.utf8.contains(UInt8(ascii: "+")) ? Substring(text.map { $0 == "+" ? " " : $0 }) : text)
        } catch {
            guard text.utf8.starts(with: KeyName.encoded.utf8) else { throw error }
            throw DiscfgError(
                error.code, error.message,
                hint: "Write each “%” of the name as “%25” in a parameter, such as bytes://%25FF for bytes://%FF.")
        }
    }

    /// The parameter as text.
    subscript(name: String) -> String? { values[name] }

    /// The parameter as a flag: there without a value, or with true or 1.
    func flag(_ name: String) throws(DiscfgError) -> Bool {
        switch values[name] {
        case nil, "false"?, "0"?: return false
        case ""?, "true"?, "1"?: return true
        case let value?: throw .invalid("The parameter “\(name)” is “\(value)”.", hint: "Write true or false.")
        }
    }

    /// The name of the key or directory that a request is about: the path behind its route, after `bare:` with the flag `bare`,
    /// or the parameter of that name in place of a path.
    ///
    /// It does not look at the other parameters: which of them there may be can depend on the name.
    /// - Throws: `DiscfgError` with code `invalidRequest` if the key is named twice, with `invalidName` if it is too long. The limit
    ///   is the same with and without `bare`, so that the description of the API needs one schema for paths.
    static func name(of call: Call, or parameter: String = "key") throws -> String {
        let query = try Query(call) { name in [parameter, "bare"].contains(name) }
        let path = try call.path(after: 3)
        let isBare = try query.flag("bare")
        if let name = query[parameter] {
            guard path.utf8.count <= 1, !isBare else {
                throw DiscfgError.invalid(
                    "The request has a path or “bare”, and the parameter “\(parameter)”.", hint: "Name the key once.")
            }
            guard !name.isEmpty || parameter != "key" else {
                throw DiscfgError(.invalidName, "The key is empty.", hint: "Give “key” a name, or “/” for all keys.")
            }
            return name
        }
        guard isBare else { return path }
        let bare = path.utf8.first == UInt8(ascii: "/") ? String(path.utf8.dropFirst()) ?? path : path
        guard bare.utf8.count < Key.maximumLength else {
            throw DiscfgError(
                .invalidName, "The key has \(bare.utf8.count) bytes; the most in a URL is \(Key.maximumLength - 1).",
                hint: "Name it with the parameter “\(parameter)”.")
        }
        return KeyName.bare + bare
    }

    /// The parameter as a whole number that is not negative.
    func integer(_ name: String) throws(DiscfgError) -> Int64? {
        guard let value = values[name] else { return nil }
        guard let number = Int64(value), number >= 0, value.first != "+" else {
            throw .invalid("The parameter “\(name)” is “\(value)”.", hint: "Write a whole number from 0.")
        }
        return number
    }

    /// The parameter as a whole number in a range.
    func integer(_ name: String, in range: ClosedRange<Int64>) throws(DiscfgError) -> Int? {
        guard let number = try integer(name) else { return nil }
        guard range.contains(number) else {
            throw .invalid(
                "The parameter “\(name)” is \(number).",
                hint: "Write a number from \(range.lowerBound) to \(range.upperBound).")
        }
        return Int(number)
    }

    /// The parameter as a duration.
    func duration(_ name: String) throws(DiscfgError) -> Duration? {
        guard let value = values[name] else { return nil }
        return try DurationText.parse(value)
    }
}
