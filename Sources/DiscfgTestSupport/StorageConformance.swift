public import DiscfgCore

/// The contract of `StorageEngine` as tests, for any engine.
///
/// A test target runs each case on an engine of its own:
/// ```swift
/// @Test("The engine keeps the contract", arguments: StorageConformance.cases)
/// func conforms(_ testCase: StorageConformance.Case) async throws {
///     try await StorageConformance { MyEngine() }.run(testCase)
/// }
/// ```
public struct StorageConformance: Sendable {
    /// One sentence of the contract.
    public struct Case: Sendable, CustomStringConvertible {
        /// What must be true.
        public let description: String
        let body: @Sendable (StorageWorld) async throws -> Void

        init(_ description: String, _ body: @escaping @Sendable (StorageWorld) async throws -> Void) {
            self.description = description
            self.body = body
        }
    }

    /// Everything that an engine must do.
    public static let cases: [Case] =
        configCases + logCases + historyCases + itemCases + leaseCases + cellCases + modelCases

    private let makeEngine: @Sendable () async throws -> any StorageEngine
    private let seed: UInt64

    /// A suite for the engines that `makeEngine` makes, each empty; `seed` repeats a run whose failure named it.
    public init(
        seed: UInt64 = .random(in: 0...UInt64.max), makeEngine: @escaping @Sendable () async throws -> any StorageEngine
    ) {
        self.seed = seed
        self.makeEngine = makeEngine
    }

    /// Runs one case.
    ///
    /// - Throws: `ConformanceFailure` when the engine does otherwise, or what the engine throws.
    public func run(_ testCase: Case) async throws {
        let world = StorageWorld(engine: try await makeEngine(), seed: seed)
        do {
            try await world.engine.createConfig(world.config, settings: ConfigSettings(), first: world.commit(1, []))
            try await testCase.body(world)
        } catch {
            throw ConformanceFailure(description: "\(error) (seed \(seed))")
        }
    }
}

/// An engine with an empty config, and short ways to write and read it.
struct StorageWorld: Sendable {
    let engine: any StorageEngine
    let seed: UInt64
    let config = ConfigName.default

    func name(_ text: String) throws -> ConfigName { try ConfigName(text) }
    func key(_ text: String) throws -> Key { try Key(bytes: Array(text.utf8)) }

    /// Revision 1 is at second 1 after the epoch, and so on.
    func time(_ revision: Revision) -> Timestamp { Timestamp(milliseconds: revision * 1000) }

    func commit(_ revision: Revision, _ changes: [Change], id: String = Commit.newID()) -> Commit {
        Commit(
            id: id, revision: revision, time: time(revision), author: "author \(revision)",
            message: "message \(revision)",
            changes: changes.sorted { $0.key < $1.key })
    }

    func item(
        _ key: String, _ value: String, at revision: Revision, expiry: Int64? = nil, lease: Int64? = nil
    ) throws -> Item {
        var item = try item(self.key(key), Array(value.utf8), at: revision, expiry: expiry)
        item.lease = lease
        return item
    }

    func item(_ key: Key, _ bytes: [UInt8], at revision: Revision, expiry: Int64? = nil) -> Item {
        Item(
            key: key, value: Value(bytes: bytes, contentType: "text/plain"), version: 1, created: revision,
            modified: revision,
            modifiedAt: time(revision), author: "author \(revision)", expiry: expiry.map { Timestamp(milliseconds: $0) }
        )
    }

    /// Appends at the tail; fails where others were first.
    func append(_ changes: [Change]...) async throws {
        let tail = try await engine.tail(of: config).revision
        let commits = changes.enumerated().map { commit(tail + 1 + Int64($0), $1) }
        try expectEqual(try await engine.append(commits, to: config), .appended, "the outcome")
    }

    /// Sets keys in one commit; returns the items.
    @discardableResult
    func set(_ values: KeyValuePairs<String, String>) async throws -> [Item] {
        let revision = try await engine.tail(of: config).revision + 1
        var changes: [Change] = []
        for (key, value) in values {
            let previous = try await engine.items([self.key(key)], in: config, consistency: .strong).items.values.first
            changes.append(.set(try item(key, value, at: revision), previous: previous))
        }
        changes.sort { $0.key < $1.key }
        try await append(changes)
        return changes.compactMap(\.item)
    }

    /// Checks the tail that came with a read, from an engine that tells it.
    func expectTail(_ found: LogTail?, _ tail: LogTail) throws {
        try expectEqual(found, engine.traits.readsTellTail ? tail : nil, "the tail that the read told")
    }

    func delete(_ item: Item, kind: Change.Kind = .delete) async throws {
        try await append([.removed(item, kind: kind)])
    }

    /// The whole log.
    func log(after: Revision = 1) async throws -> [Commit] {
        var commits: [Commit] = []
        while true {
            let page = try await engine.entries(of: config, after: commits.last?.revision ?? after, limit: 1000)
            if page.isEmpty { return commits }
            commits += page
        }
    }

    /// All items.
    func items(_ range: KeyRange = .all) async throws -> [Item] {
        var items: [Item] = []
        var rest = range
        while true {
            let page = try await engine.items(rest, in: config, limit: 1000, values: true, consistency: .strong)
            items += page.items
            guard page.hasMore, let last = page.items.last else { return items }
            rest = rest.after(last.key)
        }
    }

    func trim(through revision: Revision) async throws {
        while try await !engine.trim(config, through: revision) {}
    }
}

extension StorageEngine {
    /// Trims, and keeps nothing of what is trimmed.
    package func trim(_ config: ConfigName, through: Revision) async throws -> Bool {
        try await trim(config, through: through, keepingSince: Timestamp(milliseconds: .max))
    }
}
