import AWSClient

/// A member on its way into a set.
struct AggregateEntry<Member: Sendable>: Sendable {
    var member: Member
    /// The name of its attribute, which stands for its identity.
    var name: String
    var set: String
    /// The key of the member's own item, where it gets one.
    var key: ItemKey
    var attribute: AttributeValue
    /// How much larger the head becomes.
    var bytes: Int
}

/// What is known of a head.
enum KnownHead: Sendable {
    case unknown
    /// As it was read, or came along with a refusal; `nil` if there was none.
    case known(AggregateHead?)
}

/// The write of a head that takes in a member.
struct AggregateStep: Sendable {
    var update = ItemUpdate()
    var condition: Condition
    /// Whether it completes the set.
    var completes: Bool
}

extension AggregateRule {
    /// Whether a member is written without a read before it.
    var isBlind: Bool { if case .count = kind { true } else { false } }
}

extension Aggregator {
    private typealias Name = AggregateHead.Attribute

    /// Makes a member ready to be written.
    func entry(_ member: Member, id: String, set: String) throws -> AggregateEntry<Member> {
        try PatternKey.check(id, of: "identity of a member")
        let memberName = AggregateHead.attribute(ofMember: id)
        if case .count(_, let only?) = rule.kind, !only.contains(memberName) {
            throw PatternError(
                .invalidArgument, "The aggregator “\(name)” has no member “\(id)”.",
                hint: "Its rule names the identities of all members that a set has.")
        }
        let attribute = storage == .idsOnly ? .bool(true) : try encoded(member)
        let size = memberName.utf8.count + attribute.size
        try check(size: size, of: "A member")
        return AggregateEntry(
            member: member, name: memberName, set: set,
            key: ItemKey(partition: prefix.partition(set), sort: AggregateHead.memberPrefix + id),
            attribute: attribute, bytes: storage == .asItems ? 0 : size)
    }

    /// The write that adds a member, by what is known.
    func step(adding entry: AggregateEntry<Member>, to known: KnownHead) throws -> AggregateStep {
        var step: AggregateStep
        switch rule.kind {
        case .count(let needed, _): step = try counting(entry, to: known, of: needed)
        case .merging(let merging): step = try self.merging(entry, into: known, by: merging)
        }
        let clock = table.clock
        let now = clock.milliseconds
        let key = headKey(of: entry.set)
        step.update.increment(Name.count)
        step.update.setIfAbsent(Name.generation, .string(clock.token()))
        step.update.setIfAbsent(Name.begun, .integer(now))
        if step.completes {
            step.update.set(Name.state, .string(AggregateState.ready.rawValue))
            step.update.set(Name.completedBy, .string(entry.name))
            step.update.setDue(now + lease.milliseconds, of: key, in: table)
        } else {
            step.update.setIfAbsent(Name.state, .string(AggregateState.open.rawValue))
            step.update.setIfAbsent(PatternTable.Attribute.duePartition, .string(table.duePartition(of: key)))
            step.update.setIfAbsent(PatternTable.Attribute.due, .integer(now + timeout.milliseconds))
        }
        guard storage != .asItems else { return step }
        step.update.set(entry.name, entry.attribute)
        step.update.increment(Name.bytes, by: Int64(entry.bytes))
        step.condition = .all([.absent(entry.name), step.condition])
        return step
    }

    private func counting(
        _ entry: AggregateEntry<Member>, to known: KnownHead, of needed: Int
    ) throws -> AggregateStep {
        var count = 0
        if case .known(let head?) = known {
            try check(size: head.bytes + entry.bytes, of: "A set")
            count = head.count
        }
        // More than that are there where the count was made smaller.
        if count >= needed - 1 {
            return AggregateStep(condition: isOpen(with: count), completes: true)
        }
        var isBegun: [Condition] = [.less(Name.count, .integer(needed - 1)), isOpen]
        if entry.bytes > 0 {
            isBegun.append(.atMost(Name.bytes, .integer(AggregateHead.capacity - entry.bytes)))
        }
        return AggregateStep(condition: .any([.absent(Name.count), .all(isBegun)]), completes: false)
    }

    private func merging(
        _ entry: AggregateEntry<Member>, into known: KnownHead, by merging: AggregateRule<Member, Value>.Merging
    ) throws -> AggregateStep {
        var before: AggregateHead?
        if case .known(let head) = known { before = head }
        var value: Value
        do {
            value = try self.value(of: before)
        } catch {
            throw PatternError(.corrupt, "The value of a set of “\(name)” cannot be read.", cause: error)
        }
        merging.merge(&value, entry.member)
        let attribute = try encoded(value)
        try check(size: (before?.bytes ?? 0) + entry.bytes + attribute.size, of: "A set")
        let count = before?.count ?? 0
        var condition = isOpen(with: count)
        if let before { condition = .all([condition, .equals(Name.generation, .string(before.generation))]) }
        var step = AggregateStep(condition: condition, completes: merging.isComplete(value, count + 1))
        step.update.set(Name.value, attribute)
        return step
    }

    private var isOpen: Condition { .equals(Name.state, .string(AggregateState.open.rawValue)) }

    private func isOpen(with count: Int) -> Condition {
        count == 0 ? .absent(Name.count) : .all([.equals(Name.count, .integer(count)), isOpen])
    }

    private func encoded(_ value: some Encodable) throws -> AttributeValue {
        do {
            return try AttributeEncoder().attribute(of: value)
        } catch {
            throw PatternError(.invalidArgument, "What is to be added to “\(name)” cannot be stored.", cause: error)
        }
    }

    private func check(size: Int, of what: String) throws(PatternError) {
        guard size > AggregateHead.capacity else { return }
        throw PatternError(
            .tooLarge, "\(what) of “\(name)” would have \(size) bytes, of \(AggregateHead.capacity) that are allowed.",
            hint: "Keep members in items of their own with the storage .asItems, and little in the merged value.")
    }
}
