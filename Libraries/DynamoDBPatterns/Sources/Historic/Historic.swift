import AWSClient

/// Every version of the items of a `VersionedTable`, kept for good in another table.
///
///     let history = try Historic("orders", of: orders, in: PatternTable("orders-history", in: dynamoDB))
///     try await history.record(record)                      // for each record of the stream of “orders”
///     let page = try await history.history(of: "7")         // newest first
///     switch try await history.item("7", at: yesterday) { … }
///     try await history.restore(page.entries[3])
///
/// The table's stream needs the view `NEW_AND_OLD_IMAGES`. Each change is one item of the history: `pk` =
/// `H#<name>#<key>`, `sk` = `<life>#<version>`, stored only where there is none, so that records may come again. A life
/// goes from an item's insertion to its deletion. Order within a life is that of the versions, never that of sequence
/// numbers, which compare only within a shard.
///
/// What is missing is found by the versions: a record brings the image before it along, and where that was never
/// recorded, it is stored too, marked as recovered. See `gaps(of:)` for what stays missing.
public struct Historic<Item: Codable & Sendable>: Sendable {
    /// The name under which the history is kept.
    public let name: String
    /// The table whose items are kept.
    public let source: VersionedTable<Item>
    /// Where they are kept.
    public let table: PatternTable
    /// The attribute of the items that says who wrote them; `nil` for none.
    public let author: String?
    /// By how much the clocks of those who insert items may differ.
    ///
    /// The lives of one key are told apart by the time at which their writers began them.
    public let allowedSkew: Duration

    /// A history; nothing is asked yet.
    ///
    /// - Parameters:
    ///   - name: The name under which it is kept; one for each source, if several share the table.
    ///   - source: The table whose items are kept.
    ///   - table: Where they are kept: an append-only table of its own, or one that is shared with other patterns.
    ///   - author: An attribute of the items, a string, that says who wrote them.
    ///   - allowedSkew: By how much the clocks of those who insert items may differ, up to a year.
    /// - Throws: `PatternError` with code `invalidArgument`.
    public init(
        _ name: String, of source: VersionedTable<Item>, in table: PatternTable, author: String? = nil,
        allowedSkew: Duration = .seconds(3600)
    ) throws {
        try PatternName.check(name, of: "a history")
        guard (Duration.zero ... .seconds(366 * 86_400)).contains(allowedSkew) else {
            throw PatternError(.invalidArgument, "The allowed skew of a history is from zero to a year.")
        }
        self.name = name
        self.source = source
        self.table = table
        self.author = author
        self.allowedSkew = allowedSkew
    }
}

/// The names of the attributes of an item of a history.
enum HistoricAttribute {
    /// The item as it was; missing for a deletion.
    static let image = "image"
    static let kind = "kind"
    /// When the change was made, by the stream: milliseconds since 1970, of a whole second.
    static let time = "time"
    static let recordedAt = "recordedAt"
    static let author = "by"
    static let eventID = "event"
    /// There for what was stored from another record's image before, or from the item itself.
    static let recovered = "recovered"
    /// In an item of the source: who is about to delete it, and which version says so; see `delete(_:by:)`.
    static let deletion = "historicDeletion"
}

/// Names one version of an item.
struct VersionPlace: Sendable, Hashable {
    var life: String
    var version: Int64

    /// As it is in the history's sort key.
    var text: String {
        let digits = String(version)
        return "\(life)#\(String(repeating: "0", count: max(0, 20 - digits.count)))\(digits)"
    }

    init(life: String, version: Int64) {
        self.life = life
        self.version = version
    }

    /// From a sort key; `nil` for what is none of a history.
    init?(_ text: String) {
        let parts = text.split(separator: "#", omittingEmptySubsequences: false)
        guard parts.count == 2, let version = Int64(parts[1]), version >= 0 else { return nil }
        self.init(life: String(parts[0]), version: version)
    }
}

extension Historic {
    /// The longest key of an item that a history takes, in bytes of its text: a `pk` has 2,048.
    static var longestKey: Int { 1900 }

    func partition(_ key: PrimaryKey) throws(PatternError) -> String {
        let text = key.text
        guard text.utf8.count <= Self.longestKey else {
            throw PatternError(
                .invalidArgument, "A key of \(text.utf8.count) bytes is too long for the history “\(name)”.",
                hint: "It takes \(Self.longestKey) bytes; bytes in hexadecimal, two for each.")
        }
        return PatternTable.Prefix("H", name).partition(text)
    }

    func place(_ place: VersionPlace, of key: PrimaryKey) throws(PatternError) -> ItemKey {
        ItemKey(partition: try partition(key), sort: place.text)
    }
}
