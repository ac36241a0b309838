import AWSClient

/// What a request cost of one table.
struct CapacityCount {
    let table: String
    let isWrite: Bool
    /// The table's own part, in units.
    var own = 0.0
    /// The parts of its indexes, by name.
    var indexes: [String: Double] = [:]

    var total: Double { indexes.values.reduce(own, +) }

    init(table: String, isWrite: Bool) {
        self.table = table
        self.isWrite = isWrite
    }

    mutating func add(_ other: CapacityCount) {
        own += other.own
        indexes.merge(other.indexes, uniquingKeysWith: +)
    }

    /// As an answer says it; `nil` if that was not asked for.
    func answer(_ wanted: ReturnConsumedCapacity?, inTransaction: Bool = false) -> ConsumedCapacity? {
        guard let wanted, wanted != .none else { return nil }
        func part(_ units: Double) -> Capacity {
            var capacity = Capacity()
            capacity.capacityUnits = units
            if inTransaction, isWrite { capacity.writeCapacityUnits = units }
            if inTransaction, !isWrite { capacity.readCapacityUnits = units }
            return capacity
        }
        var answer = ConsumedCapacity()
        answer.tableName = table
        answer.capacityUnits = total
        if inTransaction, isWrite { answer.writeCapacityUnits = total }
        if inTransaction, !isWrite { answer.readCapacityUnits = total }
        if wanted == .indexes {
            answer.table = part(own)
            if !indexes.isEmpty { answer.globalSecondaryIndexes = indexes.mapValues(part) }
        }
        return answer
    }

    /// Adds up the parts of several items, one sum for each table.
    static func sums(_ counts: [CapacityCount]) -> [CapacityCount] {
        var sums: [CapacityCount] = []
        for count in counts {
            if let index = sums.firstIndex(where: { $0.table == count.table && $0.isWrite == count.isWrite }) {
                sums[index].add(count)
            } else {
                sums.append(count)
            }
        }
        return sums
    }
}
