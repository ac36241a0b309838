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
        let text = DateCoding(
            write: { .string("\(Int($0.timeIntervalSince1970))") },
            read: { $0.string.flatMap { Double($0) }.map(Date.init(timeIntervalSince1970:)) })
        let (encoder, decoder) = (AttributeEncoder(dates: text), AttributeDecoder(dates: text))
        let item = try encoder.item(of: ["at": Date(timeIntervalSince1970: 5)])
        #expect(item == ["at": .string("5")])
        #expect(try decoder.decode([String: Date].self, from: item)["at"] == Date(timeIntervalSince1970: 5))
    }

    @Test(
        "writes dates as ISO 8601 in UTC, with milliseconds that sort, and reads any offset and fraction",
        arguments: [
            (0.0, "1970-01-01T00:00:00.000Z"), (1_790_000_000.1234, "2026-09-21T14:13:20.123Z"),
            (-0.5, "1969-12-31T23:59:59.500Z"), (-62_135_596_800, "0001-01-01T00:00:00.000Z"),
            (951_782_400, "2000-02-29T00:00:00.000Z"), (253_402_300_799.999, "9999-12-31T23:59:59.999Z"),
        ])
    func iso8601(seconds: Double, text: String) throws {
        let (encoder, decoder) = (AttributeEncoder(dates: .iso8601), AttributeDecoder(dates: .iso8601))
        #expect(try encoder.attribute(of: Date(timeIntervalSince1970: seconds)) == .string(text))
        let date = try decoder.decode(Date.self, from: .string(text))
        #expect(abs(date.timeIntervalSince1970 - seconds) < 0.001)
        #expect(try encoder.attribute(of: date) == .string(text))
    }

    @Test("reads dates of others in ISO 8601, and refuses what is no date")
    func otherDates() throws {
        let decoder = AttributeDecoder(dates: .iso8601)
        for text in ["2026-09-21T16:13:20.25+02:00", "2026-09-21T14:13:20.250000Z"] {
            #expect(try decoder.decode(Date.self, from: .string(text)).timeIntervalSince1970 == 1_790_000_000.25)
        }
        for attribute in [AttributeValue.string("yesterday"), .number("5"), .string("0000-01-01T00:00:00Z")] {
            #expect(throws: DecodingError.self) { try decoder.decode(Date.self, from: attribute) }
        }
        for date in [Date(timeIntervalSince1970: 253_402_300_800), .distantPast.addingTimeInterval(-1e9)] {
            #expect(throws: EncodingError.self) { try AttributeEncoder(dates: .iso8601).attribute(of: date) }
        }
    }

    @Test(
        "writes dates as whole seconds, as DynamoDB's expiry needs them, and refuses what no number holds",
        arguments: [(1_790_000_000.9, "1790000000"), (-0.5, "-1"), (5, "5")])
    func wholeSeconds(seconds: Double, text: String) throws {
        let (encoder, decoder) = (AttributeEncoder(dates: .wholeSeconds), AttributeDecoder(dates: .wholeSeconds))
        #expect(try encoder.attribute(of: Date(timeIntervalSince1970: seconds)) == .number(text))
        #expect(try decoder.decode(Date.self, from: .number("5.5")) == Date(timeIntervalSince1970: 5.5))
        for invalid in [1e30, .infinity, .nan] {
            #expect(throws: EncodingError.self) { try encoder.attribute(of: Date(timeIntervalSince1970: invalid)) }
        }
        #expect(throws: EncodingError.self) {
            try AttributeEncoder().attribute(of: [Date(timeIntervalSince1970: .nan)])
        }
    }

    @Test("writes a URL as a string, and reads the map that others write as well")
    func urls() throws {
        let url = try #require(URL(string: "https://example.org/a?b=c"))
        #expect(try AttributeEncoder().item(of: ["site": url]) == ["site": .string("https://example.org/a?b=c")])
        let decoder = AttributeDecoder()
        #expect(try decoder.decode(URL.self, from: .string("https://example.org/a?b=c")) == url)
        #expect(try decoder.decode(URL.self, from: .map(["relative": .string("https://example.org/a?b=c")])) == url)
        #expect(throws: DecodingError.self) { try decoder.decode(URL.self, from: .number("1")) }
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

    @Test("reads an empty set where there is no attribute, and refuses other members that are missing")
    func missingSets() throws {
        struct Tagged: Decodable { var tags: Set<String>, more: Set<Int>? }
        struct Listed: Decodable { var tags: [String] }
        let tagged = try AttributeDecoder().decode(Tagged.self, from: [:])
        #expect(tagged.tags.isEmpty && tagged.more == nil)
        #expect(throws: DecodingError.self) { try AttributeDecoder().decode(Listed.self, from: [:]) }
    }
}
