/// The keys of what a periodic aggregator stores, all below `B#name#`.
///
/// | item | `pk` | `sk` |
/// | :-- | :-- | :-- |
/// | head of a bucket | `B#name#start` | `head` |
/// | what one checkpoint folded | `B#name#start` | `fold#number` |
/// | gate of a shard | `B#name#start#shard` | `!door` |
/// | member, or where it was moved to | `B#name#start#shard` | `m#id` |
/// | late member of an earlier bucket | `B#name#start#shard` | `l#start#id` |
struct BucketKeys: Sendable {
    let prefix: PatternTable.Prefix

    init(_ name: String) { prefix = PatternTable.Prefix("B", name) }

    func head(_ bucket: TimeBucket) -> ItemKey { head(startingAt: bucket.startMilliseconds) }

    func head(startingAt start: Int64) -> ItemKey {
        ItemKey(partition: prefix.partition(TimeBucket.text(ofStart: start)), sort: Self.head)
    }

    func fold(_ number: Int64, of bucket: TimeBucket) -> ItemKey {
        let digits = String(number)
        let sort = Self.foldPrefix + String(repeating: "0", count: max(10 - digits.count, 0)) + digits
        return ItemKey(partition: prefix.partition(bucket.text), sort: sort)
    }

    func shard(_ shard: Int, of bucket: TimeBucket) -> String { prefix.partition("\(bucket.text)#\(shard)") }

    func gate(_ shard: Int, of bucket: TimeBucket) -> ItemKey {
        ItemKey(partition: self.shard(shard, of: bucket), sort: Self.gate)
    }

    func member(_ id: String, of bucket: TimeBucket, shards: Int) -> ItemKey {
        ItemKey(partition: shard(Self.shard(of: id, among: shards), of: bucket), sort: Self.memberPrefix + id)
    }

    /// A member of `origin` that came too late for it, in the bucket that takes it instead.
    func late(_ id: String, from origin: TimeBucket, in bucket: TimeBucket, shards: Int) -> ItemKey {
        let shard = shard(Self.shard(of: id, among: shards), of: bucket)
        return ItemKey(partition: shard, sort: Self.latePrefix + origin.text + "#" + id)
    }

    /// The start of the bucket whose head this is; `nil` for every other key.
    func start(ofHead key: ItemKey) -> Int64? {
        key.sort == Self.head ? prefix.key(ofPartition: key.partition).flatMap { Int64($0) } : nil
    }

    /// The identity that the caller gave a member; `nil` for a key of something else.
    static func id(ofMember sort: String) -> String? {
        if let id = sort.dropping(prefix: memberPrefix) { return id }
        guard let late = sort.dropping(prefix: latePrefix), let end = late.utf8.firstIndex(of: UInt8(ascii: "#"))
        else { return nil }
        return String(Substring(late.utf8[end...].dropFirst()))
    }

    static func shard(of id: String, among shards: Int) -> Int { Int(StableHash.of(id) % UInt64(shards)) }

    /// The sort key of a gate, which sorts before those of all members.
    ///
    /// Tables contain this text.
    static let gate = "!door"
    private static let head = "head"
    static let foldPrefix = "fold#"
    private static let memberPrefix = "m#"
    private static let latePrefix = "l#"
}
