import AWSClient

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A set's head as it is stored.
struct AggregateHead: Sendable {
    let item: StoredItem
    let state: AggregateState
    let count: Int
    /// Tells sets of the same key apart that followed each other.
    let generation: String

    /// The sort key of heads.
    static let sort = "head"
    /// Before the identity of a member, in the name of its attribute or in its sort key.
    static let memberPrefix = "m#"
    /// How much members and value may have together; the rest of DynamoDB's 400 KB is for what else there is.
    static let capacity = 380 * 1024

    enum Attribute {
        static let count = "n"
        static let state = "state"
        static let value = "value"
        static let generation = "generation"
        static let begun = "begun"
        /// The size of all members in the head.
        static let bytes = "bytes"
        /// The name of the attribute of the member that completed the set.
        static let completedBy = "completedBy"
        /// The token of whoever acts, or did last: no other's writes are carried out.
        static let claim = "claim"
        static let attempt = "attempt"
    }

    init(_ item: StoredItem) throws(PatternError) {
        guard let state = item[Attribute.state]?.string.flatMap(AggregateState.init),
            let count = item[Attribute.count]?.int64, let generation = item[Attribute.generation]?.string
        else {
            throw PatternError(
                .corrupt, "The head of a set has no count, generation or known state.",
                hint: "Nothing but the aggregator may write items whose pk begins with A#.")
        }
        self.item = item
        self.state = state
        self.count = Int(count)
        self.generation = generation
    }

    var bytes: Int { Int(item[Attribute.bytes]?.int64 ?? 0) }
    var completedBy: String? { item[Attribute.completedBy]?.string }
    var claim: String? { item[Attribute.claim]?.string }
    var due: Int64? { item[PatternTable.Attribute.due]?.int64 }
}

extension Aggregator {
    /// What a head stands for.
    func aggregate(_ set: String, _ head: AggregateHead) throws -> Aggregate<Member, Value> {
        do {
            var members: [String: Member] = [:]
            if storage == .inHead {
                for (name, attribute) in head.item {
                    guard let id = AggregateHead.id(ofAttribute: name) else { continue }
                    members[id] = try AttributeDecoder().decode(from: attribute)
                }
            }
            return Aggregate(
                key: set, state: head.state, count: head.count, value: try value(of: head), members: members,
                begun: Date(milliseconds: head.item[AggregateHead.Attribute.begun]?.int64 ?? 0),
                isTimedOut: head.completedBy == nil && (head.state == .running || head.state == .done),
                attempt: Int(head.item[AggregateHead.Attribute.attempt]?.int64 ?? 0),
                idempotencyKey: "\(name)/\(set)/\(head.generation)")
        } catch let error as DecodingError {
            throw PatternError(
                .corrupt, "A set of the aggregator “\(name)” holds what its types cannot be read from.", cause: error)
        }
    }

    /// The merged value of a set.
    func value(of head: AggregateHead?) throws -> Value {
        switch rule.kind {
        case .merging(let merging):
            guard let attribute = head?.item[AggregateHead.Attribute.value] else { return merging.initial }
            return try AttributeDecoder().decode(from: attribute)
        case .count:
            return try AttributeDecoder().decode(from: .map([:]))
        }
    }
}
