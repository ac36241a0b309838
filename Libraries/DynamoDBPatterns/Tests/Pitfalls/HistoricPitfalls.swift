import AWSClient
import DynamoDBPatterns
import DynamoDBPatternsTesting
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The table whose history is kept is the one that it is kept in: its stream has the records of both, as a table has
/// that is shared, and the recorder picks its own.
@Suite("Pitfalls of historic, with a recorder of whose calls every fourth goes wrong")
struct HistoricPitfalls {
    private struct Price: Codable, Sendable {
        var pk: String
        var sk = "price"
        var cents: Int
    }

    private struct Shop {
        let world: PitfallWorld
        var prices: VersionedTable<Price> { prices(in: world.table) }
        var history: Historic<Price> { get throws { try history(in: world.table) } }

        func prices(in table: PatternTable) -> VersionedTable<Price> {
            VersionedTable(table.name, in: table.api, key: .init(partition: "pk", sort: "sk"), clock: table.clock)
        }

        func history(in table: PatternTable) throws -> Historic<Price> {
            try Historic("prices", of: prices(in: table), in: table)
        }

        /// What the stream has of prices.
        func records() async throws -> [StreamRecord] {
            try await world.records().filter { $0.change?.keys?["sk"] == .string("price") }
        }

        /// Records these, again where a call went wrong.
        func record(_ records: [StreamRecord]) async throws {
            for record in records { try await world.deliver { try await history(in: $0).record(record) } }
        }

        func entries(_ id: String = "tea") async throws -> [HistoricEntry<Price>] {
            try await history.history(of: PrimaryKey(id, "price")).entries
        }

        /// Sets a price some times, one cent more each time.
        func set(count: Int, of id: String = "tea") async throws {
            for _ in 0..<count {
                try await prices.update(PrimaryKey(id, "price"), orInsert: Price(pk: id, cents: 0)) { $0.cents += 1 }
            }
        }
    }

    @Test("Records that come again, in any order, leave one entry for each version", arguments: PitfallPlace.all)
    func duplicates(place: PitfallPlace) async throws {
        let shop = Shop(world: try await PitfallWorld(place))
        try await shop.set(count: 5)
        let records = try await shop.records()
        try await shop.record(records + records.reversed() + records)
        let entries = try await shop.entries()
        #expect(entries.map(\.version) == [5, 4, 3, 2, 1] && entries.allSatisfy { !$0.isRecovered })
        #expect(try entries.map { try $0.item?.cents } == [5, 4, 3, 2, 1])
    }

    @Test(
        "Hole: what a consumer lost that was down for too long is a gap between versions, and never guessed",
        arguments: PitfallPlace.all)
    func hole(place: PitfallPlace) async throws {
        let shop = Shop(world: try await PitfallWorld(place))
        try await shop.set(count: 8)
        let records = try await shop.records()
        try await shop.record(Array(records[..<2] + records[6...]))
        // The record after the hole has the image before it.
        #expect(try await shop.entries().map(\.version) == [8, 7, 6, 2, 1])
        let gaps = try await shop.history.gaps(of: PrimaryKey("tea", "price"))
        #expect(gaps.map(\.after) == [2] && gaps.map(\.before) == [6])
    }

    @Test(
        "REMOVE has only the old image: a deletion is the version after that, which is recovered where it was lost",
        arguments: PitfallPlace.all)
    func removal(place: PitfallPlace) async throws {
        let shop = Shop(world: try await PitfallWorld(place))
        try await shop.set(count: 2)
        let tea = try #require(try await shop.prices.load(PrimaryKey("tea", "price")))
        try await shop.history.delete(tea, by: "ann")
        let records = try await shop.records()
        let removal = try #require(records.last)
        #expect(removal.eventName == .remove && removal.change?.newImage == nil)
        try await shop.record([removal])
        var entries = try await shop.entries()
        #expect(entries.map(\.kind) == [.removed, .modified] && entries.map(\.isRecovered) == [false, true])
        try await shop.record(records)
        entries = try await shop.entries()
        #expect(entries.map(\.version) == [4, 3, 2, 1] && entries.map(\.by) == ["ann", "ann", nil, nil])
    }

    @Test("TTL identity: an expiry was done by DynamoDB, and by nobody else", arguments: PitfallPlace.all)
    func expiry(place: PitfallPlace) async throws {
        let shop = Shop(world: try await PitfallWorld(place))
        try await shop.set(count: 1)
        try await shop.prices.delete(try #require(try await shop.prices.load(PrimaryKey("tea", "price"))))
        var records = try await shop.records()
        // Neither of the two lets items expire while a test waits: the record says what AWS's would.
        records[1].userIdentity = .init()
        records[1].userIdentity?.principalID = "dynamodb.amazonaws.com"
        records[1].userIdentity?.type = "Service"
        try await shop.record(records)
        #expect(try await shop.entries().map(\.by) == ["dynamodb.amazonaws.com", nil])
    }

    @Test(
        "Sequence numbers compare only within a shard: the order is that of the versions", arguments: PitfallPlace.all)
    func order(place: PitfallPlace) async throws {
        let shop = Shop(world: try await PitfallWorld(place))
        try await shop.set(count: 3)
        var records = try await shop.records()
        // As after a split, in whose children numbers may begin anywhere.
        for (index, record) in records.enumerated() {
            records[index] = record
            records[index].change?.sequenceNumber = "\(900 - index)"
        }
        try await shop.record(records)
        let entries = try await shop.entries()
        #expect(entries.map(\.version) == [3, 2, 1])
        try await shop.history.restore(entries[2])
        #expect(try await shop.prices.load(PrimaryKey("tea", "price"))?.item.cents == 1)
    }
}
