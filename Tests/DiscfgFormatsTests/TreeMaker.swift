@testable import DiscfgFormats

/// Makes trees of what is hard to write: empty names, texts that read like numbers, indexes, quotes, control characters.
struct TreeMaker: RandomNumberGenerator {
    private var state: UInt64
    private let hasNull: Bool
    private let hasNUL: Bool
    private let hasTyped: Bool

    init(seed: UInt64, for format: ConfigFormat) {
        state = seed
        hasNull = format == .json || format == .yaml
        hasNUL = format != .env
        hasTyped = format == .yaml || format == .toml
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        let mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        return mixed ^ (mixed >> 27)
    }

    private static let words = [
        "", "yes", "No", "on", "y", "null", "~", "true", "1e3", "1.5e3", "0x1F", "0o17", "010", "1_000", "1:30",
        "12:30:45",
        "2024-01-01", "2024-01-01 10:00:00 +1", "=", "<<", "-", "- a", "? a", ": b", "a: b", "a #b", "#a", "&a", "*a",
        "!a", "[a]",
        "{a: b}", "%a", "@a", "'", "\"", "a'b\"c", "---", "...", "\\", "C:\\new\\u0041", "a\nb", "a\n", "\na", "a\n\n",
        " a\nb",
        "a\n  b\n\n c\n", "a \nb", "a\r\nb", "\t", "a\tb", " a ", "\u{1}", "\u{7F}", "\u{85}", "\u{2028}", "é",
        "e\u{301}", "日本",
        "😀", "$HOME ${A}", "~0", "a/b", "/\u{301}", "~m", "0", "1", "2", "-1", ".5", "5.", ".inf", "-.inf", "nan",
        "a=b", "k = v",
        "a!b", "|", "> a", "''", "'''", "\"\"\"", "a,b", "a, b", "\u{FEFF}", "\u{FEFF}a", "http://a:80/?b=c#d",
    ]

    mutating func text() -> String {
        if Int.random(in: 0..<4, using: &self) > 0 { return Self.words.randomElement(using: &self) ?? "" }
        let alphabet =
            Array(" \t\n\r:#-?[]{},&*!|>'\"%@`\\=~/.019abé_$\u{1F600}".unicodeScalars) + (hasNUL ? ["\0"] : [])
        var text = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: 0..<9, using: &self) { text.append(alphabet.randomElement(using: &self) ?? "a") }
        return String(text)
    }

    mutating func root() -> ConfigTree { object(depth: 4) }

    private mutating func object(depth: Int) -> ConfigTree {
        var names: Set<String> = []
        var members: [ConfigTree.Member] = []
        let hasIndexes = Int.random(in: 0..<8, using: &self) == 0
        for position in 0..<Int.random(in: 0..<6, using: &self) {
            let name = hasIndexes ? String(position) : text()
            guard names.insert(name).inserted else { continue }
            members.append(ConfigTree.Member(name: name, value: tree(depth: depth - 1)))
        }
        return .object(members)
    }

    private mutating func tree(depth: Int) -> ConfigTree {
        switch Int.random(in: depth > 0 ? 0..<10 : 3..<10, using: &self) {
        case 0, 1: return object(depth: depth)
        case 2: return .array((0..<Int.random(in: 0..<4, using: &self)).map { _ in tree(depth: depth - 1) })
        case 3: return .bool(Bool.random(using: &self))
        // Literals that every format keeps: YAML 1.1 wants a point, and a sign in the exponent.
        case 4: return .number(["0", "-7", "5432", "5432.0", "-0.25", "1.5e+22"].randomElement(using: &self) ?? "0")
        case 5 where hasNull: return .null
        case 6 where hasTyped:
            let scalars = [
                TypedScalar(.float, "inf"), TypedScalar(.float, "nan"), TypedScalar(.localDate, "2024-02-29"),
                TypedScalar(.localDateTime, "2024-02-29T01:02:03.5"),
                TypedScalar(.offsetDateTime, "1999-12-31T23:59:59-07:30"),
            ]
            return .typed(scalars.randomElement(using: &self) ?? scalars[0])
        default: return .string(text())
        }
    }
}
