/// Remembers how far the logs of deleted configs came, so that a config that is created again begins beyond them.
///
/// A watcher that comes back with a revision of the old log then finds that revision compacted, whatever protocol it speaks, and
/// reads the current state. The numbers are cells of the config `default`, which cannot be deleted.
struct EndedLogs: Sendable {
    /// How much further than it was read the log may come before it ends, and one revision more: a watcher that has seen all of
    /// the old log must not go on with the first commit of the new one.
    static let margin: Revision = 10_000

    let engine: DefaultConfigEngine

    /// Maximum number of cells, so that a store does not grow with each name that is used once.
    static let maximumCells: UInt32 = 4096

    /// The name of the cell of a config, which the config shares with some others: a config then begins further up than it would have to.
    ///
    /// The number is FNV-1a of 32 bits: every process must come to the same.
    static func cellName(_ config: ConfigName) -> String {
        let hash = config.description.utf8.reduce(0x811C_9DC5 as UInt32) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
        return "ended/\(hash % maximumCells)"
    }

    /// A revision that no log of that name has come to; 0 if no config of that name, or of one with the same cell, was deleted.
    func revision(of config: ConfigName) async throws -> Revision {
        do {
            // Not by way of what creates `default`: a store that has none has no ended logs.
            return Self.revision(in: try await engine.engine.cell(Self.cellName(config), in: .default))
        } catch let error as DiscfgError where [.configNotFound, .storeUnusable].contains(error.code) {
            // A table that is not there yet is created with the config. If the store is unusable, creating the config says why.
            return 0
        }
    }

    /// Notes, before a config is deleted, how far its log may come.
    func note(_ config: ConfigName) async throws {
        let tail: LogTail
        do {
            tail = try await engine.tail(of: config)
        } catch let error as DiscfgError where error.code == .configNotFound {
            return
        }
        let end = tail.revision + Self.margin
        while true {
            try Task.checkCancellation()
            let cell = try await engine.cell(Self.cellName(config), in: .default)
            // Also when this very cell was written, and the answer was lost.
            if Self.revision(in: cell) >= end { return }
            _ = try await engine.replaceCell(
                Self.cellName(config), with: Array(String(end).utf8), version: cell?.version ?? 0, in: .default)
        }
    }

    private static func revision(in cell: Cell?) -> Revision {
        cell.flatMap { Revision(String(decoding: $0.bytes, as: UTF8.self)) } ?? 0
    }
}
