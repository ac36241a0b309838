import DiscfgCore
import DiscfgEtcd
import DiscfgTestSupport
import Logging
import Synchronization
import Testing

/// etcd's API on an empty store in memory, with a clock of its own.
struct EtcdFixture: Sendable {
    let engine: any StorageEngine
    let clock: TestClock
    let store: ConfigService
    let etcd: EtcdService

    init(_ change: (inout EtcdService.Options) -> Void = { _ in }) {
        self.init(engine: MemoryEngine(), change)
    }

    init(
        engine: any StorageEngine, clock: TestClock = TestClock(),
        _ change: (inout EtcdService.Options) -> Void = { _ in }
    ) {
        (self.engine, self.clock) = (engine, clock)
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        store = ConfigService(engine: engine, options: .init(time: clock.steadySource), logger: logger)
        var options = EtcdService.Options(time: clock.source)
        change(&options)
        let api = EtcdAPI(
            store: store, config: .default, identity: EtcdIdentity(clusterID: 7, memberID: 8, name: "test"),
            options: options, logger: logger)
        etcd = api.acting(as: .anonymous)
    }

    /// The same store at the same time, as another process has it.
    func another() -> EtcdFixture { EtcdFixture(engine: engine, clock: clock) }

    /// Sets a key; gives the revision.
    @discardableResult
    func put(_ key: String, _ value: String = "", lease: Int64 = 0) async throws -> Int64 {
        try await etcd.put(PutRequest(key: key.bytes, value: value.bytes, lease: lease)).header.revision
    }

    @discardableResult
    func delete(_ key: String, to end: String = "") async throws -> Int64 {
        try await etcd.deleteRange(DeleteRangeRequest(key: key.bytes, rangeEnd: end.bytes)).header.revision
    }

    /// The values of a range by key.
    func values(_ key: String, to end: String = "", at revision: Int64 = 0) async throws -> [String: String] {
        let kvs = try await etcd.range(RangeRequest(key: key.bytes, rangeEnd: end.bytes, revision: revision)).kvs
        return Dictionary(uniqueKeysWithValues: kvs.map { ($0.key.text, $0.value.text) })
    }

    var revision: Int64 {
        get async throws { try await store.revision(of: .default) }
    }

    /// Makes a lease; gives its id.
    @discardableResult
    func grant(_ id: Int64 = 0, ttl: Int64 = 60) async throws -> Int64 {
        try await etcd.leaseGrant(LeaseGrantRequest(ttl: ttl, id: id)).id
    }

    /// Lets the time pass, and ends what is over by then.
    func advance(by duration: Duration) async throws {
        clock.advance(by: duration)
        try await store.sweep(.default)
    }

    func lock(_ name: String, _ lease: Int64) async throws -> LockResponse {
        try await etcd.lock(LockRequest(name: name.bytes, lease: lease))
    }

    func campaign(_ name: String, _ lease: Int64, _ value: String) async throws -> LeaderKey {
        try await etcd.campaign(CampaignRequest(name: name.bytes, lease: lease, value: value.bytes)).leader
    }

    func compact(_ revision: Int64) async throws {
        _ = try await etcd.compact(CompactionRequest(revision: revision))
    }

    /// The names of the keys that begin with something.
    func keys(below prefix: String) async throws -> [String] {
        let (first, end) = (prefix.isEmpty ? [0] : prefix.bytes, prefix.bytes.prefixEnd ?? [0])
        let request = RangeRequest(key: first, rangeEnd: end)
        return try await etcd.range(request).kvs.map(\.key.text)
    }

    /// Waits until there are so many keys that begin with something.
    func waitForKeys(_ count: Int, below prefix: String) async throws {
        while try await keys(below: prefix).count != count { await Task.yield() }
    }
}

/// What several tasks did, in their order.
final class Record<Element: Sendable>: Sendable {
    private let elements = Mutex<[Element]>([])

    var all: [Element] { elements.withLock { $0 } }

    func append(_ element: Element) { elements.withLock { $0.append(element) } }
}

extension String {
    var bytes: [UInt8] { Array(utf8) }
}

extension [UInt8] {
    var text: String { String(decoding: self, as: UTF8.self) }
}

extension PutRequest {
    init(_ key: String, _ value: String = "", _ change: (inout PutRequest) -> Void = { _ in }) {
        self.init(key: key.bytes, value: value.bytes)
        change(&self)
    }
}

extension RangeRequest {
    init(_ key: String, to end: String = "", _ change: (inout RangeRequest) -> Void = { _ in }) {
        self.init(key: key.bytes, rangeEnd: end.bytes)
        change(&self)
    }
}

extension RequestOp {
    static func put(_ key: String, _ value: String = "") -> RequestOp { .put(PutRequest(key, value)) }
    static func range(_ key: String, to end: String = "") -> RequestOp { .range(RangeRequest(key, to: end)) }
    static func delete(_ key: String, to end: String = "") -> RequestOp {
        .deleteRange(DeleteRangeRequest(key: key.bytes, rangeEnd: end.bytes))
    }
}
