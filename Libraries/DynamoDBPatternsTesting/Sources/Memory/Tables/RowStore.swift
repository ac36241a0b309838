import AWSClient

/// One item where it is stored, in a table or an index.
struct Row {
    var order: RowOrder
    var item: Item
    /// In bytes, names included.
    var size: Int
}

/// The items of a table or index, by partition, and in order within each.
struct RowStore {
    private var partitions: [String: [Row]] = [:]
    private var partitionOrder: [ScanPlace] = []

    /// The place of a partition in a scan, which does not follow the order of the keys.
    struct ScanPlace: Comparable {
        var hash: UInt64
        var partition: String

        init(_ partition: String) {
            hash = StableHash.of(partition)
            self.partition = partition
        }

        static func < (first: ScanPlace, second: ScanPlace) -> Bool {
            first.hash != second.hash ? first.hash < second.hash : first.partition < second.partition
        }
    }

    func rows(in partition: String) -> [Row] { partitions[partition] ?? [] }

    subscript(position: ItemPosition) -> Row? {
        guard let rows = partitions[position.partition] else { return nil }
        let index = rows.firstIndex(notBefore: position.order)
        return index < rows.count && rows[index].order == position.order ? rows[index] : nil
    }

    /// Stores a row, or removes the one that is there.
    mutating func set(_ row: Row?, at position: ItemPosition) {
        let partition = position.partition
        let place = ScanPlace(partition)
        if partitions[partition] == nil {
            guard row != nil else { return }
            partitionOrder.insert(place, at: partitionOrder.boundary { !($0 < place) })
        }
        partitions[partition, default: []].set(row, at: position.order)
        if partitions[partition]?.isEmpty == true {
            partitions[partition] = nil
            partitionOrder.remove(at: partitionOrder.boundary { !($0 < place) })
        }
    }

    /// The partitions in a scan's order, from a place on.
    func partitions(from start: ScanPlace?) -> ArraySlice<ScanPlace> {
        guard let start else { return partitionOrder[...] }
        return partitionOrder[partitionOrder.boundary { !($0 < start) }...]
    }
}

extension [Row] {
    /// Where the first row is whose place is not before this one.
    func firstIndex(notBefore order: RowOrder) -> Int { boundary { !($0.order < order) } }

    fileprivate mutating func set(_ row: Row?, at order: RowOrder) {
        let index = firstIndex(notBefore: order)
        let isThere = index < count && self[index].order == order
        switch (row, isThere) {
        case (let row?, true): self[index] = row
        case (let row?, false): insert(row, at: index)
        case (nil, true): remove(at: index)
        case (nil, false): break
        }
    }
}

extension Array {
    /// Where the first element is for which something holds that holds for all after it, too.
    func boundary(_ holds: (Element) -> Bool) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if holds(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

/// A hash that is the same in every process: FNV-1a, mixed so that the top bits are as good as the others.
enum StableHash {
    static func of(_ text: String) -> UInt64 {
        var generator = SeededGenerator(
            seed: text.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 })
        return generator.next()
    }
}
