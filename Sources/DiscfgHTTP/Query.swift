import DiscfgCore
import Hummingbird

/// The parameters of a request; one that the route does not know is refused by name, never ignored.
struct Query: Sendable {
    private var values: [String: String] = [:]

    /// Reads the parameters of a request, of which the route knows `names`.
    init(_ call: Call, allowing names: Set<String> = []) throws(DiscfgError) {
        guard let query = call.request.uri.query, !query.isEmpty else { return }
        for pair in query.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = try Self.decode(parts[0])
            guard names.contains(name) else {
                let known = names.isEmpty ? "none" : names.sorted().joined(separator: ", ")
                throw .invalid("There is no parameter “\(name)” here.", hint: "There are: \(known).")
            }
            let value = parts.count == 2 ? try Self.decode(parts[1]) : ""
            guard values.updateValue(value, forKey: name) == nil else {
                throw .invalid("The parameter “\(name)” is given twice.", hint: "Give it once.")
            }
        }
    }

    private static func decode(_ text: Substring) throws(DiscfgError) -> String {
        try PercentEncoding.decode(
            text.utf8.contains(UInt8(ascii: "+")) ? Substring(text.map { $0 == "+" ? " " : $0 }) : text)
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

    /// The path of a URL; with the flag `bare` that of a key without a leading `/`.
    ///
    /// - Throws: `DiscfgError` with code `invalidName` if it is too long. The limit is the same for both kinds of keys, so that the
    ///   description of the API needs one schema for paths.
    func path(_ path: String) throws(DiscfgError) -> String {
        guard try flag("bare") else { return path }
        let bare = path.utf8.first == UInt8(ascii: "/") ? path.dropFirst() : path[...]
        guard bare.utf8.count < Key.maximumLength else {
            throw DiscfgError(
                .invalidName, "The key has \(bare.utf8.count) bytes; the most in a URL is \(Key.maximumLength - 1).",
                hint: "Use etcd's API, or a local store.")
        }
        return Key.barePrefix + bare
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
