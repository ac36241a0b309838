import AWSClient
import DynamoDBPatternsTesting
import Foundation
import Testing

@testable import DynamoDBPatterns

/// Lists of types without an order: sets of structs, and dictionaries whose keys are not strings.
@Suite struct UnorderedTypesTests {
    struct Tag: Codable, Sendable, Hashable {
        struct Color: Codable, Hashable { var hex: String }

        var name: String
        var color = Color(hex: "0")
        var count = 0
    }

    struct Thing: Codable, Sendable {
        enum Place: Codable, Hashable, CaseIterable { case north, east, south, west }

        var id: String
        var tags: Set<Tag> = []
        var stock: [Place: Int] = [:]
        var parts: [Tag] = []
    }

    let store: MemoryDynamoDB
    let things: VersionedTable<Thing>

    init() throws {
        store = try MemoryDynamoDB.withAccounts()
        things = VersionedTable("accounts", in: store, key: .init(partition: "id"))
    }

    private func tag(_ name: String, _ more: StoredItem = [:]) -> AttributeValue {
        .map(["name": .string(name), "color": .map(["hex": .string("0")]), "count": .number("0")].merging(more) { $1 })
    }

    private func put(_ members: StoredItem) async throws {
        let whole: StoredItem = ["id": .string("a"), "tags": .list([]), "stock": .list([]), "parts": .list([])]
        _ = try await store.putItem(
            PutItemRequest(tableName: "accounts", item: whole.merging(members) { _, new in new }))
    }

    @Test("The element that is taken out of a Set of structs is the one that is gone, in whatever order it is stored")
    func sets() async throws {
        let names = ["a", "b", "c", "d", "e"]
        for shift in names.indices {
            let stored = Array(names[shift...] + names[..<shift])
            for gone in names {
                try await put(["tags": .list(stored.map { tag($0) })])
                try await things.update("a") { $0.tags.remove(Tag(name: gone)) }
                let left = try await things.load("a")?.item.tags.map(\.name).sorted()
                #expect(left == names.filter { $0 != gone }, "stored as \(stored)")
            }
        }
    }

    @Test("A dictionary whose keys are not strings keeps each value with its key, in whatever order it is stored")
    func dictionaries() async throws {
        let coder = AttributeEncoder()
        let places = Thing.Place.allCases
        for shift in places.indices {
            let stored = try (places[shift...] + places[..<shift]).enumerated().flatMap { index, place in
                [try coder.attribute(of: place), .integer(places.firstIndex(of: place) ?? index)]
            }
            try await put(["stock": .list(stored)])
            try await things.update("a") { $0.stock[.south] = 9 }
            #expect(try await things.load("a")?.item.stock == [.north: 0, .east: 1, .south: 9, .west: 3])
        }
    }

    @Test("Equal values without an order are no change, and what is stored of them stays")
    func unchanged() async throws {
        let stored = AttributeValue.list(["c", "a", "b"].map { tag($0, ["newer": .bool(true)]) })
        try await put(["tags": stored])
        let before = store.usage.requests["PutItem"]
        try await things.update("a") { thing in
            let tags = thing.tags
            thing.tags = []
            for tag in tags.sorted(by: { $0.name < $1.name }) { thing.tags.insert(tag) }
        }
        #expect(store.usage.requests["PutItem"] == before)
        try await things.update("a") { $0.parts = [Tag(name: "x")] }
        #expect(store.items(in: "accounts").first?["tags"] == stored)
    }

    @Test("A changed element of a list gets no unknown members of the element that was there, however deep")
    func elements() async throws {
        let color = AttributeValue.map(["hex": .string("0"), "of": .string("first")])
        try await put(["parts": .list([tag("first", ["color": color]), tag("second")])])
        try await things.update("a") { thing in
            thing.parts.removeFirst()
            thing.parts[0].count = 1
        }
        #expect(
            store.items(in: "accounts").first?["parts"] == .list([tag("second", ["count": .number("1")])]))
    }
}
