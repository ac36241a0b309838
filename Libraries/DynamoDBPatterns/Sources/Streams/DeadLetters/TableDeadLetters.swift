public import AWSClient

/// Keeps dead letters in a `PatternTable` for a while, where they can be listed, tried again and removed.
///
/// A letter costs a write unit for each kilobyte of its record, and one for the index `due`. Records of more than
/// 300,000 bytes, which fit no item, are spread over several.
public struct TableDeadLetters: DeadLetterTarget {
    /// Where the letters are.
    public let table: PatternTable
    /// After how long they expire.
    public let retention: Duration

    private static let kind = "D"
    private static let (head, part) = ("letter", "part#")
    private static let partLength = 300_000

    /// The dead letters in a table.
    ///
    /// - Parameters:
    ///   - table: Where the letters are.
    ///   - retention: After how long they expire, if the table's time to live is on.
    public init(in table: PatternTable, retention: Duration = .seconds(14 * 86400)) {
        self.table = table
        self.retention = retention
    }

    /// Writes the letter, and for a large record its parts first; throws the `AWSError` of DynamoDB.
    public func take(_ letter: DeadLetter) async throws {
        let parts = Self.parts(of: letter.recordJSON)
        // The rest before the head, so that a letter that can be seen is complete.
        for index in parts.indices.reversed() {
            let key = Self.key(of: letter.id, processor: letter.processor, part: index)
            var item = key.attributes
            item["record"] = .string(parts[index])
            item[PatternTable.Attribute.timeToLive] = .integer(
                (letter.time.milliseconds + retention.milliseconds) / 1000)
            if index == 0 {
                item.merge(letter.attributes) { $1 }
                item["parts"] = .integer(parts.count)
                item[PatternTable.Attribute.duePartition] = .string(table.duePartition(of: key))
                item[PatternTable.Attribute.due] = .integer(letter.time.milliseconds)
            }
            _ = try await table.carryOut(table.put(item, if: nil))
        }
    }

    /// The letters of one processor, the oldest first.
    ///
    /// The index of the letters is a moment behind. Costs half a read unit for each partition of the index, and one for
    /// each 4 KB of a letter.
    ///
    /// - Parameters:
    ///   - processor: The processor's name.
    ///   - limit: How many at most.
    /// - Returns: The letters; without those that are expiring.
    /// - Throws: `AWSError`, and `PatternError` for a letter that is not as it was written.
    public func letters(of processor: String, limit: Int = 100) async throws -> [DeadLetter] {
        guard limit > 0 else { return [] }
        var keys: [(key: ItemKey, due: Int64)] = []
        for partition in 0..<table.duePartitions {
            keys += try await table.due(
                of: .init(Self.kind, processor), partition: partition, by: .max, limit: limit
            ).keys
        }
        var letters: [DeadLetter] = []
        for (key, _) in keys.sorted(by: { $0.due < $1.due }).prefix(limit) {
            guard let item = try await table.item(key) else { continue }
            if let letter = try await letter(of: item, at: key, processor: processor) { letters.append(letter) }
        }
        return letters
    }

    /// Removes a letter that is settled.
    ///
    /// - Parameter letter: One of `letters(of:)`; it may be gone already.
    /// - Throws: `AWSError`.
    public func remove(_ letter: DeadLetter) async throws {
        let count = Self.parts(of: letter.recordJSON).count
        for index in 0..<count {
            let key = Self.key(of: letter.id, processor: letter.processor, part: index)
            _ = try await table.carryOut(table.delete(key, if: nil))
        }
    }

    /// Whether the record is a change of a letter in this table.
    public func wrote(_ record: StreamRecord, in stream: String?) -> Bool {
        table.hasWritten(record, in: stream, kind: Self.kind, sorts: [Self.head, Self.part])
    }

    /// The letter of its first item; `nil` if another one of it has expired already.
    private func letter(of item: StoredItem, at key: ItemKey, processor: String) async throws -> DeadLetter? {
        var item = item
        var record = item["record"]?.string ?? ""
        for index in 1..<max(item["parts"]?.int ?? 1, 1) {
            let part = try await table.item(ItemKey(partition: key.partition, sort: Self.sort(index)))
            guard let text = part?["record"]?.string else { return nil }
            record += text
        }
        item["record"] = .string(record)
        let id = PatternTable.Prefix(Self.kind, processor).key(ofPartition: key.partition)
        guard let letter = DeadLetter(item, id: id ?? "", processor: processor) else {
            throw PatternError(.corrupt, "The dead letter “\(key.partition)” is not as it was written.")
        }
        return letter
    }

    private static func key(of id: String, processor: String, part: Int) -> ItemKey {
        ItemKey(partition: PatternTable.Prefix(kind, processor).partition(id), sort: sort(part))
    }

    private static func sort(_ part: Int) -> String { part == 0 ? head : Self.part + String(part) }

    /// Texts that fit into an item each, cut between characters.
    static func parts(of text: String) -> [String] {
        var parts: [String] = []
        var rest = Array(text.utf8)[...]
        while rest.count > partLength {
            var end = rest.startIndex + partLength
            while rest[end] & 0xC0 == 0x80 { end -= 1 }
            parts.append(String(decoding: rest[..<end], as: UTF8.self))
            rest = rest[end...]
        }
        return parts + [String(decoding: rest, as: UTF8.self)]
    }
}
