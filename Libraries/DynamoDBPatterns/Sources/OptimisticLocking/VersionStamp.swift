import AWSClient

/// Which write of which life of an item made what is stored.
///
/// A life goes from an item's insertion to its deletion. Its name begins with its time, so that the lives of one key
/// sort as they began. Each write has a token of its own; a stamp has those of the last few writes, newest first, so
/// that a writer whose answer was lost finds its own write also under those of others.
struct VersionStamp: Sendable, Hashable {
    /// The life of items that were there before anything stamped them; sorts before all others.
    static let unstamped = "0"
    /// How many writes a stamp remembers.
    private static let remembered = 4

    let life: String
    /// Of the last writes, newest first.
    let tokens: [String]

    private init(life: String, tokens: [String]) {
        self.life = life
        self.tokens = tokens
    }

    /// A stamp as it is stored; `nil` for what is none.
    init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false).map(String.init)
        guard parts.count > 1, parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(Self.isDigit) }) else { return nil }
        self.init(life: parts[0], tokens: Array(parts.dropFirst()))
    }

    /// The stamp of an insertion.
    static func first(_ clock: PatternClock) -> VersionStamp {
        VersionStamp(life: lifePrefix(clock.milliseconds) + digits(clock.random(), 8), tokens: [token(clock)])
    }

    /// The stamp of the write that comes after one; after none, of the first write of an item without stamps.
    static func next(after stamp: VersionStamp?, _ clock: PatternClock) -> VersionStamp {
        VersionStamp(
            life: stamp?.life ?? unstamped,
            tokens: Array(([token(clock)] + (stamp?.tokens ?? [])).prefix(remembered)))
    }

    var text: String { ([life] + tokens).joined(separator: "-") }

    /// The name with which lives begin that start at a moment, in milliseconds since 1970.
    static func lifePrefix(_ milliseconds: Int64) -> String { digits(UInt64(max(milliseconds, 0)), 9) }

    private static func token(_ clock: PatternClock) -> String { digits(clock.random(), 13) }

    /// The last digits of a number to the base 32, which sort as the numbers do.
    private static func digits(_ value: UInt64, _ count: Int) -> String {
        let text = String(value, radix: 32)
        return String(repeating: "0", count: max(0, count - text.count)) + text.suffix(count)
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "v")).contains(byte)
    }
}

/// Whether a write whose answer was lost was carried out.
enum WriteFate: Sendable {
    case carriedOut
    case notCarriedOut
    case unknown
}
