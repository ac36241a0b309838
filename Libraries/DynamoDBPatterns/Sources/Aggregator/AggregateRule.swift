/// When a set is complete.
public struct AggregateRule<Member: Sendable, Value: Codable & Sendable>: Sendable {
    enum Kind: Sendable {
        /// At so many members, of these attributes where they are named: written without a read before it.
        case count(Int, only: Set<String>?)
        case merging(Merging)
    }

    struct Merging: Sendable {
        var initial: Value
        var merge: @Sendable (inout Value, Member) -> Void
        var isComplete: @Sendable (Value, Int) -> Bool
    }

    let kind: Kind

    /// By what the members come to, merged into one value that is kept in the set's head.
    ///
    /// Each member costs a read besides the write; of writers that meet, one tries again. Both closures may run several
    /// times for one member, and must have no effects.
    ///
    /// - Parameters:
    ///   - initial: The value of a set without members.
    ///   - merge: Takes a member into the value; members come in the order in which they were written.
    ///   - isComplete: Whether the set is complete with this value and so many members.
    /// - Returns: The rule.
    public static func merging(
        into initial: Value, _ merge: @escaping @Sendable (inout Value, Member) -> Void,
        until isComplete: @escaping @Sendable (_ value: Value, _ count: Int) -> Bool
    ) -> AggregateRule {
        AggregateRule(kind: .merging(Merging(initial: initial, merge: merge, isComplete: isComplete)))
    }

    /// Checks what the rule was made of.
    func check() throws(PatternError) {
        guard case .count(let needed, _) = kind, needed < 1 else { return }
        throw PatternError(.invalidArgument, "A set of \(needed) members is complete before it begins.")
    }
}

extension AggregateRule where Value == NoValue {
    /// At so many members.
    ///
    /// Where the number is made smaller, sets that have as many already are complete with their next member.
    public static func count(_ needed: Int) -> AggregateRule { AggregateRule(kind: .count(needed, only: nil)) }

    /// Once there is a member of each of these identities; others are refused.
    public static func all(of ids: Set<String>) -> AggregateRule {
        AggregateRule(kind: .count(ids.count, only: Set(ids.map(AggregateHead.attribute))))
    }
}

/// The value of sets whose members are not merged.
public struct NoValue: Codable, Sendable, Hashable {
    /// The value, which has no content.
    public init() {}
}
