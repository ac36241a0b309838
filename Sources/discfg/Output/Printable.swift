import DiscfgCore

extension String {
    /// The text on one line and without what would steer a terminal: control characters as escapes.
    var printable: String { escaped(keeping: []) }

    /// The text without what would steer a terminal; its newlines and tabs stay.
    var printableLines: String { escaped(keeping: ["\n", "\t"]) }

    private func escaped(keeping kept: [Unicode.Scalar]) -> String {
        guard unicodeScalars.contains(where: { $0.isControl }) else { return self }
        return unicodeScalars.reduce(into: "") { text, scalar in
            switch scalar {
            case _ where kept.contains(scalar): text.unicodeScalars.append(scalar)
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case _ where scalar.isControl: text += "\\u{" + String(scalar.value, radix: 16) + "}"
            default: text.unicodeScalars.append(scalar)
            }
        }
    }

    /// At most that many characters; what was cut off leaves a “…”.
    func shortened(to limit: Int) -> String { count > limit ? prefix(max(0, limit - 1)) + "…" : self }
}

extension Key {
    /// The name of the key, which commands take as an argument; without characters that would steer a terminal or end a line.
    var shown: String {
        let name = name
        return name.printable == name ? name : escapedName
    }
}

extension Listing.Entry {
    /// The name of the key or directory, as `Key.shown`.
    var shown: String {
        switch self {
        case .item(let item): item.key.shown
        case .directory(let bytes): name.printable == name ? name : KeyName.encodedName(of: bytes.dropLast()) + "/"
        }
    }
}

extension Unicode.Scalar {
    fileprivate var isControl: Bool { properties.generalCategory == .control || properties.isBidiControl }
}

extension Value {
    /// The value on one line, shortened; bytes that are not text as their number.
    func summary(limit: Int = 60) -> String {
        guard let text, contentType != Value.octets else { return "<\(bytes.count) bytes>" }
        return String(text.prefix(limit + 1)).printable.shortened(to: limit)
    }
}

extension Timestamp {
    /// The moment in UTC, to the second.
    var short: String { description.prefix(19).replacing("T", with: " ") + "Z" }
}

extension Item {
    /// How long the key has left, or empty if it does not expire.
    func timeLeft(from now: Timestamp) -> String {
        expiry.map { DurationText.format(.seconds((($0 - now).milliseconds + 999) / 1000)) } ?? ""
    }
}
