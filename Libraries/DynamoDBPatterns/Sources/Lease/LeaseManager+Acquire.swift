import AWSClient
import Synchronization

extension LeaseManager {
    /// Takes a lease, and waits for it if another process has it.
    ///
    /// The caller renews and releases it; `withLease` does both. Costs a read unit for each look, and one write unit.
    ///
    /// A lease whose holder has crashed is taken once this process has watched it for its whole duration: within one
    /// call, or over several calls of one `LeaseManager`.
    ///
    /// - Parameters:
    ///   - lease: The lease's name, 1 to 512 bytes. Its item of some 150 bytes stays, so that the fence only grows.
    ///   - wait: How long to wait at most; zero for one look.
    /// - Returns: The lease; `nil` if another process has it all the time.
    /// - Throws: `AWSError`, after which the lease may be taken, and runs out; `PatternError` with the codes
    ///   `invalidArgument` and `corrupt`; `CancellationError`.
    public func acquire(_ lease: String, waiting wait: Duration = .zero) async throws -> HeldLease? {
        let key = try itemKey(of: lease)
        let clock = table.clock
        let end = clock.monotonic() + max(wait, .zero)
        while true {
            try Task.checkCancellation()
            let seen = try await table.item(key).map(LeaseRecord.init)
            let left = look(at: seen, of: lease)
            if left <= .zero, let taken = try await take(lease, at: key, seen) { return taken }
            let rest = end - clock.monotonic()
            guard rest > .zero else { return nil }
            // A release shall be seen soon; and the end of a lease that nobody renews.
            let pause = min(max(duration / 10, .milliseconds(20)), .seconds(1))
            let next = left > .zero ? min(pause, left) : .conflictBackoff(1, clock)
            try await clock.sleep(max(min(next, rest), .milliseconds(1)))
        }
    }

    /// How long a lease is not to be taken yet, as far as this process has seen it.
    private func look(at seen: LeaseRecord?, of lease: String) -> Duration {
        let now = table.clock.monotonic()
        return sightings.withLock { sightings in
            guard let seen, seen.owner != nil else {
                sightings[lease] = nil
                return .zero
            }
            // Seen only now: its holder's count began before.
            let sighting = sightings[lease].flatMap { $0.token == seen.token ? $0 : nil }
            let known = sighting ?? LeaseSighting(token: seen.token, since: now)
            sightings[lease] = known
            return known.since + seen.duration - now
        }
    }

    /// Takes a lease that is free, or that was watched for long enough.
    ///
    /// - Returns: The lease; `nil` if another process was faster, or the holder has renewed it.
    private func take(_ lease: String, at key: ItemKey, _ seen: LeaseRecord?) async throws -> HeldLease? {
        typealias Name = LeaseRecord.Attribute
        let token = table.clock.token()
        let start = table.clock.monotonic()
        let fence = (seen?.fence ?? 0) + 1
        var update = ItemUpdate()
        update.set(Name.fence, .integer(fence))
        update.set(Name.owner, .string(owner))
        update.set(Name.duration, .integer(duration.milliseconds))
        let condition: Condition =
            if let seen { .equals(Name.token, .string(seen.token)) } else { .absent(PatternTable.Attribute.partition) }
        let write = try await table.writeMarked(key, update, token: token, in: Name.token, if: condition)
        guard write.item != nil else { return nil }
        sightings.withLock { $0[lease] = nil }
        return HeldLease(lease, at: key, of: self, fence: fence, until: start + duration)
    }

    /// Extends a lease by its duration, from now.
    ///
    /// Costs one write unit.
    ///
    /// - Parameter lease: A lease of this manager.
    /// - Throws: `PatternError` with code `leaseLost` if another process has taken it, or it was released; `AWSError`, after
    ///   which the lease lasts at least as long as before.
    public func renew(_ lease: HeldLease) async throws {
        let start = table.clock.monotonic()
        var update = ItemUpdate()
        update.set(LeaseRecord.Attribute.token, .string(table.clock.token()))
        update.set(LeaseRecord.Attribute.duration, .integer(duration.milliseconds))
        // Each process that takes the lease changes the fence, so that a refusal is never this write's own doing.
        guard case .done = try await table.carryOut(table.write(lease.key, update, if: lease.isOwn)) else {
            lease.lose()
            throw Self.lost(lease.name)
        }
        lease.extend(until: start + duration)
    }

    /// Lets others take a lease at once; does nothing if another process has it already.
    ///
    /// Costs one write unit.
    ///
    /// - Parameter lease: A lease of this manager, which is over after that.
    /// - Throws: `AWSError`; then the lease runs out.
    public func release(_ lease: HeldLease) async throws {
        lease.lose()
        var update = ItemUpdate()
        update.remove(LeaseRecord.Attribute.owner)
        update.set(LeaseRecord.Attribute.token, .string(table.clock.token()))
        _ = try await table.carryOut(table.write(lease.key, update, if: lease.isOwn))
    }

    static func lost(_ lease: String) -> PatternError {
        PatternError(
            .leaseLost, "The lease “\(lease)” is lost: another process may have it.",
            hint: "What was done under it may be repeated by the next holder, whose fence is larger.")
    }
}
