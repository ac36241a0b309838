import DiscfgCore
import DiscfgTestSupport
import Synchronization

/// An engine of which single calls fail, as a test counts them.
final class FailingEngine: EngineWrapper {
    /// A call that notifications make of a store.
    enum Call: Sendable, Hashable {
        case config, cell, log, replaceCell, cells

        var isWrite: Bool { self == .replaceCell }
    }

    /// What goes wrong with a call.
    enum Fault: Sendable, Hashable, CaseIterable {
        /// It does not take effect.
        case refused
        /// It takes effect, and the caller hears that it is unknown whether it did.
        case lost
        /// It takes effect, and the caller hears that another was first; of reads the same as `refused`.
        case contradicted
    }

    /// Says what goes wrong with a call: which of all it is, from 0, of what kind, and which of its kind, from 0.
    typealias Plan = @Sendable (_ index: Int, _ call: Call, _ ofKind: Int) -> Fault?

    let engine: any StorageEngine
    private let state = Mutex<(calls: [Call], fault: Plan)>(([], { _, _, _ in nil }))

    init(_ engine: any StorageEngine) { self.engine = engine }

    var calls: [Call] { state.withLock { $0.calls } }

    /// Begins to count anew, by another plan.
    func plan(_ plan: @escaping Plan) { state.withLock { $0 = ([], plan) } }

    private func fault(_ call: Call) -> Fault? {
        state.withLock { state in
            defer { state.calls.append(call) }
            return state.fault(state.calls.count, call, state.calls.count { $0 == call })
        }
    }

    private func read<Result>(_ call: Call, _ body: () async throws -> Result) async throws -> Result {
        if fault(call) != nil { throw DiscfgError(.storeUnavailable, "The store is away.") }
        return try await body()
    }

    func config(_ name: ConfigName) async throws -> ConfigRecord? {
        try await read(.config) { try await engine.config(name) }
    }

    func cells(of config: ConfigName, from first: String, through last: String, limit: Int) async throws -> [Cell] {
        try await read(first == last ? .cell : .cells) {
            try await engine.cells(of: config, from: first, through: last, limit: limit)
        }
    }

    func log(
        of config: ConfigName, after: Revision, limit: Int, incarnation: String?, consistency: Consistency
    ) async throws -> LogPage {
        try await read(.log) {
            try await engine.log(
                of: config, after: after, limit: limit, incarnation: incarnation, consistency: consistency)
        }
    }

    func replaceCell(
        _ name: String, with bytes: [UInt8]?, version: Int64, in config: ConfigName
    ) async throws -> Bool {
        let fault = fault(.replaceCell)
        if fault == .refused { throw DiscfgError(.storeUnavailable, "The store is away.") }
        let isDone = try await engine.replaceCell(name, with: bytes, version: version, in: config)
        switch fault {
        case .lost: throw DiscfgError(.outcomeUnknown, "The reply was lost.")
        case .contradicted: return false
        default: return isDone
        }
    }
}
