import AWSClient
import Logging

extension StreamConsumer {
    /// Renews the leases of which half is over, with what is done by now.
    func renewWhenDue() async throws {
        for id in owned.keys.sorted() {
            guard let shard = owned[id], clock.milliseconds >= shard.renewal else { continue }
            if clock.milliseconds <= shard.lease.until + 86_400_000 {
                try await save(id)
            } else {
                // Records may be gone: it is found anew.
                drop(id)
                discoveryDue = 0
            }
        }
    }

    /// Writes down how far a shard is read, and renews its lease; drops it where it belongs to another by now.
    func save(_ id: String) async throws {
        guard let shard = owned[id] else { return }
        let now = clock.milliseconds
        do {
            try await leases.save(shard.lease, .kept(until: now + leases.lease))
            owned[id]?.lease.until = now + leases.lease
            owned[id]?.renewal = now + leases.lease / 2
        } catch let error as PatternError where error.code == .fenced {
            logger.info("A shard was taken over", metadata: metadata(of: id))
            drop(id)
        } catch let error as AWSError where error.mayPass {
            owned[id]?.renewal = clock.milliseconds + pause(after: 0)
        }
    }

    /// Lets another worker have a shard.
    func giveUp(_ id: String) async throws {
        guard let shard = owned[id] else { return }
        drop(id)
        do {
            try await leases.save(shard.lease, .givenUp)
        } catch let error as PatternError where error.code == .fenced {
            // Another one has it already.
        }
    }

    /// Writes down that a shard is done, and looks for its children.
    func end(_ id: String) async throws {
        guard let shard = owned[id] else { return }
        do {
            try await leases.save(shard.lease, .ended)
            discoveryDue = 0
            drop(id)
        } catch let error as PatternError where error.code == .fenced {
            drop(id)
        } catch let error as AWSError where error.mayPass {
            retry(id)
        }
    }

    /// Forgets a shard; its lease remains as it is.
    func drop(_ id: String) { owned[id] = nil }

    /// Leaves a shard alone for a while, after a request for it has failed.
    func retry(_ id: String) {
        let failures = owned[id]?.requestFailures ?? 0
        owned[id]?.notBefore = clock.milliseconds + pause(after: failures)
        owned[id]?.requestFailures = failures + 1
    }

    /// How long to wait after a number of failures before this one.
    func pause(after failures: Int) -> Int64 {
        Self.doubled(options.retryInterval, failures, atMost: options.longestRetryInterval)
    }

    /// Milliseconds that are doubled a number of times, up to a longest.
    static func doubled(_ first: Duration, _ times: Int, atMost longest: Duration) -> Int64 {
        let first = max(first.milliseconds, 10)
        let longest = max(longest.milliseconds, first)
        let times = Int64(min(times, 62))
        return longest >> times < first ? longest : first << times
    }

    /// Tells of records that were lost.
    func report(_ cause: StreamGap.Cause, of id: String, after sequenceNumber: String?) async {
        var metadata = metadata(of: id)
        metadata["cause"] = "\(cause)"
        logger.warning("Stream records may have been lost before they were read", metadata: metadata)
        await options.onGap?(StreamGap(stream: stream, shardID: id, cause: cause, after: sequenceNumber))
    }
}

extension AWSError {
    /// Whether the same request may succeed a little later.
    var mayPass: Bool {
        switch code {
        case .noAnswer, .invalidAnswer, .transactionConflict, "ProvisionedThroughputExceededException",
            "LimitExceededException", "RequestLimitExceeded", "ThrottlingException", "InternalServerError":
            true
        default: (status ?? 0) >= 500
        }
    }
}
