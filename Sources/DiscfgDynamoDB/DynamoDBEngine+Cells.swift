import AWSClient
public import DiscfgCore

/// Cells cost one unit for each KiB to write, and one for each 4 KiB to read.
extension DynamoDBEngine {
    /// The cells whose names are in the range, in the order of their names, strongly consistent.
    public func cells(
        of config: ConfigName, from first: String, through last: String, limit: Int
    ) async throws -> [Cell] {
        guard first <= last else { return [] }
        let limit = max(1, min(limit, 1000))
        let cells: [Cell]? = try await find(in: config) { layout, incarnation in
            var query = PartitionQuery(
                partition: layout.cells(incarnation), condition: "#s BETWEEN :a AND :b",
                values: [":a": .binary(Array(first.utf8)), ":b": .binary(Array(last.utf8))], limit: limit)
            var cells: [Cell] = []
            repeat {
                let answer = try await table.query(query)
                cells += try await table.call { try (answer.items ?? []).map { try Cell($0) } }
                query.start = answer.lastEvaluatedKey
            } while cells.count < limit && query.start != nil
            return cells.isEmpty ? nil : cells
        }
        return Array((cells ?? []).prefix(limit))
    }

    /// One conditional `UpdateItem` or `DeleteItem`; a cell that does not exist yet needs one read of the config's
    /// record first.
    public func replaceCell(
        _ name: String, with bytes: [UInt8]?, version: Int64, in config: ConfigName
    ) async throws -> Bool {
        // The record has the current incarnation: the known one may be gone.
        let incarnation =
            try await version == 0 ? requireRecord(of: config).incarnation : knownLog(of: config).incarnation
        let key = layout(config).cell(name, incarnation)
        let condition = version == 0 ? "attribute_not_exists(#ver)" : "#ver = :known"
        let known: [String: AttributeValue] = version == 0 ? [:] : [":known": .integer(version)]
        guard let bytes else {
            if version == 0 { return try await cell(name, in: config) == nil }
            return try await table.delete(key, if: condition, names: ["#ver": Name.version], values: known)
        }
        let update = RecordUpdate(
            key: key, expression: "SET #note = :cell, #ver = :new", condition: condition,
            names: [Name.cell, Name.version],
            values: known.merging([":cell": .binary(bytes), ":new": .integer(version + 1)]) { $1 })
        return try await table.update(update) != nil
    }
}

extension Cell {
    fileprivate init(_ attributes: [String: AttributeValue]) throws {
        guard let name = attributes[Name.sort]?.binary, let bytes = attributes[Name.cell]?.binary,
            let version = attributes[Name.version]?.int64
        else { throw DamagedRecord("a cell lacks an attribute") }
        self.init(name: String(decoding: name, as: UTF8.self), bytes: bytes, version: version)
    }
}
