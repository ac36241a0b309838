import AWSClient
public import DiscfgCore

extension DynamoDBEngine {
    /// The selected leases; those that are overdue are found by an index, which may be behind.
    public func leases(_ selection: LeaseSelection, of config: ConfigName) async throws -> [StoredLease] {
        switch selection {
        case .one(let id):
            let found = try await find(in: config) { layout, incarnation in
                let record = try await table.get(layout.lease(id, incarnation), consistency: .strong)
                return try await table.call { try record.map { try LeaseAttributes.read($0) } }
            }
            return found.map { [$0] } ?? []
        case .withKeys(let id, let generation):
            return try await lease(id, generation: generation, withKeysIn: config).map { [$0] } ?? []
        case .all(let after, let limit): return try await allLeases(of: config, after: after, limit: limit)
        case .overdue(let now): return try await overdueLeases(of: config, at: now)
        }
    }

    /// Changes the item of a lease, by one conditional request if nobody else changes it meanwhile.
    public func changeLease(_ change: LeaseChange, in config: ConfigName) async throws -> StoredLease? {
        switch change {
        case .create(let lease): return try await create(lease, in: config)
        case .renew(let id, let now):
            return try await update(
                id, in: config, "SET #expiry = #span + :now REMOVE #room ADD #ver :one", if: "#ending = :no",
                names: [Name.expiry, Name.span, Name.ending, Name.room, Name.version],
                values: [":now": .integer(now.milliseconds), ":no": .bool(false), ":one": .integer(1)])
        case .end(let id, nil):
            return try await update(
                id, in: config, "SET #ending = :yes", if: "attribute_exists(#ending)", names: [Name.ending],
                values: [":yes": .bool(true)])
        case .end(let id, let known?):
            // An older discfg stored no version.
            return try await update(
                id, in: config, "SET #ending = :yes",
                if: "#ending = :yes OR (#expiry = :expiry AND (#ver = :version OR attribute_not_exists(#ver)))",
                names: [Name.ending, Name.expiry, Name.version],
                values: [
                    ":yes": .bool(true), ":expiry": .integer(known.expiry.milliseconds),
                    ":version": .integer(known.version),
                ])
        case .remove(let id, let generation):
            try await remove(id, generation: generation, in: config)
            return nil
        }
    }

    /// Creates the lease in one transaction with a change of the config's record, so that no lease is created in a
    /// removed config.
    private func create(_ lease: Lease, in config: ConfigName) async throws -> StoredLease? {
        let mark = String(options.time.random(), radix: 36)
        for _ in 0..<2 {
            let incarnation = try await knownLog(of: config).incarnation
            let layout = layout(config)
            let record = LeaseAttributes.make(lease, key: layout.lease(lease.id, incarnation), mark: mark)
            do {
                try await table.transact([
                    .put(
                        .init(
                            tableName: table.name, item: record,
                            conditionExpression: "attribute_not_exists(\(Name.partition))",
                            returnValuesOnConditionCheckFailure: .allOld)),
                    layout.announcementOfLeases(incarnation).action(table: table.name),
                ])
                known.note(hasLeases: true, of: config)
                return StoredLease(lease, generation: mark)
            } catch let error as AWSError where error.code == .transactionCanceled && !error.isContention {
                if error.cancellationReasons.last?.code == "ConditionalCheckFailed" {
                    // The config is gone, or was created again.
                    known.forget(config)
                    continue
                }
                guard let found = error.cancellationReasons.first?.item else { throw table.translate(error) }
                // Our own lease, created by an attempt whose answer was lost.
                return found[Name.mark]?.string == mark ? StoredLease(lease, generation: mark) : nil
            } catch let error as AWSError {
                throw table.translate(error)
            }
        }
        throw DiscfgError.noConfig(config)
    }

    private func allLeases(of config: ConfigName, after: Int64?, limit: Int) async throws -> [StoredLease] {
        let limit = max(1, min(limit, 1000))
        let leases = try await find(in: config) { layout, incarnation in
            var query = PartitionQuery(
                partition: layout.leases(incarnation), limit: limit, attributes: LeaseAttributes.names)
            if let after {
                query.condition = "#s > :a"
                query.values = [":a": .binary(TableLayout.bytes(of: max(0, after)))]
            }
            var leases: [StoredLease] = []
            repeat {
                let answer = try await table.query(query)
                leases += try await table.call { try (answer.items ?? []).map { try LeaseAttributes.read($0) } }
                query.start = answer.lastEvaluatedKey
            } while leases.count < limit && query.start != nil
            return leases.isEmpty ? nil : leases
        }
        return Array((leases ?? []).prefix(limit))
    }

    private func update(
        _ id: Int64, in config: ConfigName, _ expression: String, if condition: String, names: [String],
        values: [String: AttributeValue]
    ) async throws -> StoredLease? {
        try await find(in: config) { layout, incarnation in
            let record = try await table.update(
                RecordUpdate(
                    key: layout.lease(id, incarnation), expression: expression, condition: condition, names: names,
                    values: values))
            return try await table.call { try record.map { try LeaseAttributes.read($0) } }
        }
    }

    /// The lease with the keys that were ever attached to it; their items are visible from then on.
    private func lease(
        _ id: Int64, generation: String?, withKeysIn config: ConfigName
    ) async throws -> StoredLease? {
        try await find(in: config) { layout, incarnation in
            guard let record = try await table.get(layout.lease(id, incarnation), consistency: .strong) else {
                return nil
            }
            var found = try await table.call { try LeaseAttributes.read(record) }
            guard generation ?? found.generation == found.generation else { return nil }
            let keys = try await table.call { try LeaseAttributes.keys(record) }
            found.keys = try await settledKeys(keys, of: config, incarnation)
            return found
        }
    }

    private func remove(_ id: Int64, generation: String?, in config: ConfigName) async throws {
        _ = try await find(in: config) { layout, incarnation in
            var (condition, names) = ("#ending = :yes", ["#ending": Name.ending])
            var values: [String: AttributeValue] = [":yes": .bool(true)]
            if let generation {
                condition += " AND #mark = :mark"
                (names["#mark"], values[":mark"]) = (Name.mark, .string(generation))
            }
            return try await table.delete(
                layout.lease(id, incarnation), if: condition, names: names, values: values) ? true : nil
        }
    }

    /// Reads the leases; sends no request right after a query for overdue keys if the config has never had a lease.
    private func overdueLeases(of config: ConfigName, at now: Timestamp) async throws -> [StoredLease] {
        if known.isLeaseless(config) { return [] }
        // A lease from a stale replica is checked again before it is ended.
        var query = PartitionQuery(
            partition: layout(config).leases(try await knownLog(of: config).incarnation), consistency: .eventual,
            attributes: LeaseAttributes.names)
        var overdue: [StoredLease] = []
        repeat {
            let answer = try await table.query(query)
            let leases = try await table.call { try (answer.items ?? []).map { try LeaseAttributes.read($0) } }
            overdue += leases.filter { $0.lease.isEnding || $0.lease.expiry <= now }
            query.start = answer.lastEvaluatedKey
        } while query.start != nil
        return overdue
    }

    /// Searches in the known incarnation and, if nothing is found, in the incarnation that the config's record names.
    func find<Result>(
        in config: ConfigName, _ body: (TableLayout, _ incarnation: String) async throws -> Result?
    ) async throws -> Result? {
        let isRemembered = known[config] != nil
        let incarnation = try await knownLog(of: config).incarnation
        if let found = try await body(layout(config), incarnation) { return found }
        guard isRemembered else { return nil }
        let current = try await requireRecord(of: config).incarnation
        return current == incarnation ? nil : try await body(layout(config), current)
    }
}
