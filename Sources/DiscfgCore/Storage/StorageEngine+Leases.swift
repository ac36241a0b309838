/// A lease as the store has it.
public struct StoredLease: Sendable, Hashable {
    /// What was granted, with its version and its end.
    public var lease: Lease
    /// Distinguishes the lease from all other leases that ever have its id.
    public var generation: String
    /// The keys that are attached to it, in no particular order, if they were asked for.
    ///
    /// Keys that are no longer attached may be among them.
    public var keys: [Key]

    /// A lease with its generation, and with its keys if they were asked for.
    public init(_ lease: Lease, generation: String, keys: [Key] = []) {
        self.lease = lease
        self.generation = generation
        self.keys = keys
    }
}

/// Some leases of a config, including those that are ending.
public enum LeaseSelection: Sendable, Hashable {
    /// The lease of an id, strongly consistent.
    case one(Int64)
    /// The lease of an id and, unless it is `nil`, a generation, with its keys; strongly consistent.
    case withKeys(Int64, generation: String?)
    /// The leases in the order of their ids, after `after`, at most `limit`.
    case all(after: Int64?, limit: Int)
    /// All leases that are overdue at a moment, or ending, in no particular order.
    ///
    /// If the store is remote, the leases may be as of shortly before.
    case overdue(at: Timestamp)
}

/// A change of one lease, which is made at once, on a condition, and without a commit.
public enum LeaseChange: Sendable, Hashable {
    /// Creates a lease, unless there is a lease of that id, even one that is ending.
    case create(Lease)
    /// Renews a lease, unless it is ending: it then ends its time to live after `now`, and has a higher version.
    case renew(Int64, at: Timestamp)
    /// Begins a lease's end: from then on the lease cannot be renewed, and nothing can be attached to it.
    ///
    /// With `lease`, only if the lease is ending already, or the stored end and version are still those of `lease`, so
    /// that it was not renewed since; with `nil`, in any case.
    case end(Int64, ifUnchanged: Lease?)
    /// Removes a lease that is ending and, unless it is `nil`, has that generation: the id may have been granted again.
    case remove(Int64, generation: String?)
}

extension StorageEngine {
    /// Creates a lease; `false` if there is a lease of that id, even one that is ending.
    package func createLease(_ lease: Lease, in config: ConfigName) async throws -> Bool {
        try await changeLease(.create(lease), in: config) != nil
    }

    /// The lease, strongly consistent; `nil` if there is none of that id.
    package func lease(_ id: Int64, in config: ConfigName) async throws -> Lease? {
        try await leases(.one(id), of: config).first?.lease
    }

    /// The leases in the order of their ids, including those that are ending, after `after`, at most `limit`.
    package func leases(of config: ConfigName, after: Int64?, limit: Int) async throws -> [Lease] {
        try await leases(.all(after: after, limit: limit), of: config).map(\.lease)
    }

    /// The renewed lease; `nil` if it does not exist or is ending.
    package func renewLease(_ id: Int64, in config: ConfigName, at now: Timestamp) async throws -> Lease? {
        try await changeLease(.renew(id, at: now), in: config)?.lease
    }

    /// Begins a lease's end.
    ///
    /// - Returns: If the lease is ending now, or was ending before, its generation; `nil` otherwise.
    package func endLease(_ id: Int64, in config: ConfigName, ifUnchanged lease: Lease?) async throws -> String? {
        try await changeLease(.end(id, ifUnchanged: lease), in: config)?.generation
    }

    /// The keys that are attached to a lease, strongly consistent; `nil` if there is no lease of that id and generation.
    package func keys(of lease: Int64, generation: String?, in config: ConfigName) async throws -> [Key]? {
        try await leases(.withKeys(lease, generation: generation), of: config).first?.keys
    }

    /// The keys that are attached to any lease of that id.
    package func keys(of lease: Int64, in config: ConfigName) async throws -> [Key] {
        try await keys(of: lease, generation: nil, in: config) ?? []
    }

    /// Removes a lease that is ending and whose keys are gone.
    package func removeLease(_ id: Int64, generation: String? = nil, in config: ConfigName) async throws {
        _ = try await changeLease(.remove(id, generation: generation), in: config)
    }

    /// All leases that are overdue at a moment, or ending, in no particular order.
    package func overdueLeases(in config: ConfigName, at now: Timestamp) async throws -> [Lease] {
        try await leases(.overdue(at: now), of: config).map(\.lease)
    }
}
