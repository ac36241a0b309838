import Testing

@testable import AWSClient

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite("Attribute values")
struct AttributeValueTests {
    static let values: [(AttributeValue, String)] = [
        (.string(""), #"{"S":""}"#), (.string("Zü\"\n\u{1F98A}"), #"{"S":"Zü\"\n🦊"}"#),
        (.number("-1.5"), #"{"N":"-1.5"}"#),
        (.number("99999999999999999999999999999999999999"), #"{"N":"99999999999999999999999999999999999999"}"#),
        (.number("1E+125"), #"{"N":"1E+125"}"#), (.binary([]), #"{"B":""}"#),
        (.binary([0, 255, 62]), #"{"B":"AP8+"}"#),
        (.bool(true), #"{"BOOL":true}"#), (.bool(false), #"{"BOOL":false}"#), (.null, #"{"NULL":true}"#),
        (.list([]), #"{"L":[]}"#), (.list([.integer(1), .null]), #"{"L":[{"N":"1"},{"NULL":true}]}"#),
        (.map([:]), #"{"M":{}}"#), (.map(["S": .map(["S": .string("x")])]), #"{"M":{"S":{"M":{"S":{"S":"x"}}}}}"#),
        (.stringSet(["b", "a"]), #"{"SS":["b","a"]}"#), (.numberSet(["2", "1"]), #"{"NS":["2","1"]}"#),
        (.binarySet([[1], []]), #"{"BS":["AQ==",""]}"#),
    ]

    @Test("are written as DynamoDB writes them, and read back the same", arguments: values)
    func roundTrip(value: AttributeValue, json: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        #expect(String(decoding: try encoder.encode(value), as: UTF8.self) == json)
        #expect(try JSONDecoder().decode(AttributeValue.self, from: Data(json.utf8)) == value)
        #expect(try AttributeValue(wire: try JSONReader.value(of: Array(json.utf8))) == value)
        #expect(try AttributeValue(wire: try JSONReader.value(of: JSONWriter.bytes(of: value.wire))) == value)
    }

    @Test(
        "are refused where they are not DynamoDB's, without a word of what they held",
        arguments: [
            "{}", "[]", "7", #""secret""#, #"{"S":1}"#, #"{"S":null}"#, #"{"S":"secret","N":"1"}"#, #"{"X":"secret"}"#,
            #"{"s":"secret"}"#, #"{"N":1}"#, #"{"N":"secret"}"#, #"{"N":""}"#, #"{"N":"NaN"}"#, #"{"N":"0x1"}"#,
            #"{"N":"."}"#,
            #"{"N":"1e"}"#, #"{"N":"1 "}"#, #"{"N":"1E+5x"}"#, #"{"B":"secret!"}"#, #"{"B":[1]}"#, #"{"BOOL":"true"}"#,
            #"{"BOOL":1}"#, #"{"NULL":false}"#, #"{"L":{}}"#, #"{"L":[1]}"#, #"{"M":[]}"#, #"{"M":{"a":"secret"}}"#,
            #"{"SS":[1]}"#, #"{"NS":["1","secret"]}"#, #"{"BS":["?"]}"#, #"{"SS":"a"}"#,
            #"{"N":"\#(String(repeating: "9", count: 300))"}"#,
        ])
    func hostile(json: String) async throws {
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(AttributeValue.self, from: Data(json.utf8)) }
        let answer = HTTPResponse(status: 200, body: Array(#"{"Item":{"a":\#(json)}}"#.utf8))
        let error = await #expect(throws: AWSError.self) { try await Bench([.answer(answer)]).get() }
        #expect(error?.code == .invalidAnswer)
        #expect(error?.cause.map { "\($0)" }?.contains("secret") == false)
        #expect(error?.description.contains("secret") == false)
    }

    @Test("may be nested as deep as DynamoDB allows, and not without end")
    func nesting() async throws {
        func body(_ depth: Int) -> [UInt8] {
            let open = String(repeating: #"{"L":["#, count: depth)
            return Array(
                (#"{"Item":{"a":"# + open + #"{"S":"[{"}"# + String(repeating: "]}", count: depth) + "}}").utf8)
        }
        for depth in [32, 60] { try await Bench([.answer(HTTPResponse(status: 200, body: body(depth)))]).get() }
        for depth in [100, 200_000] {
            let bench = try Bench([.answer(HTTPResponse(status: 200, body: body(depth)))])
            let error = await #expect(throws: AWSError.self) { try await bench.get() }
            #expect(error?.code == .invalidAnswer)
        }
    }

    @Test("give out what they hold, and nothing else")
    func accessors() {
        #expect(AttributeValue.string("1").string == "1")
        #expect(AttributeValue.string("1").int64 == nil)
        #expect(AttributeValue.number("9223372036854775807").int64 == .max)
        #expect(AttributeValue.number("9223372036854775808").int64 == nil)
        #expect(AttributeValue.number("1.5").int == nil)
        #expect(AttributeValue.number("1.5").double == 1.5)
        #expect(AttributeValue.integer(UInt64.max) == .number("18446744073709551615"))
        #expect(AttributeValue.binary([1]).binary == [1])
        #expect(AttributeValue.bool(true).bool == true)
        #expect(AttributeValue.null.isNull)
        #expect(AttributeValue.map(["a": .null]).map == ["a": .null])
        #expect(AttributeValue.stringSet(["a"]).list == nil)
    }
}
