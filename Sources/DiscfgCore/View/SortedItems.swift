/// Items in the order of their keys, as a value: a reader keeps one state while the writer goes on.
///
/// The items are in chunks of at most `maximumChunk`, so a change moves few of them. If a copy is held elsewhere, a change copies
/// one chunk and the list of chunks.
struct SortedItems: Sendable {
    private static let maximumChunk = 256

    /// None of them is empty.
    private var chunks: [[Item]] = []
    private(set) var count = 0

    /// The item of a key; `nil` if there is none.
    subscript(key: Key) -> Item? {
        let position = position(of: key.bytes)
        return isItem(at: position, key) ? chunks[position.chunk][position.offset] : nil
    }

    /// Sets an item, and returns the one that it replaces.
    @discardableResult
    mutating func set(_ item: Item) -> Item? {
        var position = position(of: item.key.bytes)
        if isItem(at: position, item.key) {
            let old = chunks[position.chunk][position.offset]
            chunks[position.chunk][position.offset] = item
            return old
        }
        count += 1
        // An item beyond a chunk's last one is appended to that chunk, not put in front of the next.
        if position.offset == 0, position.chunk > 0 {
            position = Position(chunk: position.chunk - 1, offset: chunks[position.chunk - 1].count)
        }
        guard position.chunk < chunks.count else {
            chunks.append([item])
            return nil
        }
        chunks[position.chunk].insert(item, at: position.offset)
        if chunks[position.chunk].count > Self.maximumChunk { split(position) }
        return nil
    }

    /// Removes the item of a key, and returns it.
    @discardableResult
    mutating func remove(_ key: Key) -> Item? {
        let position = position(of: key.bytes)
        guard isItem(at: position, key) else { return nil }
        count -= 1
        let old = chunks[position.chunk].remove(at: position.offset)
        if chunks[position.chunk].isEmpty { chunks.remove(at: position.chunk) }
        return old
    }

    /// The first items of a range, at most `limit`.
    func items(in range: KeyRange, limit: Int = .max) -> [Item] {
        var (position, end) = (position(of: range.lower), end(of: range))
        var found: [Item] = []
        while position < end, found.count < limit {
            let chunk = chunks[position.chunk]
            let last = position.chunk == end.chunk ? end.offset : chunk.count
            found += chunk[position.offset..<last].prefix(limit - found.count)
            position = Position(chunk: position.chunk + 1, offset: 0)
        }
        return found
    }

    /// The number of items in a range; it does not depend on how long that is, apart from the number of chunks.
    func count(in range: KeyRange) -> Int {
        let (start, end) = (position(of: range.lower), end(of: range))
        guard start < end else { return 0 }
        if start.chunk == end.chunk { return end.offset - start.offset }
        let between = chunks[(start.chunk + 1)..<end.chunk].reduce(0) { $0 + $1.count }
        return chunks[start.chunk].count - start.offset + between + end.offset
    }
}

extension SortedItems {
    /// The place of an item, or where it would be.
    private struct Position: Comparable {
        var chunk: Int
        var offset: Int

        static func < (left: Position, right: Position) -> Bool {
            (left.chunk, left.offset) < (right.chunk, right.offset)
        }
    }

    /// The place of the first item whose key is not less than these bytes.
    private func position(of bytes: [UInt8]) -> Position {
        let chunk = chunks.partitioningIndex { chunk in
            !(chunk.last?.key.bytes.lexicographicallyPrecedes(bytes) ?? true)
        }
        guard chunk < chunks.count else { return Position(chunk: chunk, offset: 0) }
        return Position(
            chunk: chunk, offset: chunks[chunk].partitioningIndex { !$0.key.bytes.lexicographicallyPrecedes(bytes) })
    }

    private func end(of range: KeyRange) -> Position {
        range.upper.map { position(of: $0) } ?? Position(chunk: chunks.count, offset: 0)
    }

    private func isItem(at position: Position, _ key: Key) -> Bool {
        position.chunk < chunks.count && chunks[position.chunk][position.offset].key == key
    }

    /// Splits a chunk that has become too long: in halves, or behind an item that was appended, so that keys in ascending order
    /// leave full chunks.
    private mutating func split(_ position: Position) {
        let chunk = chunks[position.chunk]
        let middle = position.offset == chunk.count - 1 ? chunk.count - 1 : chunk.count / 2
        chunks[position.chunk] = Array(chunk[..<middle])
        chunks.insert(Array(chunk[middle...]), at: position.chunk + 1)
    }
}
