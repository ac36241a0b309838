import AWSClient

/// The changes of a table, in shards.
struct MemoryStream {
    let arn: String
    let label: String
    let viewType: StreamViewType
    /// Seconds since 1970.
    let created: Double
    private(set) var shards: [MemoryShard]
    /// The number that the next record gets.
    private var next = 0

    init(arn: String, label: String, viewType: StreamViewType, created: Double, shards: Int) {
        (self.arn, self.label, self.viewType, self.created) = (arn, label, viewType, created)
        self.shards = []
        let width = UInt64.max / UInt64(shards)
        for number in 0..<UInt64(shards) {
            let last = number == UInt64(shards) - 1 ? UInt64.max : (number + 1) * width - 1
            open(number * width...last, parent: nil)
        }
    }

    private mutating func open(_ hashes: ClosedRange<UInt64>, parent: String?) {
        shards.append(
            MemoryShard(
                id: "shardId-\(padded(opened, 20))-\(padded(next, 8))", parent: parent, hashes: hashes,
                start: next))
        opened += 1
    }

    /// How many shards there ever were.
    private var opened = 0

    private func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }

    /// Adds a record of a change in a partition, and numbers it.
    mutating func append(_ record: StreamRecord, partition: String, milliseconds: Int64) {
        let hash = StableHash.of(partition)
        guard let index = shards.firstIndex(where: { $0.end == nil && $0.hashes.contains(hash) }) else { return }
        var record = record
        record.eventID = "\(label)-\(padded(next, 16))"
        record.change?.sequenceNumber = SequenceNumber.text(next)
        shards[index].records.append(.init(number: next, milliseconds: milliseconds, record: record))
        next += 1
    }

    /// Closes each shard that is written to, and opens two in its place.
    mutating func split(milliseconds: Int64) {
        for index in shards.indices where shards[index].end == nil {
            shards[index].closed = milliseconds
            // A number of its own ends each shard, so that even an empty one begins before it ends.
            shards[index].end = next
            next += 1
            let (hashes, parent) = (shards[index].hashes, shards[index].id)
            let middle = hashes.lowerBound + (hashes.upperBound - hashes.lowerBound) / 2
            open(hashes.lowerBound...middle, parent: parent)
            if middle < hashes.upperBound { open(middle + 1...hashes.upperBound, parent: parent) }
        }
    }

    /// Forgets the records through a number, and closed shards that have none left.
    mutating func trim(through number: Int) {
        for index in shards.indices { shards[index].trim(through: number) }
        shards.removeAll { shard in shard.end.map { $0 <= number } ?? false }
    }

    /// The newest number that is older than a moment: of a record, or of the end of a shard.
    func last(before milliseconds: Int64) -> Int? {
        let records = shards.flatMap(\.records).filter { $0.milliseconds < milliseconds }.map(\.number)
        let ends = shards.filter { $0.closed.map { $0 < milliseconds } ?? false }.compactMap(\.end)
        return (records + ends).max()
    }

    /// Where a reader of what comes next begins.
    var latest: Int { next }
}

/// A part of a stream, in order within itself.
struct MemoryShard {
    struct Entry {
        var number: Int
        var milliseconds: Int64
        var record: StreamRecord
    }

    let id: String
    let parent: String?
    /// The partitions whose changes it has.
    let hashes: ClosedRange<UInt64>
    let start: Int
    /// The last number; `nil` while it is written to.
    var end: Int?
    /// When it was closed, in milliseconds since 1970.
    var closed: Int64?
    var records: [Entry] = []
    /// The first number that can still be read.
    var firstReadable: Int

    init(id: String, parent: String?, hashes: ClosedRange<UInt64>, start: Int) {
        (self.id, self.parent, self.hashes, self.start, firstReadable) = (id, parent, hashes, start, start)
    }

    mutating func trim(through number: Int) {
        guard number >= firstReadable else { return }
        firstReadable = number + 1
        records.removeAll { $0.number <= number }
    }
}

/// The numbers of a stream's records, as AWS writes them.
enum SequenceNumber {
    /// They grow a digit soon, so that whoever compares them as texts is found out.
    static let first = 10

    static func text(_ number: Int) -> String {
        let digits = "00000000000000000000" + String(max(0, number - first))
        return number < first ? String(repeating: "9", count: 20) + String(number) : "1" + digits.suffix(21)
    }

    static func number(_ text: String) -> Int? {
        guard text.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) else { return nil }
        switch text.utf8.count {
        case 21: return Int(text.suffix(1))
        case 22: return Int(text.suffix(18)).map { $0 + first }
        default: return nil
        }
    }
}
