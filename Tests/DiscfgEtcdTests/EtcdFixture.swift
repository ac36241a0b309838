import DiscfgCore
import DiscfgEtcd
import DiscfgTestSupport
import Logging
import Testing

/// etcd's API on an empty store in memory, with a clock of its own.
struct EtcdFixture: Sendable {
    let clock = TestClock()
    let store: ConfigService
    let etcd: EtcdService

    init(_ change: (inout EtcdService.Options) -> Void = { _ in }) {
        self.init(engine: MemoryEngine(), change)
    }

    init(engine: any StorageEngine, _ change: (inout EtcdService.Options) -> Void = { _ in }) {
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        store = ConfigService(engine: engine, options: .init(time: clock.steadySource), logger: logger)
        var options = EtcdService.Options(time: clock.source)
        change(&options)
        etcd = EtcdService(
            service: store, config: .default, identity: EtcdIdentity(clusterID: 7, memberID: 8, name: "test"),
            options: options, logger: logger)
    }

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
