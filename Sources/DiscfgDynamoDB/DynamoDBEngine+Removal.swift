import AWSClient
public import DiscfgCore

extension DynamoDBEngine {
    /// The maximum number of entries that one call trims.
    private static let trimStep: Int64 = 200
    /// The time for which stubs of a log are kept: longer than any process can be suspended between two of its steps.
    private static let garbageAge: Duration = .seconds(7 * 86_400)

    /// Empties entries of the log instead of deleting them; DynamoDB removes them days later, at no cost.
    ///
    /// A writer that was suspended meanwhile must find its revision taken. The newest entry always stays; it is the
    /// tail.
    public func trim(_ config: ConfigName, through: Revision, keepingSince moment: Timestamp) async throws -> Bool {
        try await table.finishing { try await self.trimSome(of: config, through: through, keepingSince: moment) }
    }

    private func trimSome(
        of config: ConfigName, through: Revision, keepingSince moment: Timestamp
    ) async throws -> Bool {
        let record = try await requireRecord(of: config)
        let tail = try await newest(of: record)
        let trimmed = max(record.trimmed, min(through, tail.revision))
        // The entries to search for young ones: all, if they are to be marked, otherwise those that this call can
        // empty.
        let window = trimmed > record.trimmed ? trimmed : min(trimmed, record.purged + Self.trimStep)
        let old =
            tail.time < moment || window <= record.purged
            ? window : try await lastEntry(in: record.purged...window, of: record, before: moment)
        let bounds = TrimBounds(trimmed: trimmed, window: window, old: old)
        guard trimmed > record.trimmed else { return try await removeStep(of: record, bounds, tail: tail) }
        // Readers see at once that it is gone; the entries go in steps.
        try await note(trimmed, after: tail, of: record, keepsSome: old < trimmed)
        return try await afterWrite(
            "The history of config “\(config)” is compacted, but not all of it could be removed",
            hint: "Compact again; otherwise a server removes the rest."
        ) {
            if old < trimmed {
                try await update(max(old, record.trimmed) + 1...trimmed, of: record) { try await self.keep($0, of: $1) }
            }
            return try await removeStep(of: record, bounds, tail: tail)
        }
    }

    /// What one call of `trim` is about.
    private struct TrimBounds {
        /// The last revision that readers find compacted.
        let trimmed: Revision
        /// The last revision that was looked through for young commits.
        let window: Revision
        /// The last revision of it that is not young.
        let old: Revision
    }

    /// Empties some of the trimmed entries.
    ///
    /// - Returns: Whether nothing is left to empty.
    private func removeStep(of record: StoredConfig, _ bounds: TrimBounds, tail: LogTail) async throws -> Bool {
        let (trimmed, window, old) = (bounds.trimmed, bounds.window, bounds.old)
        let last = min(trimmed, tail.revision - 1)
        let step = max(record.purged, min(last, old, record.purged + Self.trimStep))
        let isDone = old < window ? step >= old : step >= last && window == trimmed
        if trimmed == tail.revision, old == trimmed { try await empty(trimmed, of: record, isGarbage: false) }
        if step > record.purged {
            try await update(record.purged + 1...step, of: record) { try await self.empty($0, of: $1, isGarbage: true) }
        }
        let isAll = isDone && old == trimmed && record.hasKept
        if step > record.purged || isAll {
            try await note(purged: step, trimmed: trimmed, of: record, isAll: isAll)
        }
        if isDone, known.isDueForCollection(record.name, every: min(.seconds(3600), options.orphanAge)) {
            try await collectBlobs(of: record)
        }
        return isDone
    }

    /// The last of some entries, from the second on, that was committed before a moment; the first if none was.
    private func lastEntry(
        in revisions: ClosedRange<Revision>, of record: StoredConfig, before moment: Timestamp
    ) async throws -> Revision {
        var (low, high) = (revisions.lowerBound, revisions.upperBound)
        var middle = high
        while low < high {
            let key = layout(record.name).entry(middle, record.incarnation)
            // An entry that is not visible yet is young.
            let time = try await table.get(key, consistency: .strong)?[Name.time]?.int64 ?? .max
            if time < moment.milliseconds { low = middle } else { high = middle - 1 }
            middle = low + (high - low + 1) / 2
        }
        return low
    }

    private func note(
        _ trimmed: Revision, after tail: LogTail, of record: StoredConfig, keepsSome: Bool
    ) async throws {
        var update = RecordUpdate(
            key: layout(record.name).record, expression: "SET #trimmed = :n, #hint = :tail, #hintAt = :at",
            condition: "#log = :log AND #trimmed < :n",
            names: [Name.trimmed, Name.hint, Name.hintTime, Name.log],
            values: [
                ":n": .integer(trimmed), ":log": .string(record.incarnation),
                ":tail": .integer(tail.revision), ":at": .integer(tail.time.milliseconds),
            ])
        if keepsSome {
            update.expression += ", #kept = :yes"
            update.names.append(Name.kept)
            update.values[":yes"] = .bool(true)
        }
        _ = try await table.update(update)
    }

    private func note(
        purged: Revision, trimmed: Revision, of record: StoredConfig, isAll: Bool
    ) async throws {
        var update = RecordUpdate(
            key: layout(record.name).record, expression: "SET #purged = :n",
            condition: "#log = :log AND #purged <= :n", names: [Name.purged, Name.log],
            values: [":n": .integer(purged), ":log": .string(record.incarnation)])
        if isAll {
            // Unless another call has trimmed, and kept, more.
            update.expression += " REMOVE #kept"
            update.condition = "#log = :log AND #purged <= :n AND #trimmed = :trimmed"
            update.names += [Name.kept, Name.trimmed]
            update.values[":trimmed"] = .integer(trimmed)
        }
        _ = try await table.update(update)
    }

    private func update(
        _ revisions: ClosedRange<Revision>, of record: StoredConfig,
        _ body: @escaping @Sendable (Revision, StoredConfig) async throws -> Void
    ) async throws {
        _ = try await Array(revisions).concurrently(atMost: 8) { try await body($0, record) }
    }

    /// Marks an entry as trimmed, and leaves its commit in it.
    private func keep(_ revision: Revision, of record: StoredConfig) async throws {
        _ = try await table.update(
            RecordUpdate(
                key: layout(record.name).entry(revision, record.incarnation),
                expression: "SET #stub = :yes, #kept = :yes",
                condition: "attribute_exists(#pk) AND attribute_not_exists(#stub)",
                names: [Name.stub, Name.kept, Name.partition], values: [":yes": .bool(true)]))
    }

    private func empty(_ revision: Revision, of record: StoredConfig, isGarbage: Bool) async throws {
        var update = RecordUpdate(
            key: layout(record.name).entry(revision, record.incarnation),
            expression: "SET #stub = :yes REMOVE #changes, #msg, #by, #kept",
            condition: "attribute_exists(#pk)",
            names: [Name.stub, Name.changes, Name.message, Name.author, Name.kept, Name.partition],
            values: [":yes": .bool(true)])
        if isGarbage {
            let seconds = (options.time.now() + Self.garbageAge).milliseconds / 1000
            update.expression = "SET #stub = :yes, #ttl = :ttl REMOVE #changes, #msg, #by, #kept"
            update.names.append(Name.garbage)
            update.values[":ttl"] = .integer(seconds)
        }
        _ = try await table.update(update)
    }

    /// Removes large values to which nothing refers; returns their number.
    @discardableResult
    private func collectBlobs(of record: StoredConfig) async throws -> Int {
        let collector = BlobCollector(table: table, layout: layout(record.name), incarnation: record.incarnation)
        return try await collector.collect(before: options.time.now() - options.orphanAge)
    }

    /// Ends the log and marks the config's record with one transaction, then removes what it held; `maintain` finishes
    /// that.
    public func removeConfig(_ name: ConfigName) async throws -> Bool {
        let mark = String(options.time.random(), radix: 36)
        for _ in 0..<Self.removalTries {
            let attributes = try await table.get(layout(name).record, consistency: .strong)
            guard let found = try await table.call({ try attributes.map { try StoredConfig($0) } }) else {
                return false
            }
            if found.isRemoved {
                known.forget(name)
                // The config is gone; `maintain` removes what cannot be removed now.
                try? await purge(found)
                return found.remover == mark
            }
            let tail = try await newest(of: found)
            if try await end(found, after: tail, by: mark) {
                known.forget(name)
                if isPlanted(.cleanUpFailsRemoval) { try await purge(found) } else { try? await purge(found) }
                return true
            }
            try await options.time.sleep(.milliseconds(options.time.random(in: 5...20)))
        }
        throw DiscfgError(
            .storeUnavailable, "Writers to config “\(name)” were first again and again.",
            hint: "Nothing was removed; stop them, or try again.")
    }

    private static let removalTries = 20

    /// Ends the log, and marks the record: from here on the config is gone for everyone.
    ///
    /// - Returns: Whether no other process wrote first; `false` also if it was this very write, whose answer was lost.
    private func end(_ record: StoredConfig, after tail: LogTail, by remover: String) async throws -> Bool {
        let entry = layout(record.name).entry(tail.revision + 1, record.incarnation).merging([
            Name.revision: .integer(tail.revision + 1), Name.time: .integer(tail.time.milliseconds),
            Name.end: .bool(true),
        ]) { $1 }
        let mark = RecordUpdate(
            key: layout(record.name).record, expression: "SET #removed = :yes, #remover = :mark",
            condition: "#log = :log AND attribute_not_exists(#removed)",
            names: [Name.removed, Name.remover, Name.log],
            values: [":yes": .bool(true), ":mark": .string(remover), ":log": .string(record.incarnation)])
        do {
            try await table.transact([
                .put(
                    .init(
                        tableName: table.name, item: entry,
                        conditionExpression: "attribute_not_exists(\(Name.partition))")),
                mark.action(table: table.name),
            ])
            return true
        } catch let error as AWSError where error.cancellationReasons.first?.code == "ConditionalCheckFailed" {
            return false
        } catch let error as AWSError {
            throw table.translate(error)
        }
    }

    /// Removes the remaining records of a removed config; continues an interrupted earlier call.
    func purge(_ record: StoredConfig) async throws {
        let layout = layout(record.name)
        try await removeItems(of: record, in: layout)
        for partition in [layout.leases(record.incarnation), layout.cells(record.incarnation)] {
            try await removeRecords(of: partition)
        }
        try await BlobCollector(table: table, layout: layout, incarnation: record.incarnation).removeAll()
        try await emptyLog(of: record, in: layout)
        // The record and the entry of the catalog last: as long as they exist, the remaining records are found.
        let isOurs = (condition: "#log = :log", names: ["#log": Name.log])
        let values: [String: AttributeValue] = [":log": .string(record.incarnation)]
        do {
            try await table.transact(
                [layout.catalogEntry, layout.record].map { key in
                    .delete(
                        .init(
                            tableName: table.name, key: key, conditionExpression: isOurs.condition,
                            expressionAttributeNames: isOurs.names, expressionAttributeValues: values))
                })
        } catch let error as AWSError where error.code == .transactionCanceled && !error.isContention {
            // Another process has finished the removal.
        } catch let error as AWSError {
            throw table.translate(error)
        }
        known.forget(record.name)
    }

    private func removeItems(of record: StoredConfig, in layout: TableLayout) async throws {
        var query = PartitionQuery(partition: layout.items, attributes: [Name.partition, Name.sort])
        repeat {
            let answer = try await table.query(query)
            // Only items of this incarnation: there may be a new config of that name.
            _ = try await (answer.items ?? []).concurrently(atMost: 8) { [table] key in
                try await table.delete(
                    key, if: "#log = :log", names: ["#log": Name.log], values: [":log": .string(record.incarnation)])
            }
            query.start = answer.lastEvaluatedKey
        } while query.start != nil
    }

    /// Removes all records of a partition that no other incarnation has.
    private func removeRecords(of partition: String) async throws {
        var query = PartitionQuery(partition: partition, attributes: [Name.partition, Name.sort])
        repeat {
            let answer = try await table.query(query)
            _ = try await (answer.items ?? []).concurrently(atMost: 8) { [table] in try await table.delete($0) }
            query.start = answer.lastEvaluatedKey
        } while query.start != nil
    }

    private func emptyLog(of record: StoredConfig, in layout: TableLayout) async throws {
        var query = PartitionQuery(
            partition: layout.log(record.incarnation), attributes: [Name.revision, Name.garbage])
        repeat {
            let answer = try await table.query(query)
            let revisions = (answer.items ?? []).filter { $0[Name.garbage] == nil }.compactMap {
                $0[Name.revision]?.int64
            }
            _ = try await revisions.concurrently(atMost: 8) { try await self.empty($0, of: record, isGarbage: true) }
            query.start = answer.lastEvaluatedKey
        } while query.start != nil
    }
}
