#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import NIOCore

/// The capacity units that an answer of DynamoDB names: of one table, or a list of several tables.
struct ConsumedCapacity: Decodable {
    private enum Member: String, CodingKey { case consumed = "ConsumedCapacity" }

    private struct Table: Decodable {
        private enum CodingKeys: String, CodingKey { case units = "CapacityUnits" }
        var units: Double?
    }

    var units: Double

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Member.self)
        let tables: [Table]
        if let table = try? container.decode(Table.self, forKey: .consumed) {
            tables = [table]
        } else {
            tables = try container.decodeIfPresent([Table].self, forKey: .consumed) ?? []
        }
        units = tables.reduce(0) { $0 + ($1.units ?? 0) }
    }

    /// The units that a body names; 0 where it names none, or is no JSON.
    static func units(in body: ByteBuffer?) -> Double {
        guard let body else { return 0 }
        return (try? JSONDecoder().decode(Self.self, from: Data(body.readableBytesView)))?.units ?? 0
    }
}
