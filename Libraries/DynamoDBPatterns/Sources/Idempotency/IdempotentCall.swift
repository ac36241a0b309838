public import AWSClient
#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
import Synchronization

/// What a handler knows of its call, and the writes that it hands out.
public struct IdempotentCall: Sendable {
    /// The key that the caller gave.
    public let key: String
    /// The same in each attempt at this key, and in no other key's: `payments/7`, to hand on to other services.
    public let idempotencyKey: String
    /// Which attempt this is, from 1: in a later one, an earlier one may have done a part.
    public let attempt: Int
    /// When the claim ends: after that, a repetition may run at the same time.
    public let deadline: Date
    let outgoing = Outgoing()

    /// Adds a write to the transaction that stores the answer: an effect within DynamoDB that happens exactly once.
    ///
    /// If its condition does not hold, nothing is stored, and the call throws a `PatternError` with code `conflict`.
    ///
    /// - Parameter write: Up to 99 writes of any tables of the region.
    public func write(_ write: TransactWriteItem) { outgoing.content.withLock { $0.writes.append(write) } }

    var writes: [TransactWriteItem] { outgoing.content.withLock { $0.writes } }
}
