package import DiscfgCore
package import DynamoDBPatternsTesting

/// One process's way to the store: every call takes simulated time and may go wrong.
package struct SimulatedEngine: StorageEngine {
    let store: SimulatedStore
    let process: SimulatedProcess

    package init(_ store: SimulatedStore, for process: SimulatedProcess) {
        (self.store, self.process) = (store, process)
    }

    private var engine: any StorageEngine { store.engine }

    package var traits: StorageTraits {
        var traits = engine.traits
        guard store.options.isRemote else { return traits }
        traits.readsTellTail = false
        traits.pollInterval = .milliseconds(200) ... .seconds(1)
        return traits
    }

    /// Carries out a call, with what happens to it on the way.
    private func call<Answer: Sendable>(
        _ name: String, writing config: ConfigName? = nil, _ body: () async throws -> Answer
    ) async throws -> Answer {
        try await wait(name)
        let isWrite = config != nil
        let fault = store.nextFault(isWrite: isWrite)
        if let fault { store.simulation.note("\(name): \(fault.rawValue)", of: process.name) }
        switch fault {
        case .crashBefore: throw process.crash()
        case .throttled: throw DiscfgError(.storeUnavailable, "The store is not available.")
        case .notSent: throw DiscfgError(.outcomeUnknown, "The request was lost.")
        default: break
        }
        // Before and after, so that the record misses nothing that the write removes.
        if let config { try await store.observe(config) }
        let answer: Result<Answer, any Error>
        do {
            answer = .success(try await body())
        } catch {
            answer = .failure(error)
        }
        if let config { try await store.observe(config) }
        if fault == .crashAfter { throw process.crash() }
        if fault == .lostReply { throw DiscfgError(.outcomeUnknown, "The reply was lost.") }
        if store.simulation.chance(percent: 25) {
            do {
                try await wait(name + " answered")
            } catch is CancellationError where isWrite {
                // A write under way is finished.
            }
        }
        return try answer.get()
    }

    private func wait(_ event: String) async throws {
        if !process.hasCrashed {
            try await store.simulation.park(store.simulation.latency(), process: process.name, event: event)
        }
        guard process.hasCrashed else { return }
        // It takes a step, so that code which never ends ends the run.
        try await store.simulation.park(1_000_000, process: process.name, event: "goes on after a crash")
        throw SimulatedCrash()
    }

    package func createConfig(_ name: ConfigName, settings: ConfigSettings, first: Commit) async throws {
        try await call("createConfig", writing: name) {
            try await engine.createConfig(name, settings: settings, first: first)
        }
    }

    package func config(_ name: ConfigName) async throws -> ConfigRecord? {
        try await call("config") { try await engine.config(name) }
    }

    package func configNames(after: ConfigName?, limit: Int) async throws -> [ConfigName] {
        try await call("configNames") { try await engine.configNames(after: after, limit: limit) }
    }

    package func updateConfig(
        _ name: ConfigName, settings: ConfigSettings, replacing old: ConfigSettings
    ) async throws -> Bool {
        try await call("updateConfig", writing: name) {
            try await engine.updateConfig(name, settings: settings, replacing: old)
        }
    }

    package func removeConfig(_ name: ConfigName) async throws -> Bool {
        try await call("removeConfig", writing: name) { try await engine.removeConfig(name) }
    }

    package func tail(of config: ConfigName, knowing known: LogTail?) async throws -> LogTail {
        try await call("tail") { try await engine.tail(of: config, knowing: known) }
    }

    package func append(
        _ commits: [Commit], to config: ConfigName, incarnation: String?
    ) async throws -> AppendOutcome {
        let revisions = "\(commits.first?.revision ?? 0)..\(commits.last?.revision ?? 0)"
        return try await call("append \(config) \(revisions)", writing: config) {
            try await engine.append(commits, to: config, incarnation: incarnation)
        }
    }

    package func basis(for keys: [Key], in config: ConfigName) async throws -> WriteBasis {
        guard store.options.isRemote else {
            return try await call("basis") { try await engine.basis(for: keys, in: config) }
        }
        let tail = try await tail(of: config)
        let batch = try await items(keys, in: config, consistency: .strong)
        return WriteBasis(items: batch.items, tail: tail, isExact: false)
    }

    package func log(
        of config: ConfigName, after: Revision, limit: Int, incarnation: String?, consistency: Consistency
    ) async throws -> LogPage {
        try await call("log after \(after)") {
            var page = try await engine.log(
                of: config, after: after, limit: limit, incarnation: incarnation, consistency: consistency)
            if consistency == .eventual, let last = store.staleRevision(of: config) {
                page.commits.removeAll { $0.revision > last }
                page.tail = max(after, min(page.tail, last))
            }
            return page
        }
    }

    package func history(
        of config: ConfigName, selection: KeySelection, _ part: LogPart, limit: Int
    ) async throws -> HistoryPage {
        try await call("history") {
            try await engine.history(of: config, selection: selection, part, limit: limit)
        }
    }

    package func trim(_ config: ConfigName, through: Revision, keepingSince moment: Timestamp) async throws -> Bool {
        try await call("trim \(through)", writing: config) {
            try await engine.trim(config, through: through, keepingSince: moment)
        }
    }

    package func items(_ keys: [Key], in config: ConfigName, consistency: Consistency) async throws -> ItemBatch {
        try await call("items") {
            var batch = try await engine.items(keys, in: config, consistency: consistency)
            guard store.options.isRemote else { return batch }
            batch.tail = nil
            guard consistency == .eventual else { return batch }
            for key in keys.sorted() { batch.items[key] = staleItem(key, in: config, instead: batch.items[key]) }
            return batch
        }
    }

    package func items(
        _ range: KeyRange, in config: ConfigName, limit: Int, values: Bool, consistency: Consistency
    ) async throws -> ItemPage {
        try await call("range") {
            var page = try await engine.items(
                range, in: config, limit: limit, values: values, consistency: consistency)
            guard store.options.isRemote else { return page }
            page.tail = nil
            guard consistency == .eventual, values else { return page }
            page.items = page.items.compactMap { staleItem($0.key, in: config, instead: $0) }
            return page
        }
    }

    /// What an eventual read finds of a key: each item may be older by itself.
    private func staleItem(_ key: Key, in config: ConfigName, instead item: Item?) -> Item? {
        guard let revision = store.staleRevision(of: config), let log = store.logs(of: config).last else { return item }
        return log.state(at: revision)?[key]
    }

    package func overdueKeys(in config: ConfigName, at now: Timestamp, limit: Int) async throws -> [Key] {
        try await call("overdueKeys") { try await engine.overdueKeys(in: config, at: now, limit: limit) }
    }

    package func lastRevision(of config: ConfigName, before time: Timestamp) async throws -> Revision {
        try await call("lastRevision") { try await engine.lastRevision(of: config, before: time) }
    }

    package func leases(_ selection: LeaseSelection, of config: ConfigName) async throws -> [StoredLease] {
        try await call("leases") {
            // In their order: that of a dictionary would not come again with the seed.
            var leases = try await engine.leases(selection, of: config).sorted { $0.lease.id < $1.lease.id }
            for index in leases.indices { leases[index].keys.sort() }
            return leases
        }
    }

    package func changeLease(_ change: LeaseChange, in config: ConfigName) async throws -> StoredLease? {
        try await call("changeLease", writing: config) { try await engine.changeLease(change, in: config) }
    }

    package func cells(
        of config: ConfigName, from first: String, through last: String, limit: Int
    ) async throws -> [Cell] {
        try await call("cells") { try await engine.cells(of: config, from: first, through: last, limit: limit) }
    }

    package func replaceCell(
        _ name: String, with bytes: [UInt8]?, version: Int64, in config: ConfigName
    ) async throws -> Bool {
        try await call("replaceCell", writing: config) {
            try await engine.replaceCell(name, with: bytes, version: version, in: config)
        }
    }
}
