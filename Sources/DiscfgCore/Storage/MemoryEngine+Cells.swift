extension MemoryEngine {
    /// The cell, as of now.
    public func cell(_ name: String, in config: ConfigName) async throws -> Cell? {
        try withLog(config) { $0.cells[name] }
    }

    /// The cells in the order of their names, at most `limit`.
    public func cells(of config: ConfigName, prefix: String, after: String?, limit: Int) async throws -> [Cell] {
        try withLog(config) { log in
            let names = log.cells.keys.filter { name in
                name.hasPrefix(prefix) && (after.map { $0 < name } ?? true)
            }
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
