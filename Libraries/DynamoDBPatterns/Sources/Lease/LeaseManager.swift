import AWSClient
public import Logging
import Synchronization

/// Leases on names: each belongs to one holder at a time, who renews it, and whose successor is told by a larger number.
///
/// ```swift
/// let leases = try LeaseManager("jobs", in: table)
/// try await leases.withLease("nightly", waiting: .seconds(10)) { lease in
///     try await report(fence: lease.fence)                  // cancelled if the lease is lost
///     _ = try await dynamoDB.transactWriteItems(.init(transactItems: [lease.check(), .put(…)]))
/// }
/// ```
///
/// - Nobody's wall clock counts. A waiting process takes over a lease that it has seen unchanged for as long as its
///   holder said that it lasts, by the monotonic clock of the waiting process. A holder counts from before its request.
/// - A lease that is released can be taken at once. One whose holder has crashed can be taken once a process has
///   watched it for its whole `duration`.
/// - A lease is no proof: a holder may stand still between a look at the lease and its effect. `HeldLease.fence` grows with
///   each holder; a write with `HeldLease.check` in its transaction, or a service that refuses smaller fences, is safe.
public final class LeaseManager: Sendable {
    /// The name in the keys of the items.
    public let name: String
    /// The table of the items, which other patterns may share.
    public let table: PatternTable
    /// How long a lease lasts that is not renewed.
    public let duration: Duration
    /// The name of this process in leases, for people to read.
    public let owner: String
    let logger: Logger
    /// What this process has seen of leases that others hold.
    let sightings = Mutex<[String: LeaseSighting]>([:])

    /// The leases of one name; no request is made yet.
    ///
    /// - Parameters:
    ///   - name: The name in the keys of the items: 1 to 64 letters, digits, dots, underscores and hyphens.
    ///   - table: Where the leases are kept.
    ///   - duration: How long a lease lasts that is not renewed, at least 100 ms; it is renewed after a third of that.
    ///     Different processes may use different ones.
    ///   - owner: The name of this process in leases, for people to read; `nil` for a random one.
    ///   - logger: Receives leases that were lost or could not be released.
    /// - Throws: `PatternError` with code `invalidArgument`.
    public init(
        _ name: String, in table: PatternTable, duration: Duration = .seconds(30), owner: String? = nil,
        logger: Logger = Logger(label: "DynamoDBPatterns.LeaseManager")
    ) throws(PatternError) {
        try PatternName.check(name, of: "leases")
        guard duration >= .milliseconds(100), duration <= .seconds(86_400) else {
            throw PatternError(
                .invalidArgument, "The duration of the leases “\(name)” is not allowed.",
                hint: "It has to be from 100 milliseconds to a day.")
        }
        self.name = name
        self.table = table
        self.duration = duration
        self.owner = owner ?? table.clock.token()
        self.logger = logger
    }
}

extension PatternError.Code {
    /// A lease could not be kept: others may hold it by now.
    public static let leaseLost = PatternError.Code(rawValue: "leaseLost")
}

extension LeaseManager {
    /// The key of the item of a lease.
    func itemKey(of lease: String) throws(PatternError) -> ItemKey {
        try PatternKey.check(lease, of: "name of a lease")
        return ItemKey(partition: PatternTable.Prefix("K", name).partition(lease), sort: "lease")
    }

    func metadata(of lease: String) -> Logger.Metadata {
        ["leases.name": "\(name)", "lease.name": "\(lease)", "lease.owner": "\(owner)"]
    }
}

/// A lease of another holder, as this process has seen it.
struct LeaseSighting: Sendable {
    /// Of the holder's last write.
    var token: String
    /// When it was seen first, by this machine's monotonic clock.
    var since: Duration
}

/// What is stored of a lease.
struct LeaseRecord: Sendable {
    enum Attribute {
        static let fence = ShardLease.Attribute.fence
        static let owner = ShardLease.Attribute.owner
        static let token = ShardLease.Attribute.token
        /// How long the lease lasts after its last write, in milliseconds.
        static let duration = "duration"
    }

    let fence: Int64
    /// `nil` if it was released.
    let owner: String?
    /// Changes with each write.
    let token: String
    let duration: Duration

    /// - Throws: `PatternError` with code `corrupt`.
    init(_ item: StoredItem) throws(PatternError) {
        guard let fence = item[Attribute.fence]?.int64, (1..<Int64.max).contains(fence),
            let token = item[Attribute.token]?.string, let duration = item[Attribute.duration]?.int64, duration > 0
        else { throw PatternError(.corrupt, "The item of a lease is not what this library writes.") }
        self.fence = fence
        self.token = token
        self.duration = .milliseconds(duration)
        owner = item[Attribute.owner]?.string
    }
}
