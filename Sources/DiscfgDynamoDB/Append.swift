import AWSClient
import DiscfgCore

/// An append, as the actions of one transaction.
struct Append {
    let commits: [Commit]
    let layout: TableLayout
    let incarnation: String
    private let references: [[UInt8]: BlobReference]
    /// The first and the last state of each changed key: a transaction may write an item only once.
    private let items: [Key: (before: Item?, after: Item?)]
    /// The leases to which keys are newly attached, in order, and all keys that this append attaches to each.
    private let attachments: [(lease: Int64, keys: Set<[UInt8]>)]

    /// The maximum number of bytes of values inside all commits; and inside all items, beyond which smaller values are
    /// stored separately too.
    private static let commitBytes = 1 << 20
    private static let itemBytes = 3 << 19
    private let itemLimit: Int

    /// The number of actions that write commits and items.
    var writeCount: Int { commits.count + items.count }
    /// The number of actions without the one that announces the tail.
    var actionCount: Int { writeCount + attachments.count }
    /// The maximum number of actions in one transaction of DynamoDB.
    private static let maximumActions = 100

    /// Stores the large values first, so that every reference is to a stored value.
    ///
    /// - Throws: `tooLarge`, before anything is stored, if the append does not fit into one transaction; the errors of
    ///   storing.
    init(_ commits: [Commit], to layout: TableLayout, incarnation: String, blobs: BlobStore) async throws {
        self.commits = commits
        self.layout = layout
        self.incarnation = incarnation
        var items: [Key: (before: Item?, after: Item?)] = [:]
        let changes = commits.flatMap(\.changes)
        for change in changes {
            items[change.key] = (items[change.key].map(\.before) ?? change.previous, change.item)
        }
        self.items = items
        attachments = Set(commits.flatMap(\.newLeases)).sorted().map { lease in
            (lease: lease, keys: Set(changes.lazy.filter { $0.item?.lease == lease }.map(\.key.bytes)))
        }
        let actions = commits.count + items.count + attachments.count
        guard actions <= Self.maximumActions else { throw Self.tooLarge(actions, attachments.count) }
        // A transaction takes 4 MB: values that would not fit are stored separately, first those of the commits, then
        // those of the items.
        let budget = min(CommitAttributes.inlineLimit, Self.commitBytes / max(1, commits.count))
        let total = items.values.reduce(0) { sum, item in
            sum + min(item.after?.value.bytes.count ?? 0, ItemAttributes.inlineLimit)
        }
        itemLimit = total > Self.itemBytes ? ItemAttributes.inlineLimit / 4 : ItemAttributes.inlineLimit
        var large = commits.reduce(into: Set<[UInt8]>()) { $0.formUnion(CommitAttributes.large(in: $1, limit: budget)) }
        for case let item? in items.values.map(\.after) where item.value.bytes.count > itemLimit {
            large.insert(item.value.bytes)
        }
        let stored = try await Array(large).concurrently(atMost: 4) {
            try await blobs.store($0, in: layout, incarnation)
        }
        references = Dictionary(uniqueKeysWithValues: zip(large, stored))
    }

    private static func tooLarge(_ actions: Int, _ attachments: Int) -> DiscfgError {
        DiscfgError(
            .tooLarge,
            "The commit needs \(actions) writes at once, \(attachments) of them to attach to as many leases; DynamoDB takes "
                + "\(maximumActions).",
            hint: "Split it into smaller ones.")
    }

    /// Whether an action writes an item.
    func writesItem(at action: Int) -> Bool { (commits.count..<writeCount).contains(action) }

    /// Whether a cancelled transaction must be sent again to find out its outcome.
    ///
    /// That is so if the first commit exists and is ours, or if another transaction is writing its revision and is not
    /// committed yet.
    func isUnsettled(_ error: AWSError) -> Bool {
        let reasons = error.cancellationReasons
        if reasons.first?.code == "TransactionConflict" { return true }
        return reasons.first?.item?[Name.id]?.string == commits[0].id
            && reasons.contains { $0.code == "TransactionConflict" }
    }

    /// The lease that an action attaches to; `nil` for every other action.
    func lease(at action: Int) -> Int64? {
        attachments.indices.contains(action - writeCount) ? attachments[action - writeCount].lease : nil
    }

    /// The actions: the commits in order, then the items, the leases and, if requested and if it fits, the new tail as
    /// a hint.
    func actions(table: String, announcing: Bool) -> [TransactWriteItem] {
        var actions = commits.map { commit in
            TransactWriteItem.put(
                .init(
                    tableName: table,
                    item: CommitAttributes.make(
                        commit, key: layout.entry(commit.revision, incarnation), blobs: references),
                    conditionExpression: "attribute_not_exists(\(Name.partition))",
                    returnValuesOnConditionCheckFailure: .allOld))
        }
        for (key, item) in items {
            actions.append(action(for: key, item.after, replacing: item.before, table: table))
        }
        for (lease, keys) in attachments {
            actions.append(layout.attachment(of: keys, to: lease, incarnation).action(table: table))
        }
        guard announcing, actions.count < Self.maximumActions, let last = commits.last else { return actions }
        return actions + [layout.announcement(of: last, incarnation).action(table: table)]
    }

    /// Writes an item on condition that it is still the one on which the commits were evaluated.
    ///
    /// A free revision of the log does not ensure that: an item may have been read before its newest commit was
    /// visible. Items that are left from a removed config of that name count as absent.
    private func action(for key: Key, _ item: Item?, replacing before: Item?, table: String) -> TransactWriteItem {
        var (names, values) = (["#log": Name.log], [":log": AttributeValue.string(incarnation)])
        var condition = "attribute_not_exists(\(Name.partition)) OR #log <> :log"
        if let before {
            condition = "#log = :log AND #modified = :modified"
            names["#modified"] = ItemAttributes.Names.item.modified
            values[":modified"] = .integer(before.modified)
        }
        if isPlanted(.writesItemsUnconditionally) {
            condition = "attribute_not_exists(\(Name.partition)) OR #log <> :log OR #log = :log"
            (names, values) = (["#log": Name.log], [":log": .string(incarnation)])
        }
        guard let item else {
            return .delete(
                .init(
                    tableName: table, key: layout.item(key), conditionExpression: condition,
                    expressionAttributeNames: names, expressionAttributeValues: values))
        }
        let isLarge = item.value.bytes.count > itemLimit
        var attributes = ItemAttributes.make(item, blob: isLarge ? references[item.value.bytes] : nil)
        attributes.merge(layout.item(key)) { $1 }
        attributes[Name.log] = .string(incarnation)
        if let text = key.text { attributes[Name.key] = .string(text) }
        if item.expiry != nil { attributes[Name.due] = .string(layout.config.description) }
        return .put(
            .init(
                tableName: table, item: attributes, conditionExpression: condition, expressionAttributeNames: names,
                expressionAttributeValues: values))
    }
}

extension Append {
    /// The refusal of keys that do not fit into a lease's record; `nil` if the error means something else.
    func overflow(_ error: AWSError) -> DiscfgError? {
        let reasons = error.cancellationReasons
        guard let index = reasons.firstIndex(where: { $0.code == "ValidationError" }), let lease = lease(at: index),
            reasons[index].message?.contains("size") == true
        else { return nil }
        return DiscfgError(
            .tooLarge,
            "Lease \(lease) cannot take more keys: its record names those it ever had, and is full at 400 KB.",
            hint: "Attach to another lease.", cause: error)
    }
}

extension TableLayout {
    /// Stores a hint of the tail in the config's record, for writers that have read nothing yet.
    func announcement(of commit: Commit, _ incarnation: String) -> RecordUpdate {
        RecordUpdate(
            key: record, expression: "SET #hint = :n, #hintAt = :t",
            condition: "#log = :log AND attribute_not_exists(#removed)",
            names: [Name.hint, Name.hintTime, Name.log, Name.removed],
            values: [
                ":n": .integer(commit.revision), ":t": .integer(commit.time.milliseconds), ":log": .string(incarnation),
            ])
    }
}
