import AWSClient
#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
import Logging

extension Processor {
    /// Goes on with processes that are due, each as far as it comes: to its end, a pause, or a failure.
    ///
    /// Costs a query for each of the table's `duePartitions`, and for each process a write to claim it and a write for
    /// each step.
    ///
    /// - Parameters:
    ///   - limit: How many processes at most.
    ///   - end: Until when this worker may work, such as a Lambda function's deadline: no step is begun that may take
    ///     longer.
    /// - Returns: How many processes it went on with.
    /// - Throws: `AWSError`; `PatternError` with the code `.invalidArgument` where the time would not do for the
    ///   longest step; `CancellationError`, when the process at work was given back. What a step throws is kept in its
    ///   process.
    @discardableResult
    public func runDue(limit: Int = 100, until end: Date? = nil) async throws -> Int {
        let end = try checked(end)
        var count = 0
        try await forEachDue(of: prefix, limit: limit) { id in
            guard count < limit, hasTime(for: longestTimeout, until: end) else { return false }
            if try await goOn(with: id, until: end) { count += 1 }
            return true
        }
        return count
    }

    /// Walks through the processes that the index says are due, in no order, until `body` says that it is enough.
    func forEachDue(
        of listed: PatternTable.Prefix, limit: Int, _ body: (_ id: String) async throws -> Bool
    ) async throws {
        let now = clock.milliseconds
        var chance = ClockChance(clock: clock)
        for partition in duePartitions() {
            var start: StoredItem?
            repeat {
                let page = try await table.due(
                    of: listed, partition: partition, by: now, limit: min(max(limit, 1), 100), from: start)
                for (key, _) in page.keys.shuffled(using: &chance) {
                    guard let id = prefix.key(ofPartition: key.partition) else { continue }
                    try Task.checkCancellation()
                    guard !WorkerStop.isAskedFor, try await body(id) else { return }
                }
                start = page.next
            } while start != nil
        }
    }

    /// Goes on with one process, if it is due and no other worker has it.
    ///
    /// - Parameters:
    ///   - id: The process.
    ///   - end: Until when this worker may work; see `runDue`.
    /// - Returns: Whether it went on with the process.
    /// - Throws: As `runDue`.
    @discardableResult
    public func advance(_ id: String, until end: Date? = nil) async throws -> Bool {
        try await goOn(with: id, until: try checked(end))
    }

    /// Works until it has to stop: `runDue` again and again, with a pause of up to a second if nothing was due.
    ///
    /// As a `Service` of a `ServiceGroup`. Returns when its task is cancelled or its service group shuts down gracefully:
    /// see `run(every:patience:)`.
    ///
    /// - Throws: What ends the pauses of the table's clock; never `CancellationError`.
    public func run() async throws { try await run(every: .seconds(1)) }

    /// Works until it has to stop: `runDue` again and again, with a pause if nothing was due.
    ///
    /// It begins no step after its service group began to shut down gracefully. The step at work may end, and is
    /// cancelled when `patience` is over; if the task of the worker is cancelled, at once. A step that ends is recorded.
    /// One that throws because of the cancellation costs no attempt: the process is given back, and another worker
    /// carries the same step out at once, with the same idempotency key. A step that does not heed cancellation is
    /// waited for.
    ///
    /// - Parameters:
    ///   - pause: How long at most; a part of it is left to chance.
    ///   - patience: How long the step at work may go on after a graceful shutdown began.
    /// - Throws: What ends the pauses of the table's clock; never `CancellationError`. Other failures are logged, and
    ///   tried again.
    public func run(every pause: Duration, patience: Duration = .seconds(5)) async throws {
        try await clock.repeatedly(every: pause, patience: patience, logger, ["processor.name": "\(name)"]) {
            try await runDue() > 0
        }
    }

    private func goOn(with id: String, until end: Int64?) async throws -> Bool {
        try Task.checkCancellation()
        guard let item = try await uncancelled({ try await claim(id) }) else { return false }
        let head: ProcessHead<State>
        do {
            head = try ProcessHead(item)
        } catch {
            if let version = item[ProcessItem.version] {
                try await setAside(id, error, if: .equals(ProcessItem.version, version))
            }
            return false
        }
        try await work(on: head, of: id, until: end)
        return true
    }

    private func work(on claimed: ProcessHead<State>, of id: String, until end: Int64?) async throws {
        var head = claimed
        while true {
            var move = await move(head, of: id, until: end)
            var saved = try await record(move, of: id, over: head)
            let isUnrecorded = head.isUnrecorded || move.head.isUnrecorded || move.hasSucceeded(over: head)
            if case .refused(let error) = saved {
                head.isUnrecorded = isUnrecorded
                move = failing(head, error)
                saved = try await record(move, of: id, over: head)
            }
            switch saved {
            case .saved(let next):
                head = next
                // One that a cancelled worker gave back is not done.
                if move.rest == .ready { try Task.checkCancellation() }
                guard move.rest == .claimed else { return }
            case .changed(let item):
                head = try ProcessHead(item)
                head.lookAgain(after: move)
                head.isUnrecorded = isUnrecorded
            case .fenced:
                logger.info(
                    "Another worker has taken a process over.",
                    metadata: ["processor.name": "\(name)", "processor.process": "\(id)"])
                return
            case .refused(let error):
                // Not even that it failed can be written down.
                try await setAside(id, error, if: .equals(ProcessItem.version, .integer(head.version)))
                return
            }
        }
    }

    /// As `save`, also if the worker is cancelled meanwhile: what a step did is not forgotten because of it.
    private func record(
        _ move: ProcessMove<State>, of id: String, over head: ProcessHead<State>
    ) async throws -> ProcessSaved<State> {
        try await uncancelled { try await save(move, of: id, over: head) }
    }

    private var longestTimeout: Duration {
        steps.all.map { $0.timeout ?? .milliseconds(lease) }.max() ?? .zero
    }

    private func checked(_ end: Date?) throws(PatternError) -> Int64? {
        guard let end else { return nil }
        guard hasTime(for: longestTimeout, until: end.milliseconds) else {
            throw PatternError(
                .invalidArgument, "The time that is left would not do for the longest step (\(longestTimeout)).",
                hint: "Give the worker more time, or the steps timeouts.")
        }
        return end.milliseconds
    }
}
