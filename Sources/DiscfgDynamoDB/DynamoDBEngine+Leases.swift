import AWSClient
public import DiscfgCore

extension DynamoDBEngine {
    /// Creates the lease in one transaction with a change of the config's record, so that no lease is created in a
    /// removed config.
    public func createLease(_ lease: Lease, in config: ConfigName) async throws -> Bool {
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
                return true
            } catch let error as AWSError where error.code == .transactionCanceled && !error.isContention {
                if error.cancellationReasons.last?.code == "ConditionalCheckFailed" {
                    // The config is gone, or was created again.
                    known.forget(config)
                    continue
                }
                guard let found = error.cancellationReasons.first?.item else { throw table.translate(error) }
                // Our own lease, created by an attempt whose answer was lost.
                return found[Name.mark]?.string == mark
            } catch let error as AWSError {
                throw table.translate(error)
            }
        }
        throw DiscfgError.noConfig(config)
    }

    /// One `GetItem` with strong consistency.
    public func lease(_ id: Int64, in config: ConfigName) async throws -> Lease? {
        try await find(in: config) { layout, incarnation in
            let record = try await table.get(layout.lease(id, incarnation), consistency: .strong)
            return try await table.call { try record.map { try LeaseAttributes.read($0) } }
        }
    }

    /// One `Query` for each megabyte of leases; at most 1000 of them.
    public func leases(of config: ConfigName, after: Int64?, limit: Int) async throws -> [Lease] {
        let limit = max(1, min(limit, 1000))
        let leases = try await find(in: config) { layout, incarnation in
            var query = PartitionQuery(
                partition: layout.leases(incarnation), limit: limit, attributes: LeaseAttributes.names)
            if let after {
                query.condition = "#s > :a"
                query.values = [":a": .binary(TableLayout.bytes(of: max(0, after)))]
            }
            var leases: [Lease] = []
            repeat {
                let answer = try await table.query(query)
                leases += try await table.call { try (answer.items ?? []).map { try LeaseAttributes.read($0) } }
                query.start = answer.lastEvaluatedKey
            } while leases.count < limit && query.start != nil
            return leases.isEmpty ? nil : leases
        }
        return Array((leases ?? []).prefix(limit))
    }

    /// One `UpdateItem`, on condition that the lease is not ending.
    public func renewLease(_ id: Int64, in config: ConfigName, at now: Timestamp) async throws -> Lease? {
        try await find(in: config) { layout, incarnation in
            let record = try await table.update(
                RecordUpdate(
                    key: layout.lease(id, incarnation),
                    expression: "SET #expiry = #span + :now REMOVE #room ADD #ver :one",
                    condition: "#ending = :no",
                    names: [Name.expiry, Name.span, Name.ending, Name.room, Name.version],
                    values: [":now": .integer(now.milliseconds), ":no": .bool(false), ":one": .integer(1)]))
            return try await table.call { try record.map { try LeaseAttributes.read($0) } }
        }
    }

    /// One `UpdateItem`, on condition that the lease is unchanged if that was asked for.
    public func endLease(_ id: Int64, in config: ConfigName, ifUnchanged lease: Lease?) async throws -> String? {
        try await find(in: config) { layout, incarnation in
            var update = RecordUpdate(
                key: layout.lease(id, incarnation), expression: "SET #ending = :yes",
                condition: "attribute_exists(#ending)", names: [Name.ending], values: [":yes": .bool(true)])
            if let lease {
                // An older discfg stored no version.
                update.condition =
                    "#ending = :yes OR (#expiry = :expiry AND (#ver = :version OR attribute_not_exists(#ver)))"
                update.names += [Name.expiry, Name.version]
                update.values[":expiry"] = .integer(lease.expiry.milliseconds)
                update.values[":version"] = .integer(lease.version)
            }
            return try await table.update(update).map { LeaseAttributes.generation($0) }
        }
    }

    /// The keys that were ever attached to a lease; their items are visible from then on.
    public func keys(of lease: Int64, generation: String?, in config: ConfigName) async throws -> [Key]? {
        try await find(in: config) { layout, incarnation in
            let record = try await table.get(layout.lease(lease, incarnation), consistency: .strong)
            guard let record, generation == nil || LeaseAttributes.generation(record) == generation else { return nil }
            let keys = try await table.call { try LeaseAttributes.keys(record) }
            return try await settledKeys(keys, of: config, incarnation)
        }
    }

    /// One `DeleteItem`, on condition that the lease is ending and of this generation.
    public func removeLease(_ id: Int64, generation: String?, in config: ConfigName) async throws {
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
    public func overdueLeases(in config: ConfigName, at now: Timestamp) async throws -> [Lease] {
        if known.isLeaseless(config) { return [] }
        // A lease from a stale replica is checked again before it is ended.
        var query = PartitionQuery(
            partition: layout(config).leases(try await knownLog(of: config).incarnation), consistency: .eventual,
            attributes: LeaseAttributes.names)
        var overdue: [Lease] = []
        repeat {
            let answer = try await table.query(query)
            let leases = try await table.call { try (answer.items ?? []).map { try LeaseAttributes.read($0) } }
            overdue += leases.filter { $0.isEnding || $0.expiry <= now }
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
