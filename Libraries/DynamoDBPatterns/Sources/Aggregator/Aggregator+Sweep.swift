public import AWSClient
public import Logging

/// What a sweep has done.
public struct AggregateSweep: Sendable {
    /// The sets that were acted on.
    public var acted: [String] = []
    /// The sets whose action failed, or whose head cannot be understood, and why; they are due again later.
    public var failed: [(set: String, error: any Error)] = []
    /// Of how many sets that were kept long enough the items were deleted.
    public var forgotten = 0
    /// Whether nothing more was due; otherwise the limit was reached.
    public var isFinished = false
}

extension Aggregator {
    /// Acts on every set that has timed out, and on those that nobody acted on in time or to the end.
    ///
    /// To be called on a schedule, such as once a minute; several may run at a time. Costs half a unit for a page that
    /// is empty, and what `act(on:_:)` costs for each set. With the storage `asItems` it also deletes what was kept
    /// long enough, for two units an item.
    ///
    /// - Parameters:
    ///   - limit: How many sets to look at, at most.
    ///   - action: What to do; the set says whether it timed out.
    /// - Returns: What was done. An action that fails does not keep the others from being done.
    /// - Throws: `AWSError`, and `CancellationError`.
    @discardableResult
    public func sweep(limit: Int = 100, _ action: Action) async throws -> AggregateSweep {
        var sweep = AggregateSweep()
        var left = max(limit, 1)
        // Not always from the first partition on, so that none starves behind another.
        let first = Int(table.clock.random() % UInt64(table.duePartitions))
        for offset in 0..<table.duePartitions {
            var start: StoredItem?
            repeat {
                guard left > 0 else { return sweep }
                let page = try await table.due(
                    of: prefix, partition: (first + offset) % table.duePartitions, by: table.clock.milliseconds,
                    limit: min(left, 100), from: start)
                left -= page.keys.count
                for (key, _) in page.keys {
                    guard let set = prefix.key(ofPartition: key.partition) else { continue }
                    try Task.checkCancellation()
                    guard !WorkerStop.isAskedFor else { return sweep }
                    try await look(at: set, action, &sweep)
                }
                start = page.next
            } while start != nil
        }
        sweep.isFinished = true
        return sweep
    }

    private func look(at set: String, _ action: Action, _ sweep: inout AggregateSweep) async throws {
        let outcome: ClaimOutcome
        do {
            outcome = try await uncancelled { try await claim(set) }
        } catch let error as PatternError {
            // Its head cannot be understood.
            sweep.failed.append((set, error))
            return
        } catch let error as AWSError where error.code == .validation {
            // Others have changed what the claim counts on: it must not stand before the others at each sweep.
            sweep.failed.append((set, error))
            var update = ItemUpdate()
            update.setDue(table.clock.milliseconds + lease.milliseconds, of: headKey(of: set), in: table)
            let isThere = Condition.exists(PatternTable.Attribute.due)
            _ = try await table.carryOut(table.write(headKey(of: set), update, if: isThere))
            return
        }
        switch outcome {
        case .claimed(let claim):
            do {
                try await carryOut(action, on: claim)
                sweep.acted.append(set)
            } catch let error as CancellationError {
                throw error
            } catch {
                if !Task.isCancelled { table.metrics.failed(MetricSubject("aggregator", name)) }
                sweep.failed.append((set, error))
            }
        case .refused(let head?) where head.state == .done:
            if try await forget(set, head) { sweep.forgotten += 1 }
        case .refused: break
        }
    }

    /// Sweeps again and again, until it has to stop.
    ///
    /// It begins no action after its service group began to shut down gracefully. The action at work may end, and is
    /// cancelled when `patience` is over; if the task is cancelled, at once. A set whose action throws because of that is
    /// given back, and costs no attempt.
    ///
    /// - Parameters:
    ///   - pause: How long to wait at most after each sweep that found no more; a part of it is left to chance.
    ///   - patience: How long the action at work may go on after a graceful shutdown began.
    ///   - logger: Is told what failed.
    ///   - action: What to do.
    /// - Throws: What ends the pauses of the table's clock; never `CancellationError`. Other failures are logged, and
    ///   tried again.
    public func run(
        every pause: Duration = .seconds(60), patience: Duration = .seconds(5),
        logger: Logger = Logger(label: "DynamoDBPatterns.Aggregator"),
        _ action: @escaping @Sendable (Aggregate<Member, Value>) async throws -> [TransactWriteItem]
    ) async throws {
        try await table.clock.repeatedly(every: pause, patience: patience, logger, ["aggregator.name": "\(name)"]) {
            let sweep = try await sweep(action)
            for (_, error) in sweep.failed {
                logger.warn("An aggregator's action failed.", of: error, ["aggregator.name": "\(name)"])
            }
            return !sweep.isFinished && (!sweep.acted.isEmpty || sweep.forgotten > 0)
        }
    }
}
