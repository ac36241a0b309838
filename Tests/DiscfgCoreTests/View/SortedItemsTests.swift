@testable import DiscfgCore
import DiscfgTestSupport
import Testing

@Suite("Sorted items")
struct SortedItemsTests {
    static func item(_ name: String, modified: Revision = 1) throws -> Item {
        Item(
            key: try Key(bytes: Array(name.utf8)), value: Value("v\(modified)"), created: 1, modified: modified,
            modifiedAt: Timestamp(milliseconds: 0))
    }

    @Test("Sets, removals, ranges and counts are those of a sorted dictionary", arguments: [1, 2, 3] as [UInt64])
    func agrees(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var items = SortedItems()
        var model: [Key: Item] = [:]
        for step in 0..<6000 {
            // Ascending names too, because keys are often written in their order.
            let name = step % 3 == 0 ? "s\(step + 100_000)" : "k\(Int.random(in: 0..<1500, using: &random))"
            let item = try Self.item(name, modified: Revision(step))
            if Int.random(in: 0..<3, using: &random) == 0 {
                #expect(items.remove(item.key) == model.removeValue(forKey: item.key))
            } else {
                #expect(items.set(item) == model.updateValue(item, forKey: item.key))
            }
            guard step % 500 == 0 || step > 5990 else { continue }
            let sorted = model.values.sorted { $0.key < $1.key }
            #expect(items.count == sorted.count)
            #expect(items.items(in: .all) == sorted)
            for _ in 0..<20 {
                let bounds = [0, 1].map { _ in Array("k\(Int.random(in: 0..<1500, using: &random))".utf8) }
                let range = KeyRange(from: bounds[0], to: Bool.random(using: &random) ? bounds[1] : nil)
                let inside = sorted.filter { range.contains($0.key) }
                #expect(items.items(in: range) == inside)
                #expect(items.items(in: range, limit: 7) == Array(inside.prefix(7)))
                #expect(items.count(in: range) == inside.count)
            }
            for item in sorted.prefix(50) { #expect(items[item.key] == item) }
        }
    }

    @Test("A copy keeps what it had")
    func copies() throws {
        var items = SortedItems()
        for number in 0..<1000 { items.set(try Self.item("k\(number)")) }
        let copy = items
        let before = copy.items(in: .all)
        for number in 0..<1000 where number % 2 == 0 { items.remove(try Self.item("k\(number)").key) }
        for number in 1000..<1100 { items.set(try Self.item("k\(number)")) }
        #expect(copy.items(in: .all) == before && copy.count == 1000)
        #expect(items.count == 600)
    }

    @Test("Keys in ascending order fill their chunks, and nothing is in an empty one")
    func empty() throws {
        var items = SortedItems()
        #expect(items.items(in: .all).isEmpty && items.count(in: .all) == 0)
        let key = try Key(path: "/a")
        #expect(items[key] == nil && items.remove(key) == nil)
        items.set(try Self.item("/a"))
        items.remove(key)
        #expect(items.items(in: .all).isEmpty && items.count == 0)
    }
}
