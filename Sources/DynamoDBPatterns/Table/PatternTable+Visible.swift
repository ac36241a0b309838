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
    ///   - try: Which try of the work this is, from 1. What some tries, each a lease after the other, have waited for in
    ///     vain was deleted by hand, and is waited for no more.
    /// - Throws: `PatternError` with the code `contention` where they cannot be seen yet; `AWSError`.
    func awaitItems(_ count: Int, of query: QueryRequest, try: Int64) async throws {
        for attempt in 1...10 {
            if try await number(of: query) >= count { return }
            try await clock.sleep(.conflictBackoff(attempt, clock))
        }
        guard `try` > 5 else {
            throw PatternError(
                .contention, "Of \(count) items that transactions have written, not all can be seen yet.",
                hint: "It is tried again after the lease; where items were deleted by hand, five times.")
        }
    }

    private func number(of query: QueryRequest) async throws -> Int {
        var query = query
        query.select = .count
        query.consistentRead = true
        var number = 0
        repeat {
            let answer = try await api.query(query)
            number += answer.count ?? 0
            query.exclusiveStartKey = answer.lastEvaluatedKey
        } while query.exclusiveStartKey != nil
        return number
    }
}
