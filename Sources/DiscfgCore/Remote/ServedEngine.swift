/// The store of a service as remote engines may use it, on behalf of one caller.
///
/// It checks what an engine takes for granted, keeps pages small enough for one answer, never gives away the secrets of
/// notifications, and tells the service what remote engines append. `ServedEngine+Append.swift` has the rules of appends.
package struct ServedEngine: EngineWrapper {
    /// A page ends when its keys and values have about this many bytes.
    static let pageBytes = 4 << 20
    /// How many items are read at a time until a page is full.
    private static let itemsAtOnce = 100
    /// How many overdue leases are in one page.
    private static let leasesAtOnce = 10_000
    private static let limits = 1...100_000
    /// How far ahead of this process the clock of a remote engine may be.
    static let maximumLead = Duration.seconds(60)

    package let engine: any StorageEngine
    let service: ConfigService
    /// The caller of the request.
    let caller: Caller

    init(service: ConfigService, caller: Caller) {
        engine = service.storage
        self.service = service
        self.caller = caller
    }

    /// Half a request's body is for keys and values, the rest for everything else that changes have.
    package var traits: StorageTraits {
        engine.traits.with(\.limits.bytes, min(engine.limits.bytes, ConfigService.maximumEngineRequest / 2))
    }

    /// What a remote engine must know of the store.
    func profile() async throws -> EngineProfile {
        // An agent knows the description and the limits of its store only after it was asked for its status.
        let status = try await service.administration?.status()
        return EngineProfile(
            description: engine.description, status: status ?? engine.description, limits: limits,
            hasSettings: engine.traits.hasSettings)
    }
}

extension ConfigService {
    /// Maximum number of bytes of one request of a remote engine.
    package static let maximumEngineRequest = 96 << 20

    /// The store for a remote engine.
    package func servedEngine(for caller: Caller) -> ServedEngine { ServedEngine(service: self, caller: caller) }
}

// MARK: Configs, whose settings have secrets

extension ServedEngine {
    package func config(_ name: ConfigName) async throws -> ConfigRecord? {
        try await engine.config(name)?.withoutSecrets
    }

    package func configNames(after: ConfigName?, limit: Int) async throws -> [ConfigName] {
        try Self.check(limit: limit)
        return try await engine.configNames(after: after, limit: limit)
    }

    package func createConfig(_ name: ConfigName, settings: ConfigSettings, first: Commit) async throws {
        try checkAsServed(first)
        guard first.changes.isEmpty else { throw DiscfgError.invalid("The first commit of a config has changes.") }
        let settings = try settings.restoringSecrets(of: ConfigSettings())
        try service.check(settings, at: first.revision)
        try await engine.createConfig(name, settings: settings, first: first)
    }

    /// Secrets that are hidden stay as they are, also if they were replaced meanwhile.
    package func updateConfig(
        _ name: ConfigName, settings: ConfigSettings, replacing old: ConfigSettings
    ) async throws -> Bool {
        guard let record = try await engine.config(name) else { throw DiscfgError.noConfig(name) }
        guard record.settings.withoutSecrets == old.withoutSecrets else { return false }
        let settings = try settings.restoringSecrets(of: record.settings)
        try service.check(settings, at: record.tail.revision)
        return try await engine.updateConfig(name, settings: settings, replacing: record.settings)
    }

    package func removeConfig(_ name: ConfigName) async throws -> Bool {
        defer { service.forget(name) }
        return try await engine.removeConfig(name)
    }
}

// MARK: Reads of the log

extension ServedEngine {
    package func tail(of config: ConfigName, knowing known: LogTail?) async throws -> LogTail {
        if let known { try Self.check(revision: known.revision, known.trimmed) }
        return try await engine.tail(of: config, knowing: known)
    }

    package func log(
        of config: ConfigName, after: Revision, limit: Int, incarnation: String?, consistency: Consistency
    ) async throws -> LogPage {
        try Self.check(limit: limit)
        try Self.check(revision: after)
        var page = try await engine.log(
            of: config, after: after, limit: limit, incarnation: incarnation, consistency: consistency)
        page.commits = page.commits.prefix(weighing: Self.pageBytes, \.weight)
        return page
    }

    package func history(
        of config: ConfigName, selection: KeySelection, _ part: LogPart, limit: Int
    ) async throws -> HistoryPage {
        try Self.check(limit: limit)
        var served = part
        switch part {
        // The newest of all is asked for with the greatest number.
        case .through(let last): served = .through(min(last, .max - 1))
        case .after(let revision): try Self.check(revision: revision)
        }
        var page = try await engine.history(of: config, selection: selection, served, limit: limit)
        let commits = page.commits.prefix(weighing: Self.pageBytes, \.weight)
        if commits.count < page.commits.count, let last = commits.last?.revision {
            page.commits = commits
            page.next = if case .through = part { .through(last - 1) } else { .after(last) }
        }
        return page
    }

    package func trim(
        _ config: ConfigName, through: Revision, keepingSince moment: Timestamp
    ) async throws -> Bool {
        try Self.check(revision: through)
        return try await engine.trim(config, through: through, keepingSince: moment)
    }
}

// MARK: Items

extension ServedEngine {
    /// The items of the first of some keys, at least one if there is any, until a page is full.
    func firstItems(of keys: [Key], in config: ConfigName, consistency: Consistency) async throws -> FirstItems {
        try Self.check(keys: keys)
        var page = FirstItems()
        try await read(keys[...], into: &page, in: config, consistency: consistency)
        return page
    }

    /// The basis for the first of some keys, at least one if there is any, until a page is full.
    func firstItems(of keys: [Key], in config: ConfigName) async throws -> FirstBasis {
        try Self.check(keys: keys)
        let first = keys.prefix(Self.itemsAtOnce)
        var basis = try await engine.basis(for: Array(first), in: config)
        var page = FirstItems(items: Array(basis.items.values), count: first.count)
        if keys.count > first.count {
            try await read(keys.dropFirst(first.count), into: &page, in: config, consistency: .strong)
            for item in page.items { basis.items[item.key] = item }
            basis.isExact = false
        }
        return FirstBasis(basis: basis, count: page.count)
    }

    private func read(
        _ keys: ArraySlice<Key>, into page: inout FirstItems, in config: ConfigName, consistency: Consistency
    ) async throws {
        var (rest, weight) = (keys, page.items.reduce(0) { $0 + $1.weight })
        while weight < Self.pageBytes {
            let some = rest.prefix(Self.itemsAtOnce)
            let items = try await engine.items(Array(some), in: config, consistency: consistency).items.values
            page.items += items
            page.count += some.count
            weight += items.reduce(0) { $0 + $1.weight }
            rest = rest.dropFirst(some.count)
            if rest.isEmpty { return }
        }
    }

    package func items(
        _ range: KeyRange, in config: ConfigName, limit: Int, values: Bool, consistency: Consistency
    ) async throws -> ItemPage {
        try Self.check(limit: limit)
        guard range.lower.count <= Key.maximumLength + 1, range.upper?.count ?? 0 <= Key.maximumLength + 1 else {
            throw DiscfgError(.invalidName, "The range has an end that is longer than a key.", hint: "Shorten it.")
        }
        var page = try await engine.items(range, in: config, limit: limit, values: values, consistency: consistency)
        let items = page.items.prefix(weighing: Self.pageBytes, \.weight)
        page.hasMore = page.hasMore || items.count < page.items.count
        page.items = items
        return page
    }

    package func overdueKeys(in config: ConfigName, at now: Timestamp, limit: Int) async throws -> [Key] {
        try Self.check(limit: limit)
        return try await engine.overdueKeys(in: config, at: now, limit: limit)
    }
}

// MARK: Leases and cells

extension ServedEngine {
    /// The leases of a selection after a position, until a page is full.
    func leases(
        _ selection: LeaseSelection, of config: ConfigName, after position: LeasePage.Position?
    ) async throws -> LeasePage {
        if case .all(_, let limit) = selection { try Self.check(limit: limit) }
        let leases = try await engine.leases(selection, of: config)
        switch (selection, position) {
        case (.one, nil), (.all, nil): return LeasePage(leases)
        case (.overdue, nil): return Self.page(of: leases, after: .min)
        case (.overdue, .lease(let id)): return Self.page(of: leases, after: id)
        case (.withKeys, nil): return Self.page(ofKeys: leases, after: nil)
        case (.withKeys, .key(let key)): return Self.page(ofKeys: leases, after: key)
        default: throw DiscfgError.invalid("The position is none of this selection of leases.")
        }
    }

    private static func page(of leases: [StoredLease], after id: Int64) -> LeasePage {
        let rest = leases.filter { $0.lease.id > id }.sorted { $0.lease.id < $1.lease.id }
        let page = Array(rest.prefix(leasesAtOnce))
        return LeasePage(page, next: page.count < rest.count ? page.last.map { .lease($0.lease.id) } : nil)
    }

    private static func page(ofKeys leases: [StoredLease], after key: Key?) -> LeasePage {
        guard var found = leases.first else { return LeasePage([]) }
        let rest = found.keys.filter { other in key.map { $0 < other } ?? true }.sorted()
        found.keys = rest.prefix(weighing: pageBytes) { $0.bytes.count + 8 }
        return LeasePage([found], next: found.keys.count < rest.count ? found.keys.last.map { .key($0) } : nil)
    }

    package func changeLease(_ change: LeaseChange, in config: ConfigName) async throws -> StoredLease? {
        switch change {
        case .create(let lease):
            guard lease.id > 0, lease.ttl > .zero, lease.ttl <= ConfigService.maximumLeaseTTL,
                (0..<Int64.max / 2).contains(lease.version), !lease.isEnding
            else {
                throw DiscfgError.invalid(
                    "The lease \(lease.id) cannot be granted so.", hint: "Give it a positive id and time to live.")
            }
            try checkClock(lease.expiry - lease.ttl)
        case .renew(_, let now): try checkClock(now)
        case .end, .remove: break
        }
        return try await engine.changeLease(change, in: config)
    }

    package func cells(
        of config: ConfigName, from first: String, through last: String, limit: Int
    ) async throws -> [Cell] {
        try Self.check(limit: limit)
        let most = min(limit, Self.pageBytes / Cell.maximumLength)
        return try await engine.cells(of: config, from: first, through: last, limit: most)
    }

    package func replaceCell(
        _ name: String, with bytes: [UInt8]?, version: Int64, in config: ConfigName
    ) async throws -> Bool {
        guard (1...256).contains(name.utf8.count), name.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
            (0..<Int64.max).contains(version), bytes?.count ?? 0 <= Cell.maximumLength
        else { throw DiscfgError.invalid("The cell “\(name)” cannot be written so.") }
        return try await engine.replaceCell(name, with: bytes, version: version, in: config)
    }
}

// MARK: Checks

extension ServedEngine {
    private static func check(limit: Int) throws(DiscfgError) {
        guard limits.contains(limit) else { throw .invalid("A limit of \(limit) is out of range.") }
    }

    private static func check(keys: [Key]) throws(DiscfgError) {
        guard keys.count <= FirstItems.maximumKeys else { throw .invalid("\(keys.count) keys are too many.") }
    }

    private static func check(revision revisions: Revision...) throws(DiscfgError) {
        for revision in revisions where !(0...Revision.maximumServed).contains(revision) {
            throw .invalid("A revision of \(revision) is out of range.")
        }
    }

    /// Checks a time by the clock of the machine that sent it: a time far ahead would end up in everything that is written later.
    func checkClock(_ moment: Timestamp) throws(DiscfgError) {
        let now = service.time.now()
        guard moment <= now + Self.maximumLead else {
            throw .invalid(
                "The time \(moment) is ahead of this server's, \(now).",
                hint: "Set the clock of the machine that sent it.")
        }
    }
}

extension Revision {
    /// Far more than any log has; engines may add to it.
    static let maximumServed: Revision = .max / 2
}

extension Array {
    /// The first elements that weigh as much together, and at least one.
    func prefix(weighing most: Int, _ weight: (Element) -> Int) -> [Element] {
        var sum = 0
        var count = 0
        for element in self {
            sum += weight(element)
            guard count == 0 || sum <= most else { break }
            count += 1
        }
        return Array(prefix(count))
    }
}
