import AWSClient

/// A place in a list that is read by pages.
public struct PatternCursor: Sendable, Hashable, Codable {
    /// Of the index.
    var partition: Int
    var start: StoredItem?
}

extension PatternTable {
    /// One page of what the index has of a pattern, due or not; from the index, which is a little behind.
    ///
    /// - Parameters:
    ///   - prefix: Whose items.
    ///   - limit: How many at most; a page may have fewer without being the last.
    ///   - cursor: Where the page starts; `nil` for the first one.
    /// - Returns: The keys, those that are due first first in each partition, and where the next page starts.
    /// - Throws: `AWSError`.
    func listed(
        of prefix: Prefix, limit: Int, from cursor: PatternCursor?
    ) async throws -> (keys: [ItemKey], next: PatternCursor?) {
        let place = cursor ?? PatternCursor(partition: 0)
        guard (0..<duePartitions).contains(place.partition) else { return ([], nil) }
        let page = try await due(
            of: prefix, partition: place.partition, by: .max, limit: min(max(limit, 1), 1000), from: place.start)
        var next: PatternCursor?
        if page.next != nil {
            next = PatternCursor(partition: place.partition, start: page.next)
        } else if place.partition + 1 < duePartitions {
            next = PatternCursor(partition: place.partition + 1)
        }
        return (page.keys.map(\.key), next)
    }
}
