import DiscfgCore

/// Those who wait for a lock, or for an office: the keys below a name, of which the one that came first has it.
///
/// Source: `clientv3/concurrency/key.go` of etcd.
struct WaitingLine {
    let service: EtcdService
    /// What the keys begin with.
    let prefix: [UInt8]

    /// The line of a name.
    init(_ name: [UInt8], of service: EtcdService) {
        self.service = service
        prefix = name + [UInt8(ascii: "/")]
    }

    var range: KeyRange { .prefix(prefix) }

    /// The key of a session: the hexadecimal digits of its lease.
    func key(of lease: Int64) throws(DiscfgError) -> Key { try Key(bytes: prefix + String(lease, radix: 16).utf8) }

    /// The key that came first.
    func first() async throws -> (item: Item?, revision: Revision) {
        let reading = try await service.store.range(RangeQuery(range), in: service.config)
        return (reading.items.min { $0.created < $1.created }, reading.revision)
    }

    /// Waits until no key is left that came at a revision or before; gives the config's revision then.
    ///
    /// It waits for the last of them only, so that not everybody is woken when one goes.
    func waitUntilFirst(after revision: Revision) async throws -> Revision {
        while true {
            let reading = try await service.store.range(RangeQuery(range, values: false), in: service.config)
            let before = reading.items.filter { $0.created <= revision }
            guard let last = before.max(by: { $0.created < $1.created }) else { return reading.revision }
            try await waitForEnd(of: last, after: reading.revision)
        }
    }

    /// Whether a key that came at a revision is still there: while it waited, its lease may have ended.
    func has(_ key: Key, since revision: Revision) async throws -> Bool {
        let reading = try await service.store.range(
            RangeQuery(.key(key), values: false), in: service.config)
        return reading.items.first?.created == revision
    }

    private func waitForEnd(of item: Item, after revision: Revision) async throws {
        var position = revision
        while true {
            let page: ChangePage
            do {
                page = try await service.store.changes(
                    ChangesQuery(after: position, selection: .key(item.key), wait: ChangesQuery.maximumWait),
                    in: service.config)
            } catch let error as DiscfgError where error.code == .compacted {
                // What happened is gone, so look at what is there.
                return
            }
            let changes = page.commits.flatMap(\.changes)
            // A key that was removed and set again is another.
            if changes.contains(where: { $0.item?.created != item.created }) { return }
            position = page.scanned
        }
    }
}

extension EtcdService {
    /// The seconds that a session lives when nobody says otherwise.
    private static let sessionTTL: Int64 = 60

    /// The lease of a session: the one that was given, or a new one.
    func session(_ lease: Int64) async throws -> Int64 {
        if lease != 0 { return lease }
        return try await store.grantLease(nil, ttl: .seconds(Self.sessionTTL), in: config).id
    }

    /// Does the work as etcd's lock and election servers do theirs: they are clients of etcd themselves, and what their calls
    /// are refused with reaches the caller without its code.
    func answerAsClient<Result>(_ work: () async throws -> Result) async throws(EtcdError) -> Result {
        do {
            return try await answer(work)
        } catch {
            let isOwn = error.code == .canceled || error.code == .unavailable || !error.message.hasPrefix("etcdserver:")
            throw isOwn ? error : EtcdError(.unknown, error.message)
        }
    }

    /// Does what must be done also when the caller is gone, as far as it can be done.
    func cleanUp(_ work: @escaping @Sendable () async throws -> Void) async {
        // Of a task of its own: the caller's is cancelled, and nothing would be written for it.
        _ = await Task.detached(executorPreference: options.time.executor) { try await work() }.result
    }
}
