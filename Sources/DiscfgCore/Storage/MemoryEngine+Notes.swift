extension MemoryEngine {
    public func note(_ name: String, in config: ConfigName) async throws -> Note? {
        try withLog(config) { $0.notes[name] }
    }

    public func notes(of config: ConfigName, prefix: String, after: String?, limit: Int) async throws -> [Note] {
        try withLog(config) { log in
            let names = log.notes.keys.filter { name in
                name.hasPrefix(prefix) && (after.map { $0 < name } ?? true)
            }
            return names.sorted().prefix(limit).compactMap { log.notes[$0] }
        }
    }

    public func replaceNote(
        _ name: String, with bytes: [UInt8]?, version: Int64, in config: ConfigName
    ) async throws -> Bool {
        try withLog(config) { log in
            guard log.notes[name]?.version ?? 0 == version else { return false }
            log.notes[name] = bytes.map { Note(name: name, bytes: $0, version: version + 1) }
            return true
        }
    }
}
