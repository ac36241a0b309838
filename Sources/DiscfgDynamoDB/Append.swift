import AWSClient
import DiscfgCore

/// An append, as the actions of one transaction.
struct Append {
    let commits: [Commit]
    let layout: TableLayout
    let incarnation: String
    private let references: [[UInt8]: BlobReference]
    /// What each changed key was before, and is in the end: no item may be written twice.
    private let items: [Key: (before: Item?, after: Item?)]
    /// The leases to which something is newly attached, in order, and all keys that are attached to each here.
    private let attachments: [(lease: Int64, keys: Set<[UInt8]>)]

    /// The most bytes of values that stand in all commits, and in all items before smaller ones stand apart too.
    private static let commitBytes = 1 << 20
    private static let itemBytes = 3 << 19
    private let itemLimit: Int

    /// The actions that write commits and items.
    var writeCount: Int { commits.count + items.count }
    /// The actions without that which announces the tail.
    var actionCount: Int { writeCount + attachments.count }
    /// The most actions that DynamoDB takes at once.
    private static let maximumActions = 100

    /// Stores the large values first, so that nothing ever refers to one that is not there.
    ///
    /// - Throws: `tooLarge`, before anything is stored, when one transaction does not take it; what storing throws.
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
        // A transaction takes 4 MB: what would not fit stands apart, first of the commits, then of the items.
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

    /// Whether another try must find out what a cancelled transaction means: the first commit is there and ours, or its revision is
    /// being written, by a transaction that is not committed yet.
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

    /// First the commits, in order; then the items; then the leases; then, if so wanted and there is room, where the tail is now.
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

    /// Writes an item if it still is what the commits were worked out on.
    ///
    /// The log's revision being free does not say that: an item may have been read before its newest commit was visible. What a
    /// removed config of that name has left counts as absent.
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
    /// The refusal of keys for which a lease's record has no room; `nil` where the error means something else.
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
    /// Notes in the config's record where the tail is, for writers that know nothing yet.
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
