import AWSClient

extension StreamConsumer {
    /// Handles one batch of a shard, or what is left of the last one.
    ///
    /// - Returns: How many records are done.
    func visit(_ id: String, skippingIdle: Bool) async throws -> Int {
        guard let shard = owned[id], clock.milliseconds >= shard.notBefore else { return 0 }
        if skippingIdle, shard.pending.isEmpty, !shard.isLastPage, clock.milliseconds < shard.idleUntil { return 0 }
        var handled = 0
        var isPassedOver = false
        // Pages of which nothing is for the handler are no batch.
        repeat {
            guard let shard = owned[id] else { return 0 }
            if shard.pending.isEmpty, !shard.isLastPage {
                guard try await read(id) else { return 0 }
                rest(id)
            }
            isPassedOver = owned[id]?.pending.isEmpty == false
            handled = try await handlePending(id)
            isPassedOver = isPassedOver && handled == 0 && owned[id]?.pending.isEmpty == true
        } while isPassedOver
        guard let shard = owned[id] else { return handled }
        if shard.pending.isEmpty, shard.isLastPage {
            try await end(id)
        } else if handled > 0 {
            try await save(id)
        }
        return handled
    }

    /// Lets `run()` ask a shard less often while it has nothing.
    private func rest(_ id: String) {
        guard let shard = owned[id] else { return }
        guard shard.pending.isEmpty, !shard.isLastPage else {
            owned[id]?.idleUntil = 0
            owned[id]?.idlePolls = 0
            return
        }
        let pause = Self.doubled(options.pollInterval, shard.idlePolls, atMost: options.longestPollInterval)
        owned[id]?.idleUntil = clock.milliseconds + pause
        owned[id]?.idlePolls = shard.idlePolls + 1
    }

    /// Handles what was read, until a record fails or the shard belongs to another.
    private func handlePending(_ id: String) async throws -> Int {
        var handled = 0
        while true {
            if WorkerStop.isAskedFor { throw CancellationError() }
            try await renewWhenDue()
            guard let shard = owned[id], let record = shard.pending.first else { return handled }
            // The lease may have run out while it could not be renewed: others may work on the shard by now.
            guard clock.milliseconds < shard.lease.until else {
                drop(id)
                return handled
            }
            switch await outcome(of: record, in: shard) {
            case .handled, .buried: handled += 1
            case .passedOver: break
            case .failed:
                try Task.checkCancellation()
                try await fail(id)
                return handled
            }
            owned[id]?.pending.removeFirst()
            owned[id]?.lease.checkpoint = record.change?.sequenceNumber ?? shard.lease.checkpoint
            owned[id]?.lease.failures = 0
            owned[id]?.isTrimmed = false
        }
    }

    private func outcome(of record: StreamRecord, in shard: OwnedShard) async -> RecordOutcome {
        // Leases in the table whose stream this is: handling them would change them, for ever.
        if leases.wrote(record, in: stream) || isBeforeBeginning(record) { return .passedOver }
        var origin = RecordOrigin(stream: stream, shardID: shard.lease.shardID, failures: shard.lease.failures)
        measureLag(of: record)
        let outcome = await processor.handle(record, from: origin)
        guard case .failed(let error) = outcome, !Task.isCancelled,
            processor.hasDeadLetters, isExhausted(record, failures: shard.lease.failures + 1)
        else { return outcome }
        origin.failures += 1
        return await processor.bury(record, from: origin, because: error)
    }

    private func measureLag(of record: StreamRecord) {
        guard let time = record.change?.approximateCreationDateTime else { return }
        let age = Double(clock.milliseconds) - time * 1000
        leases.table.metrics.lag(of: Int64(min(max(age, 0), 9e12)), MetricSubject("consumer", processor.name))
    }

    /// Whether a record is older than what the consumer was to begin with; its time is rounded down to seconds.
    private func isBeforeBeginning(_ record: StreamRecord) -> Bool {
        guard let since = beginning?.since, let time = record.change?.approximateCreationDateTime else { return false }
        return (time + 1) * 1000 <= Double(since)
    }

    private func isExhausted(_ record: StreamRecord, failures: Int) -> Bool {
        if let maximum = options.maximumTries, failures >= maximum { return true }
        guard let age = options.maximumAge, let time = record.change?.approximateCreationDateTime else { return false }
        return Double(clock.milliseconds) - time * 1000 > Double(age.milliseconds)
    }

    /// Writes down that the shard's next record has failed, and waits with it.
    private func fail(_ id: String) async throws {
        guard let failures = owned[id]?.lease.failures else { return }
        leases.table.metrics.failed(MetricSubject("consumer", processor.name))
        owned[id]?.lease.failures = failures + 1
        owned[id]?.notBefore = clock.milliseconds + pause(after: failures)
        try await save(id)
    }
}
