extension MemoryEngine {
    /// The cells whose names are in the range, in the order of their names.
    public func cells(
        of config: ConfigName, from first: String, through last: String, limit: Int
    ) async throws -> [Cell] {
        try withLog(config) { log in
            let names = log.cells.keys.filter { first <= $0 && $0 <= last }
            return names.sorted().prefix(limit).compactMap { log.cells[$0] }
        }
    }

    /// Compares the version and replaces the cell under the lock.
    public func replaceCell(
        _ name: String, with bytes: [UInt8]?, version: Int64, in config: ConfigName
    ) async throws -> Bool {
        try withLog(config) { log in
            guard log.cells[name]?.version ?? 0 == version else { return false }
            log.cells[name] = bytes.map { Cell(name: name, bytes: $0, version: version + 1) }
            return true
        }
    }
}
