public import AWSClient
import Synchronization

/// A lease that this process has taken.
public final class HeldLease: Sendable {
    /// The lease's name.
    public let name: String
    /// Larger than that of every earlier holder of this lease.
    public let fence: Int64
    /// The name of this process in the lease.
    public let owner: String
    let table: PatternTable
    let key: ItemKey
    let duration: Duration
    /// Until when no other process takes it, by this machine's monotonic clock.
    private let end: Mutex<Duration>

    init(_ name: String, at key: ItemKey, of manager: LeaseManager, fence: Int64, until end: Duration) {
        self.name = name
        self.key = key
        self.fence = fence
        owner = manager.owner
        table = manager.table
        duration = manager.duration
        self.end = Mutex(end)
    }

    /// How long no other process can take the lease, were it not renewed; zero if others may have it.
    public var remaining: Duration {
        let end = end.withLock { $0 }
        return max(end - table.clock.monotonic(), .zero)
    }

    /// Whether no other process can have taken the lease yet.
    public var isHeld: Bool { remaining > .zero }

    /// A check for a transaction: it is cancelled if another process has taken the lease meanwhile, or it was released.
    ///
    /// Costs two write units.
    public func check() -> TransactWriteItem { table.check(key, isOwn).transactItem }

    /// That nobody took the lease since, and it was not released.
    var isOwn: Condition {
        .all([
            .equals(LeaseRecord.Attribute.fence, .integer(fence)), .exists(LeaseRecord.Attribute.owner),
        ])
    }

    func extend(until new: Duration) { end.withLock { $0 = max($0, new) } }

    func lose() { end.withLock { $0 = .zero } }
}

extension VersionedTransaction {
    /// Has the commit check that this process still has a lease.
    ///
    /// - Parameter lease: A lease in the same account and region.
    /// - Throws: `PatternError` with code `invalidArgument`. The commit throws one with code `leaseLost` if another process
    ///   has taken the lease, and nothing is written.
    public mutating func check(_ lease: HeldLease) throws {
        let write = lease.table.check(lease.key, lease.isOwn)
        let name = lease.name
        try add(write, of: lease.key) { _ in LeaseManager.lost(name) }
    }
}
