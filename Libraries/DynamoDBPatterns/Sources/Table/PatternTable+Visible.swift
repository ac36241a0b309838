import AWSClient

extension PatternTable {
    /// Waits until as many items can be seen as transactions are known to have written.
    ///
    /// A query is not isolated from transactions: it sees the writes of one as they are committed, one by one, so that
    /// the item that counts the others may be seen before the last of them is.
    ///
    /// - Parameters:
    ///   - count: How many there have to be.
    ///   - query: Which ones; only their number is asked for.
    ///   - tried: Which try of the work this is, from 1. What five tries have waited for in vain was deleted by hand, and
    ///     is waited for no more.
    ///   - meanwhile: Called after each page, so that a lease can be kept.
    /// - Throws: `PatternError` with the code `contention` if they cannot be seen yet; `AWSError`; what `meanwhile`
    ///   throws.
    func awaitItems(
        _ count: Int, of query: QueryRequest, tried: Int64, meanwhile: () async throws -> Void = {}
    ) async throws {
        for attempt in 1...10 {
            if attempt > 1 { try await clock.sleep(.conflictBackoff(attempt, clock)) }
            if try await number(of: query, meanwhile) >= count { return }
        }
        guard tried > 5 else {
            throw PatternError(
                .contention, "Of \(count) items that transactions have written, not all can be seen yet.",
                hint: "It is tried again later; where items were deleted by hand, five times.")
        }
    }

    private func number(of query: QueryRequest, _ meanwhile: () async throws -> Void) async throws -> Int {
        var query = query
        query.select = .count
        query.consistentRead = true
        var number = 0
        repeat {
            let answer = try await api.query(query)
            number += answer.count ?? 0
            query.exclusiveStartKey = answer.lastEvaluatedKey
            try await meanwhile()
        } while query.exclusiveStartKey != nil
        return number
    }
}
