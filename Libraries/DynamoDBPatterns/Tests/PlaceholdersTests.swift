import AWSClient
import Testing

@testable import DynamoDBPatterns

@Suite struct PlaceholdersTests {
    @Test("A condition names each attribute once, and keeps its parts together")
    func conditions() {
        var holders = Placeholders()
        let text = holders.text(
            of: .all([.any([.absent("name"), .less("n", .integer(3))]), .equals("name", .string("x"))]))
        #expect(text == "((attribute_not_exists(#0) OR #1 < :0) AND #0 = :1)")
        #expect(holders.names == ["#0": "name", "#1": "n"])
        #expect(holders.values == [":0": .integer(3), ":1": .string("x")])
    }

    @Test("An update has one clause of each kind")
    func updates() {
        var update = ItemUpdate()
        update.set("a", .string("1"))
        update.increment("n")
        update.remove("b")
        update.setIfAbsent("c", .bool(true))
        var holders = Placeholders()
        #expect(update.text(&holders) == "SET #0 = :0, #1 = if_not_exists(#1, :1) REMOVE #2 ADD #3 :2")
    }
}
