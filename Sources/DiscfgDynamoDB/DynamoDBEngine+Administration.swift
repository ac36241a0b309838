import AWSClient
public import DiscfgCore

/// The table as a whole.
extension DynamoDBEngine: StoreAdministration {
    /// The table, as a destruction names it.
    public var subject: StoreSubject? {
        StoreSubject(description: "the table “\(table.name)” in \(table.region)", name: table.name)
    }

    /// Creates the table if it does not exist, and waits until it is active; an existing one is not changed.
    public func create(_ properties: StoreProperties) async throws -> [StoreWarning] {
        let throughput = try TableThroughput(properties.settings)
        let existed = try await manager.exists()
        if !existed { try await manager.make(throughput ?? .onDemand, isProtected: properties.isProtected) }
        try await manager.checkOwnership()
        return try await existed ? manager.warnings(properties) : []
    }

    /// Describes the table with one `DescribeTable`; its counts are about six hours old.
    public func status() async throws -> StorageDescription {
        var description = description
        description.options.merge(try await manager.status().fields) { $1 }
        return description
    }

    /// Deletes the table, and waits until it is gone; throws `storeNotWritable` if it is protected against deletion.
    public func destroy() async throws { try await manager.destroy() }

    /// Finishes interrupted removals, and stores hints of the tails for writers that have read nothing yet.
    public func maintain() async throws {
        var last: ConfigName?
        var failure: DiscfgError?
        while true {
            let names = try await configNames(after: last, limit: 1000)
            guard let newest = names.last else { break }
            for name in names {
                do {
                    try await maintain(name)
                } catch let error as DiscfgError {
                    // A config that this process may not access must not prevent the maintenance of the others.
                    failure = failure ?? error
                }
            }
            last = newest
        }
        if let failure { throw failure }
    }

    private func maintain(_ name: ConfigName) async throws {
        let attributes = try await table.get(layout(name).record, consistency: .strong)
        guard let record = try await table.call({ try attributes.map { try StoredConfig($0) } }) else { return }
        if record.isRemoved { return try await purge(record) }
        let tail = try await newest(of: record)
        guard tail.revision > record.hint else { return }
        let newest = Commit(revision: tail.revision, time: tail.time, author: "", message: "", changes: [])
        _ = try await table.update(layout(name).announcement(of: newest, record.incarnation).raising)
    }
}

extension RecordUpdate {
    /// The update of the hint, unless another process has stored a later revision.
    fileprivate var raising: RecordUpdate {
        var update = self
        update.condition = (condition.map { $0 + " AND " } ?? "") + "#hint < :n"
        return update
    }
}
