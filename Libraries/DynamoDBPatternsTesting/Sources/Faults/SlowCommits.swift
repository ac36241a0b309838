public import AWSClient
public import DynamoDBPatterns
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A DynamoDB that commits the writes of a transaction one after the other, as AWS's does.
///
/// To writes and to `TransactGetItems` a transaction is one step. `GetItem`, `Query`, `Scan` and `BatchGetItem` see
/// what is committed of each item, and may see one item of a transaction before they see another, also where they are
/// strongly consistent. Here the items that a transaction puts where there was none are seen some time later than the
/// rest of it.
///
/// ```swift
/// let api = SlowCommits(base: store, clock: simulation.clock)
/// ```
public final class SlowCommits: DynamoDBDecorator {
    /// The DynamoDB that carries out the calls.
    public let base: any DynamoDBAPI
    private let clock: PatternClock
    private let longest: Duration
    private let key: [String]
    /// Until when an item is not seen.
    private let hidden = Mutex<[ItemPlace: Date]>([:])

    private struct ItemPlace: Hashable {
        var table: String
        var key: [String: AttributeValue]
    }

    /// A DynamoDB that takes its time.
    ///
    /// - Parameters:
    ///   - base: What carries out the calls; it answers at once, as `MemoryDynamoDB` does.
    ///   - clock: The time, and chance.
    ///   - longest: How long an item is not seen at most.
    ///   - key: The attributes of the tables' keys.
    public init(
        base: any DynamoDBAPI, clock: PatternClock, longest: Duration = .milliseconds(50), key: [String] = ["pk", "sk"]
    ) {
        (self.base, self.clock, self.longest, self.key) = (base, clock, longest, key)
    }

    /// Carries out the transaction, and hides its new items from reads for a while.
    public func transactWriteItems(
        _ request: TransactWriteItemsRequest, retryingContention: Bool
    ) async throws -> TransactWriteItemsResponse {
        var new: [ItemPlace] = []
        for case .put(let put) in request.transactItems {
            let place = place(of: put.item, in: put.tableName)
            if try await base.getItem(.init(tableName: place.table, key: place.key, consistentRead: true)).item == nil {
                new.append(place)
            }
        }
        let answer = try await base.transactWriteItems(request, retryingContention: retryingContention)
        let now = clock.now()
        hidden.withLock { hidden in
            hidden = hidden.filter { $0.value > now }
            for place in new {
                hidden[place] = now + longest / .seconds(1) * Double(clock.random() % 101) / 100
            }
        }
        return answer
    }

    /// Reads the item; none if it is hidden.
    public func getItem(_ request: GetItemRequest) async throws -> GetItemResponse {
        var answer = try await base.getItem(request)
        if isHidden(request.key, in: request.tableName) { answer.item = nil }
        return answer
    }

    /// Reads the page without the items that are hidden.
    public func query(_ request: QueryRequest) async throws -> QueryResponse {
        var whole = request
        if request.select == .count { whole.select = nil }
        var answer = try await base.query(whole)
        show(&answer.items, &answer.count, of: request.tableName, request.select)
        return answer
    }

    /// Reads the page without the items that are hidden.
    public func scan(_ request: ScanRequest) async throws -> ScanResponse {
        var whole = request
        if request.select == .count { whole.select = nil }
        var answer = try await base.scan(whole)
        show(&answer.items, &answer.count, of: request.tableName, request.select)
        return answer
    }

    /// Reads the items without those that are hidden.
    public func batchGetItem(_ request: BatchGetItemRequest) async throws -> BatchGetItemResponse {
        var answer = try await base.batchGetItem(request)
        for (table, items) in answer.responses ?? [:] { answer.responses?[table] = visible(items, in: table) }
        return answer
    }

    /// Leaves out of a page what is not seen yet.
    private func show(
        _ items: inout [[String: AttributeValue]]?, _ count: inout Int?, of table: String, _ select: Select?
    ) {
        items = visible(items, in: table)
        count = items?.count
        if select == .count { items = nil }
    }

    private func visible(_ items: [[String: AttributeValue]]?, in table: String) -> [[String: AttributeValue]]? {
        items?.filter { !isHidden($0, in: table) }
    }

    private func isHidden(_ item: [String: AttributeValue], in table: String) -> Bool {
        let (place, now) = (place(of: item, in: table), clock.now())
        return hidden.withLock { ($0[place] ?? now) > now }
    }

    private func place(of item: [String: AttributeValue], in table: String) -> ItemPlace {
        ItemPlace(table: table, key: item.filter { key.contains($0.key) })
    }
}
