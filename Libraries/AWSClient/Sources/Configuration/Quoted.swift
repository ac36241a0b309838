/// Text from elsewhere in a sentence of ours: in quotes, on one line, and no longer than a line.
struct Quoted: CustomStringConvertible {
    private static let limit = 120
    private let text: String

    init(_ text: String) { self.text = text }

    var description: String { "“\(Self.shown(text))”" }

    /// The text with a dot in place of each control character, cut off behind so many characters.
    static func shown(_ text: String, limit: Int = Self.limit) -> String {
        var shown = ""
        for (count, scalar) in text.unicodeScalars.enumerated() {
            if count == limit { return shown + "…" }
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: shown += "·"
            default: shown.unicodeScalars.append(scalar)
            }
        }
        return shown
    }
}
