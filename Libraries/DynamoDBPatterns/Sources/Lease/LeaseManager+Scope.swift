import Logging

extension LeaseManager {
    /// Runs a body under a lease, which is renewed meanwhile and released at the end.
    ///
    /// The lease is renewed after a third of its duration, one write unit each. If another process has taken it, or it
    /// could not be renewed until a tenth of its duration is left, the body is cancelled.
    ///
    /// - Parameters:
    ///   - lease: The lease's name.
    ///   - wait: How long to wait for the lease at most.
    ///   - body: The work. It should end soon after its task is cancelled; see `HeldLease.fence` for what it does until then.
    /// - Returns: What `body` returned.
    /// - Throws: What `body` throws; `PatternError` with code `busy` if another process had the lease all the time, with
    ///   code `leaseLost` if the lease was lost before the body returned; as `acquire`.
    public func withLease<Result: Sendable>(
        _ lease: String, waiting wait: Duration = .zero,
        _ body: @escaping @Sendable (HeldLease) async throws -> Result
    ) async throws -> Result {
        guard let held = try await acquire(lease, waiting: wait) else {
            throw PatternError(
                .busy, "Another process has the lease “\(lease)”.",
                hint: "Wait longer: a crashed holder's lease is free once it was watched for its whole duration.")
        }
        do {
            let result = try await whileHeld(held, body)
            await end(held)
            return result
        } catch {
            await end(held)
            throw error
        }
    }

    private enum Ended<Result: Sendable>: Sendable {
        case body(Swift.Result<Result, any Error>)
        case lease
    }

    private func whileHeld<Result: Sendable>(
        _ lease: HeldLease, _ body: @escaping @Sendable (HeldLease) async throws -> Result
    ) async throws -> Result {
        let outcome = await withTaskGroup(of: Ended<Result>.self) { group -> Swift.Result<Result, any Error> in
            group.addTask {
                do { return .body(.success(try await body(lease))) } catch { return .body(.failure(error)) }
            }
            group.addTask {
                await self.keep(lease)
                return .lease
            }
            let first = await group.next()
            group.cancelAll()
            if case .body(let result) = first { return result }
            // The heartbeat also ends if this task was cancelled: then the body's answer counts.
            for await case .body(let result) in group where lease.isHeld { return result }
            table.metrics.lost(name)
            logger.warning("A lease was lost before its work was done", metadata: metadata(of: lease.name))
            return .failure(Self.lost(lease.name))
        }
        return try outcome.get()
    }

    /// Renews a lease until it is lost or the task is cancelled.
    private func keep(_ lease: HeldLease) async {
        let margin = duration / 10
        while !Task.isCancelled {
            let left = lease.remaining - margin
            guard left > .zero else { return lease.lose() }
            // After a third of the duration, and sooner again after a failure.
            let due = left - duration * 17 / 30
            do {
                try await table.clock.sleep(due > .zero ? due : min(left, duration / 30))
                guard lease.remaining > margin else { continue }
                try await within(lease.remaining - margin) { try await self.renew(lease) }
            } catch let error as PatternError where error.code == .leaseLost {
                return
            } catch {
                if Task.isCancelled { return }
                logger.warn("A lease could not be renewed, and is tried again", of: error, metadata(of: lease.name))
            }
        }
    }

    /// Ends a request that takes so long that the lease may be over.
    private func within(_ time: Duration, _ request: @escaping @Sendable () async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            defer { group.cancelAll() }
            group.addTask { try await request() }
            group.addTask { [clock = table.clock] in
                try await clock.sleep(time)
                throw PatternError(.timedOut, "A lease was not renewed in time.")
            }
            _ = try await group.next()
        }
    }

    /// Releases a lease, also for a task that was cancelled.
    private func end(_ lease: HeldLease) async {
        do {
            try await uncancelled { try await self.release(lease) }
        } catch {
            logger.warn("A lease could not be released, and runs out", of: error, metadata(of: lease.name))
        }
    }
}
