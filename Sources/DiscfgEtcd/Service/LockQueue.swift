import DiscfgCore

/// The queue for a lock or an election: the keys below a name, of which the first holds the lock or leads.
///
/// Source: `clientv3/concurrency/key.go` of etcd.
struct LockQueue {
    let service: EtcdService
    /// The prefix of the keys.
    let prefix: [UInt8]

    /// The queue of a name.
    init(_ name: [UInt8], of service: EtcdService) {
        self.service = service
        prefix = name + [UInt8(ascii: "/")]
    }

    var range: KeyRange { .prefix(prefix) }

    /// The key of a session: the hexadecimal digits of its lease.
    func key(of lease: Int64) throws(DiscfgError) -> Key { try Key(bytes: prefix + String(lease, radix: 16).utf8) }

    /// The key that was created first.
    func first() async throws -> (item: Item?, revision: Revision) {
        let reading = try await service.store.range(RangeQuery(range), in: service.config)
        return (reading.items.min { $0.created < $1.created }, reading.revision)
    }

    /// Waits until no key is left that was created at a revision or before; returns the config's revision then.
    ///
    /// It waits only for the last of them, so that one removal does not wake all waiting callers.
    func waitUntilFirst(after revision: Revision) async throws -> Revision {
        while true {
            let reading = try await service.store.range(RangeQuery(range, values: false), in: service.config)
            let before = reading.items.filter { $0.created <= revision }
            guard let last = before.max(by: { $0.created < $1.created }) else { return reading.revision }
            try await waitForEnd(of: last, after: reading.revision)
        }
    }

    /// Whether a key that was created at a revision still exists: its lease may have ended during the wait.
    func has(_ key: Key, since revision: Revision) async throws -> Bool {
        let reading = try await service.store.range(
            RangeQuery(.key(key), values: false), in: service.config)
        return reading.items.first?.created == revision
    }

    private func waitForEnd(of item: Item, after revision: Revision) async throws {
        var position = revision
        // From the first page on it is one log, whatever is created again in its place.
        var log: String?
        while true {
            let page: ChangePage
            do {
                page = try await service.store.changes(
                    ChangesQuery(
                        after: position, selection: .key(item.key), wait: ChangesQuery.maximumWait, log: log),
                    in: service.config)
            } catch let error as DiscfgError where [.compacted, .futureRevision].contains(error.code) {
                // The commits are compacted, or the log is another, so read the current state.
                return
            }
            let changes = page.commits.flatMap(\.changes)
            // A key that was removed and set again is a different one.
            if changes.contains(where: { $0.item?.created != item.created }) { return }
            (position, log) = (page.scanned, page.log)
        }
    }
}

extension EtcdService {
    /// The default time to live of a session in seconds.
    private static let sessionTTL: Int64 = 60

    /// Works with the lease of a session: the one that was given, or a new one, which ends at once if the work fails.
    func withSession<Result>(_ lease: Int64, _ work: (Int64) async throws -> Result) async throws -> Result {
        if lease != 0 { return try await work(lease) }
        let granted = try await store.grantLease(nil, ttl: .seconds(Self.sessionTTL), in: config).id
        do {
            return try await work(granted)
        } catch {
            await cleanUp { [self] in _ = try await store.revokeLease(granted, in: config) }
            throw error
        }
    }

    /// Does the work as etcd's lock and election servers do: they are clients of etcd themselves, and the errors of
    /// their calls reach the caller without their codes.
    func answerAsClient<Result>(_ work: () async throws -> Result) async throws(EtcdError) -> Result {
        do {
            return try await answer(work)
        } catch {
            let isOwn = error.code == .canceled || error.code == .unavailable || !error.message.hasPrefix("etcdserver:")
            throw isOwn ? error : EtcdError(.unknown, error.message)
        }
    }

    /// Does work that must be done even if the caller is gone, if possible.
    func cleanUp(_ work: @escaping @Sendable () async throws -> Void) async {
        // In a separate task: the caller's task is cancelled, and would write nothing.
        _ = await Task.detached(executorPreference: options.time.executor) { try await work() }.result
    }
}
