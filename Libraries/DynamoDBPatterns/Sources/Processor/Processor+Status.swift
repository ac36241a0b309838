import AWSClient
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension Processor {
    /// How far a process is: one strongly consistent read.
    ///
    /// - Parameter id: The process.
    /// - Returns: Its status; `nil` if there is none, or it ended longer ago than the retention.
    /// - Throws: `AWSError`, `PatternError` with the code `.corrupt`.
    public func status(of id: String) async throws -> ProcessStatus<State>? {
        guard let item = try await table.item(headKey(id)) else { return nil }
        let head = try ProcessHead<State>(item)
        return ProcessStatus(
            id: id, phase: head.phase, isStuck: item[ProcessItem.stuck] != nil, step: head.step,
            attempt: head.tries, state: head.state, failure: head.failure, lastError: head.lastError,
            due: item[PatternTable.Attribute.due]?.int64.map(Date.init(milliseconds:)))
    }

    /// A page of the processes that have not ended and are not stuck.
    ///
    /// - Parameters:
    ///   - limit: How many at most; a page may have fewer, and be empty, without being the last.
    ///   - cursor: Where the page starts: `next` of the one before.
    /// - Returns: Their identities, from the index, which is a little behind; `next` is `nil` on the last page.
    /// - Throws: `AWSError`.
    public func underWay(
        limit: Int = 100, from cursor: PatternCursor? = nil
    ) async throws -> (ids: [String], next: PatternCursor?) {
        let page = try await table.listed(of: prefix, limit: limit, from: cursor)
        return (page.keys.compactMap { prefix.key(ofPartition: $0.partition) }, page.next)
    }

    /// Processes that nobody goes on with, those that stopped first before others: a compensation that failed too
    /// often, a step that is not known any more, an item that cannot be read, or that has no room for a record.
    ///
    /// - Parameter limit: How many at most.
    /// - Returns: Their identities, from the index, which is a little behind.
    /// - Throws: `AWSError`.
    public func stuck(limit: Int = 100) async throws -> [String] {
        var ids: [String] = []
        var start: StoredItem?
        repeat {
            let page = try await table.due(
                of: stuckPrefix, partition: 0, by: .max, limit: min(max(limit - ids.count, 1), 1000), from: start)
            ids += page.keys.compactMap { prefix.key(ofPartition: $0.key.partition) }
            start = page.next
        } while start != nil && ids.count < limit
        return ids
    }

    /// Lets the workers go on with a process that is stuck, with the step at which it stopped, and all of its attempts.
    ///
    /// - Parameter id: The process.
    /// - Throws: `AWSError`, `PatternError` with the code `.notFound` where there is no such process that is stuck.
    public func resume(_ id: String) async throws {
        let key = headKey(id)
        var update = ItemUpdate()
        update.increment(ProcessItem.version)
        // The attempts begin anew, but whether there were some is not forgotten.
        update.copy(ProcessItem.attempt, to: ProcessItem.waits)
        update.remove(ProcessItem.unknownSince)
        setRest(.ready, of: key, in: &update)
        let write = table.write(key, update, if: .exists(ProcessItem.stuck))
        if case .refused(_, let inDoubt) = try await table.carryOut(write), !inDoubt {
            throw PatternError(.notFound, "No process “\(id)” is stuck.")
        }
    }
}
