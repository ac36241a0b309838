public import AWSClient
#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
import Synchronization

/// What an effect or a compensation knows of its process, and what it hands out for the step's record.
public struct StepContext: Sendable {
    /// The process's identity.
    public let process: String
    /// The step's name.
    public let step: String
    /// Which attempt this is, from 1; attempts that ended in waiting do not count.
    public let attempt: Int
    /// The same each time that this effect, or this compensation, is repeated, and no other's: `orders/42/pay`, and
    /// `orders/42/pay!undo` for the compensation.
    public let idempotencyKey: String
    /// In a compensation, the idempotency key of the effect that is to be undone; in an effect, its own.
    public let effectKey: String
    /// When the attempt should have ended: later, another worker may repeat it.
    public let deadline: Date
    let signals: [String: AttributeValue]
    let outgoing = Outgoing()
}

extension StepContext {
    /// What `Processor.signal` has told the process under a name; it stays for all later steps.
    ///
    /// - Parameters:
    ///   - name: The signal's name.
    ///   - type: What it carries.
    /// - Returns: The last that was sent; `nil` if none came yet.
    /// - Throws: `DecodingError` if it carries something else.
    public func signal<Payload: Decodable>(_ name: String, as type: Payload.Type = Payload.self) throws -> Payload? {
        try signals[name].map { try AttributeDecoder().decode(type, from: $0) }
    }

    /// Puts a message into the outbox, where `Processor.relay` takes it from: in the same transaction as the step's
    /// record, thus if and only if the step is recorded.
    ///
    /// - Parameters:
    ///   - topic: Where it goes, or what it is.
    ///   - body: What it says; less than 400 KB as an item.
    /// - Throws: `EncodingError`.
    public func send(_ topic: String, _ body: some Encodable) throws {
        let body = try AttributeEncoder().attribute(of: body)
        outgoing.content.withLock { $0.messages.append((topic, body)) }
    }

    /// Adds a write to the transaction of the step's record: an effect within DynamoDB that happens exactly once.
    ///
    /// Where its condition does not hold, the attempt has failed.
    public func write(_ write: TransactWriteItem) { outgoing.content.withLock { $0.writes.append(write) } }
}

/// What one attempt hands out, collected until its record is written.
final class Outgoing: Sendable {
    struct Content: Sendable {
        var messages: [(topic: String, body: AttributeValue)] = []
        var writes: [TransactWriteItem] = []

        var isEmpty: Bool { messages.isEmpty && writes.isEmpty }
    }

    let content = Mutex(Content())
}
