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
    ///   longest step. What a step throws is kept in its process.
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
                    guard try await body(id) else { return }
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

    /// Works until it is cancelled: `runDue` again and again, with a pause where nothing was due.
    ///
    /// - Parameter pause: How long at most; a part of it is left to chance.
    /// - Throws: `CancellationError`, in the end. Other failures are logged, and tried again.
    public func run(every pause: Duration = .seconds(1)) async throws {
        try await clock.repeatedly(every: pause, logger, ["processor.name": "\(name)"]) { try await runDue() > 0 }
    }

    private func goOn(with id: String, until end: Int64?) async throws -> Bool {
        guard let item = try await claim(id) else { return false }
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
            var move = try await move(head, of: id, until: end)
            var saved = try await save(move, of: id, over: head)
            let isUnrecorded = head.isUnrecorded || move.hasSucceeded(over: head)
            if case .refused(let error) = saved {
                head.isUnrecorded = isUnrecorded
                move = failing(head, error)
                saved = try await save(move, of: id, over: head)
            }
            switch saved {
            case .saved(let next):
                head = next
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
