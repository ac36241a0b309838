public import DiscfgCore
import Logging

/// The rules of `ConfigService` as tests, on any store.
///
/// A test target runs each case on a store of its own:
/// ```swift
/// @Test("The rules hold", arguments: ServiceConformance.cases)
/// func conforms(_ testCase: ServiceConformance.Case) async throws {
///     let engine = MemoryEngine()
///     try await ServiceConformance { { engine } }.run(testCase)
/// }
/// ```
public struct ServiceConformance: Sendable {
    /// Opens a store; what is opened more than once is the same store, as several processes see it.
    public typealias Open = @Sendable () async throws -> any StorageEngine

    /// One rule.
    public struct Case: Sendable, CustomStringConvertible {
        /// What must be true.
        public let description: String
        /// Whether the rule is stated with revisions that hold only where nobody else writes.
        public let assumesAlone: Bool
        /// Whether it brings faults of its own, so that the store must have none.
        public let bringsFaults: Bool
        let body: @Sendable (ServiceWorld) async throws -> Void

        init(
            _ description: String, assumesAlone: Bool = true, bringsFaults: Bool = false,
            _ body: @escaping @Sendable (ServiceWorld) async throws -> Void
        ) {
            self.description = description
            self.assumesAlone = assumesAlone
            self.bringsFaults = bringsFaults
            self.body = body
        }
    }

    /// Every rule.
    public static let cases: [Case] =
        writingCases + readingCases + rangeCases + historyCases + rollbackCases + expiryCases + leaseCases
        + directoryCases + watchCases
        + pressureCases

    private let makeStore: @Sendable () async throws -> Open
    private let seed: UInt64
    private let viewMemory: Int

    /// A suite for the stores that `makeStore` makes, each empty; `seed` repeats a run whose failure named it.
    ///
    /// With `viewMemory`, the services answer reads from configs that they have loaded, into so many bytes.
    public init(
        seed: UInt64 = .random(in: 0...UInt64.max), viewMemory: Int = 0,
        makeStore: @escaping @Sendable () async throws -> Open
    ) {
        self.seed = seed
        self.viewMemory = viewMemory
        self.makeStore = makeStore
    }

    /// Runs one case.
    ///
    /// - Throws: `ConformanceFailure` when a rule is broken, or what the service throws.
    public func run(_ testCase: Case) async throws {
        do {
            let open = try await makeStore()
            try await testCase.body(ServiceWorld(open: open, clock: TestClock(), seed: seed, viewMemory: viewMemory))
        } catch {
            throw ConformanceFailure(description: "\(error) (seed \(seed))")
        }
    }
}

/// A service on a store, a clock that stands still, and short ways to write and read.
struct ServiceWorld: Sendable {
    let open: ServiceConformance.Open
    let clock: TestClock
    let seed: UInt64
    let viewMemory: Int
    let engine: any StorageEngine
    let service: ConfigService
    let config = ConfigName.default

    init(open: @escaping ServiceConformance.Open, clock: TestClock, seed: UInt64, viewMemory: Int = 0) async throws {
        self.open = open
        self.clock = clock
        self.seed = seed
        self.viewMemory = viewMemory
        engine = try await open()
        service = await Self.makeService(on: engine, clock: clock, viewMemory: viewMemory)
    }

    private static func makeService(
        on engine: any StorageEngine, clock: TestClock, viewMemory: Int
    ) async -> ConfigService {
        let options = ConfigService.Options(
            pollInterval: .milliseconds(5) ... .milliseconds(5), time: clock.steadySource, viewMemory: viewMemory)
        let service = ConfigService(
            engine: engine, options: options, logger: Logger(label: "discfg.test") { _ in SwiftLogNoOpLogHandler() })
        // If the store fails, it is tried again when the config is used.
        try? await service.loadNow(.default)
        return service
    }

    /// Another service on the same store, as another process has it.
    func anotherService() async throws -> ConfigService {
        await Self.makeService(on: try await open(), clock: clock, viewMemory: viewMemory)
    }

    /// Another service on the same store, in a process whose wall clock is ahead of the world's.
    ///
    /// Its monotonic clock moves only when the world's clock is advanced.
    func anotherService(ahead skew: Duration) async throws -> ConfigService {
        let time = TimeSource(
            now: { [clock] in clock.now + skew }, sleep: { try await Task.sleep(for: $0) },
            instant: { [clock] in clock.instant })
        return ConfigService(
            engine: try await open(), options: .init(time: time),
            logger: Logger(label: "discfg.test") { _ in SwiftLogNoOpLogHandler() })
    }

    /// A service on the same store, behind an engine that `wrap` makes of it.
    func service(behind wrap: (any StorageEngine) -> any StorageEngine) async throws -> ConfigService {
        await Self.makeService(on: wrap(try await open()), clock: clock, viewMemory: viewMemory)
    }

    func key(_ path: String) throws -> Key { try Key(path: path) }

    var revision: Revision { get async throws { try await service.info(of: config).revision } }

    @discardableResult
    func commit(
        if preconditions: [Precondition] = [], then success: [Operation], else failure: [Operation] = [],
        author: String = "",
        message: String = ""
    ) async throws -> TransactionResult {
        try await service.commit(
            Transaction(if: preconditions, then: success, else: failure, author: author, message: message), to: config)
    }

    @discardableResult
    func set(_ path: String, _ text: String, expiry: Operation.Expiry = .never) async throws -> TransactionResult {
        try await commit(then: [.set(key(path), Value(text), expiry: expiry)])
    }

    @discardableResult
    func delete(_ path: String) async throws -> TransactionResult { try await commit(then: [.delete(key(path))]) }

    /// The item, or `nil` if there is none.
    func get(_ path: String, at revision: Revision? = nil) async throws -> Item? {
        do {
            return try await service.get(key(path), in: config, at: revision).item
        } catch let error as DiscfgError where error.code == .keyNotFound {
            return nil
        }
    }

    /// Every item below a directory, at one revision.
    func list(_ directory: String = "", at revision: Revision? = nil, limit: Int = 1000) async throws -> [Item] {
        var items: [Item] = []
        var query = ListQuery(directory, isRecursive: true, at: revision, limit: limit, consistency: .strong)
        while true {
            let page = try await service.list(query, in: config)
            items += page.items
            guard let next = page.next else { return items }
            (query.after, query.revision) = (next, page.revision)
        }
    }

    /// What the keys hold, by path.
    func values(at revision: Revision? = nil) async throws -> [String: String] {
        let pairs = try await list(at: revision).map { ($0.key.description, $0.value.text ?? "") }
        return Dictionary(pairs) { first, _ in first }
    }

    /// The whole log beyond the first commit.
    func log() async throws -> [Commit] {
        var commits: [Commit] = []
        while true {
            let after = commits.last?.revision ?? 1
            let page = try await service.changes(ChangesQuery(after: after), in: config)
            if page.commits.isEmpty { return commits }
            commits += page.commits
        }
    }

    /// Checks that the log has every revision up to the config's.
    func checkLog() async throws {
        let revisions = try await log().map(\.revision)
        let last = try await revision
        try expectEqual(revisions, last > 1 ? Array(2...last) : [], "the revisions of the log")
    }
}
