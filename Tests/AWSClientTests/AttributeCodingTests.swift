import AWSClient
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite("Attribute coding")
struct AttributeCodingTests {
    enum Colour: String, Codable { case red, green }
    enum Shape: Codable, Equatable {
        case circle(radius: Double)
        case point
    }

    struct Inner: Codable, Equatable {
        var name: String
        var next: [Inner]?
    }

    struct Everything: Codable, Equatable {
        var text = "Zü"
        var flag = true
        var smallest = Int64.min
        var largest = UInt64.max
        var byte: UInt8 = 255
        var tenth = 0.1
        var tiny = 5e-100
        var third: Float = 1 / 3
        var price = Decimal(string: "12345678901234567890.123456789")
        var bytes: [UInt8] = [0, 1, 255]
        var noBytes: [UInt8] = []
        var data = Data([7])
        var numbers = [1, 2]
        var noNumbers: [Int] = []
        var optionals: [Int?] = [1, nil]
        var absent: String?
        var dictionary = ["a": [1.5], "b": []]
        var colour = Colour.green
        var shapes = [Shape.circle(radius: 2), .point]
        var date = Date(timeIntervalSince1970: 1_790_000_000.25)
        var inner = Inner(name: "a", next: [Inner(name: "b", next: nil)])
        var raw = AttributeValue.stringSet(["x"])
        var tags: Set<String> = ["one"]
    }

    @Test("brings every kind of value there and back")
    func roundTrip() throws {
        let value = Everything()
        let item = try AttributeEncoder().item(of: value)
        #expect(try AttributeDecoder().decode(Everything.self, from: item) == value)
    }

    @Test("writes each kind of value as the type that people expect in a table")
    func types() throws {
        let item = try AttributeEncoder().item(of: Everything())
        #expect(item["smallest"] == .number("-9223372036854775808"))
        #expect(item["largest"] == .number("18446744073709551615"))
        #expect(item["tenth"] == .number("0.1"))
        #expect(item["price"] == .number("12345678901234567890.123456789"))
        #expect(item["bytes"] == .binary([0, 1, 255]))
        #expect(item["noBytes"] == .binary([]))
        #expect(item["data"] == .binary([7]))
        #expect(item["noNumbers"] == .list([]))
        #expect(item["optionals"] == .list([.integer(1), .null]))
        #expect(item["absent"] == nil)
        #expect(item["colour"] == .string("green"))
        #expect(
            item["shapes"] == .list([.map(["circle": .map(["radius": .number("2.0")])]), .map(["point": .map([:])])]))
        #expect(item["date"] == .number("1790000000.25"))
        #expect(item["inner"]?.map?["next"] == .list([.map(["name": .string("b")])]))
        #expect(item["raw"] == .stringSet(["x"]))
    }

    @Test(
        "keeps every Double to its last bit",
        arguments: [0.1 + 0.2, .pi, .leastNonzeroMagnitude, 1e22, -0.0, 123_456_789.125])
    func doubles(value: Double) throws {
        let attribute = try AttributeEncoder().attribute(of: value)
        #expect(try AttributeDecoder().decode(Double.self, from: attribute).bitPattern == value.bitPattern)
    }

    @Test("writes dates as the caller wants them")
    func dates() throws {
        let encoder = AttributeEncoder { .string("\(Int($0.timeIntervalSince1970))") }
        let decoder = AttributeDecoder { $0.string.flatMap { Double($0) }.map(Date.init(timeIntervalSince1970:)) }
        let item = try encoder.item(of: ["at": Date(timeIntervalSince1970: 5)])
        #expect(item == ["at": .string("5")])
        #expect(try decoder.decode([String: Date].self, from: item)["at"] == Date(timeIntervalSince1970: 5))
    }

    @Test("refuses what DynamoDB cannot hold")
    func refusals() {
        #expect(throws: EncodingError.self) { try AttributeEncoder().attribute(of: [Double.nan]) }
        #expect(throws: EncodingError.self) { try AttributeEncoder().attribute(of: -Float.infinity) }
        #expect(throws: EncodingError.self) { try AttributeEncoder().item(of: "text") }
    }

    @Test("refuses attributes of another type, and says where, but not what")
    func mismatches() throws {
        func failure<Value: Decodable>(_ type: Value.Type, _ attribute: AttributeValue) -> String {
            let error = #expect(throws: DecodingError.self) { try AttributeDecoder().decode(type, from: attribute) }
            return error.map { "\($0)" } ?? ""
        }
        #expect(!failure(Int.self, .string("secret")).contains("secret"))
        #expect(!failure(Int8.self, .number("300")).contains("300"))
        #expect(!failure(UInt.self, .number("-1")).contains("-1"))
        #expect(!failure(Double.self, .number("1E+999")).contains("999"))
        #expect(!failure([String: Int].self, .map(["a": .string("secret")])).contains("secret"))
        #expect(failure([String: Int].self, .map(["place": .bool(true)])).contains("place"))
        #expect(failure(Inner.self, .map([:])).contains("name"))
        _ = failure([Int].self, .map([:]))
        _ = failure(Colour.self, .string("blue"))
        _ = failure(String.self, .null)
    }

    @Test("reads sets as arrays and as sets")
    func sets() throws {
        let decoder = AttributeDecoder()
        #expect(try decoder.decode([String].self, from: .stringSet(["b", "a"])) == ["b", "a"])
        #expect(try decoder.decode(Set<Int>.self, from: .numberSet(["2", "1"])) == [1, 2])
        #expect(try decoder.decode([[UInt8]].self, from: .binarySet([[1]])) == [[1]])
        #expect(try decoder.decode(Int?.self, from: .null) == nil)
    }
}
