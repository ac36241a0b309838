/// Collects members under one key until their set is complete, and has it acted on once.
///
/// ```swift
/// let clicks = try Aggregator("clicks", of: Click.self, in: table, rule: .count(10), timeout: .seconds(3600))
/// if try await clicks.add(click, id: click.id, to: click.session) == .completed {
///     try await clicks.act(on: click.session) { set in
///         try await alerts.send(set.members.values, key: set.idempotencyKey)
///         return []
///     }
/// }
/// ```
///
/// - A member counts once, by its `id`, however often it is delivered.
/// - Of all the writes that are under way at one time, one completes the set; members after that are late and change
///   nothing.
/// - The completing write gives the set's head the state `READY`, which no other write ever does: an event-source
///   mapping with `filterCriteria` wakes a function for it once.
/// - `sweep` has to be called on a schedule: it acts on sets that time out, and on those whose action never came or
///   died half-way.
public struct Aggregator<Member: Codable & Sendable, Value: Codable & Sendable>: Sendable {
    /// What it is called in the keys of its items.
    public let name: String
    /// The table of the items, which other patterns may share.
    public let table: PatternTable
    /// How long after its first member a set that is not complete times out.
    public let timeout: Duration
    /// How long whoever acts has for it, before somebody else does.
    public let lease: Duration
    /// How long a set is remembered after it was acted on.
    ///
    /// At least that long a member that is delivered again is known to be a duplicate or late. Once the set is deleted,
    /// by DynamoDB's expiry within some days or, with the storage `asItems`, by a sweep, it begins a new set.
    public let retention: Duration
    /// Where the members are kept.
    public let storage: AggregateStorage
    /// What wakes a function once for each set that is complete, for an event-source mapping of the table's stream.
    ///
    /// The stream's view has to have new images.
    public let filterCriteria: FilterCriteria
    let rule: AggregateRule<Member, Value>

    /// An aggregator; nothing is asked yet.
    ///
    /// Everybody who uses the same name in the same table has to use the same rule and settings.
    ///
    /// - Parameters:
    ///   - name: What it is called in the keys of its items: 1 to 64 letters, digits, dots, underscores and hyphens.
    ///   - member: The type of the members.
    ///   - table: Where the sets are kept.
    ///   - rule: When a set is complete.
    ///   - timeout: How long after its first member a set that is not complete times out, up to ten years. It has no
    ///     default, because a set that stays incomplete stays in the table until then.
    ///   - lease: How long whoever acts has for it, before somebody else does.
    ///   - retention: How long a set is remembered after it was acted on.
    ///   - storage: Where the members are kept.
    /// - Throws: `PatternError` with the code `invalidArgument`.
    public init(
        _ name: String, of member: Member.Type = Member.self, in table: PatternTable,
        rule: AggregateRule<Member, Value>, timeout: Duration, lease: Duration = .seconds(60),
        retention: Duration = .seconds(7 * 86_400), storage: AggregateStorage = .inHead
    ) throws(PatternError) {
        try PatternName.check(name, of: "an aggregator")
        try rule.check()
        for time in [timeout, lease, retention] where time < .milliseconds(1) || time > .seconds(10 * 366 * 86_400) {
            throw PatternError(
                .invalidArgument, "A timeout, lease or retention of the aggregator “\(name)” is not allowed.",
                hint: "Each has to be from a millisecond to ten years.")
        }
        self.name = name
        self.table = table
        self.rule = rule
        self.timeout = timeout
        self.lease = lease
        self.retention = retention
        self.storage = storage
        filterCriteria = try PatternTable.Prefix("A", name).becameReady()
    }
}

/// Where the members of a set are kept.
public enum AggregateStorage: Sendable, Hashable {
    /// In the set's one item, for sets of a few kilobytes.
    ///
    /// Each member costs one unit for each kilobyte that the whole set has by then. A set ends at 380 KB; a member
    /// that does not fit any more is refused with the code `tooLarge`.
    case inHead
    /// Nowhere: the set's one item has the members' identities and the merged value only.
    case idsOnly
    /// Each in an item of its own, in one transaction with the set's head: for sets of any size.
    ///
    /// Each member costs four units, two more for each kilobyte that it has beyond the first, and two when it is
    /// deleted in the end.
    case asItems
}

extension Aggregator {
    var prefix: PatternTable.Prefix { PatternTable.Prefix("A", name) }

    /// The key of a set's head.
    func headKey(of set: String) -> ItemKey { ItemKey(partition: prefix.partition(set), sort: AggregateHead.sort) }

    /// A set's head as it is now.
    func head(of set: String) async throws -> AggregateHead? {
        try await table.item(headKey(of: set)).map(AggregateHead.init)
    }

    /// Checks the key of a set.
    func check(set: String) throws(PatternError) { try PatternKey.check(set, of: "key of a set") }
}
