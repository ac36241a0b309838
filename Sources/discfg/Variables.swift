import DiscfgCore

/// The environment variables that keys come to.
struct Variables {
    /// Names with their values, in the order in which they came up.
    private(set) var values: [(name: String, value: [UInt8])] = []
    private(set) var warnings: [String] = []
    private var positions: [String: Int] = [:]

    /// Adds the keys below a prefix; they go before those that were added earlier.
    ///
    /// - Throws: With `isStrict`, `DiscfgError` with code `invalidRequest` if otherwise there is a warning.
    mutating func add(_ items: [Key: Value], below prefix: String, isStrict: Bool) throws(DiscfgError) {
        var owners: [String: Key] = [:]
        for (key, value) in items.sorted(by: { $0.key < $1.key }) {
            guard let name = Self.name(of: key, below: prefix) else {
                try warn("The key “\(key)” makes no name for a variable", "it is left out", isStrict: isStrict)
                continue
            }
            guard let bytes = value.variableBytes else {
                try warn("The value of “\(key)” has a zero byte", "it is left out", isStrict: isStrict)
                continue
            }
            if let owner = owners.updateValue(key, forKey: name) {
                try warn("The keys “\(owner)” and “\(key)” both make \(name)", "“\(key)” counts", isStrict: isStrict)
            }
            if let position = positions[name] {
                values[position].value = bytes
            } else {
                positions[name] = values.count
                values.append((name, bytes))
            }
        }
    }

    private mutating func warn(_ problem: String, _ outcome: String, isStrict: Bool) throws(DiscfgError) {
        if isStrict { throw .invalid(problem + ".", hint: "Rename the key, or leave out --strict.") }
        warnings.append("\(problem.printable); \(outcome.printable).")
    }

    /// The name of a key below a prefix, or `nil` if that is empty or begins with a digit.
    ///
    /// `/db/pool-size` below `/db` is `POOL_SIZE`; the key of the prefix itself has its last name.
    static func name(of key: Key, below prefix: String) -> String? {
        let lower = (try? KeySelection.below(prefix))?.ranges.first?.lower ?? []
        let slash = UInt8(ascii: "/")
        let rest =
            lower.isEmpty
            ? key.bytes.drop { $0 == slash }
            : key.bytes.elementsEqual(lower.dropLast())
                ? key.bytes.split(separator: slash).last ?? [] : key.bytes.dropFirst(lower.count)
        let name = String(
            String(decoding: rest, as: UTF8.self).map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" }
        ).uppercased()
        return name.isEmpty || name.first?.isNumber == true ? nil : name
    }

    /// A line for a shell.
    static func line(_ name: String, _ value: [UInt8], export: Bool) -> [UInt8] {
        Array("\(export ? "export " : "")\(name)=".utf8) + quoted(value) + [0x0A]
    }

    /// The value as a shell reads it back, in single quotes where it needs them.
    static func quoted(_ value: [UInt8]) -> [UInt8] {
        let plain = value.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                || Array("_-./:,@%+=".utf8).contains(byte)
        }
        if plain, !value.isEmpty { return value }
        let quote = UInt8(ascii: "'")
        return [quote] + value.flatMap { $0 == quote ? Array("'\\''".utf8) : [$0] } + [quote]
    }
}

extension Value {
    /// The value as a variable holds it: a JSON string without quotes, null as nothing; `nil` with a zero byte.
    fileprivate var variableBytes: [UInt8]? {
        var bytes = bytes
        if isJSON, let json = try? parsedJSON() {
            if let string = json.string { bytes = Array(string.utf8) }
            if json == .null { bytes = [] }
        }
        return bytes.contains(0) ? nil : bytes
    }
}
