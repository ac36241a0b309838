import AWSClient
import DiscfgCore

/// The conversion between a lease and its record.
enum LeaseAttributes {
    /// The attributes of a lease, without the keys that were attached to it.
    static let names = [Name.id, Name.span, Name.expiry, Name.ending, Name.version, Name.mark]

    /// The attributes of a new lease.
    ///
    /// `ending` exists from the beginning, so that it can still be set if the record has its maximum size.
    static func make(_ lease: Lease, key: [String: AttributeValue], mark: String) -> [String: AttributeValue] {
        key.merging([
            Name.id: .integer(lease.id), Name.span: .integer(lease.ttl.milliseconds),
            Name.expiry: .integer(lease.expiry.milliseconds), Name.ending: .bool(lease.isEnding),
            Name.mark: .string(mark), Name.version: .integer(lease.version),
        ]) { $1 }
    }

    static func read(_ attributes: [String: AttributeValue]) throws -> StoredLease {
        guard let id = attributes[Name.id]?.int64, let span = attributes[Name.span]?.int64,
            let expiry = attributes[Name.expiry]?.int64, let isEnding = attributes[Name.ending]?.bool
        else { throw DamagedRecord("the record of a lease lacks an attribute") }
        let lease = Lease(
            id: id, ttl: .milliseconds(span), expiry: Timestamp(milliseconds: expiry), isEnding: isEnding,
            version: attributes[Name.version]?.int64 ?? 0)
        return StoredLease(lease, generation: attributes[Name.mark]?.string ?? "")
    }

    /// The keys that were ever attached to a lease.
    static func keys(_ attributes: [String: AttributeValue]) throws -> [Key] {
        try (attributes[Name.keys]?.binarySet ?? []).map { try ItemAttributes.key(.binary($0)) }
    }
}

extension TableLayout {
    /// Adds newly attached keys to a lease's record, if the lease exists and is not ending.
    ///
    /// Detached keys stay in the record: removing them would double the cost of every write of a key that has a lease.
    /// If the record is full, no more keys can be attached, but the longer number of a new end still fits.
    func attachment(of keys: Set<[UInt8]>, to lease: Int64, _ incarnation: String) -> RecordUpdate {
        RecordUpdate(
            key: self.lease(lease, incarnation), expression: "SET #room = :room ADD #keys :keys",
            condition: "#ending = :no",
            names: [Name.keys, Name.ending, Name.room],
            values: [
                ":keys": .binarySet(Array(keys)), ":no": .bool(false),
                ":room": .binary([UInt8](repeating: 0, count: 16)),
            ])
    }

    /// Adds the config's record to the index, before all items that expire: a query for those also shows that the
    /// config has had leases.
    func announcementOfLeases(_ incarnation: String) -> RecordUpdate {
        RecordUpdate(
            key: record, expression: "SET #due = :config, #expiry = :first",
            condition: "#log = :log AND attribute_not_exists(#removed)",
            names: [Name.due, Name.expiry, Name.log, Name.removed],
            values: [":config": .string(config.description), ":first": .integer(0), ":log": .string(incarnation)])
    }
}
