import DynamoDBPatterns
import Testing

@Suite struct EventPatternTests {
    /// A pattern, an event, and whether they match.
    struct Case: Sendable, CustomTestStringConvertible {
        var pattern: String
        var event: String
        var isMatch: Bool
        var testDescription: String { "\(pattern) \(isMatch ? "takes" : "leaves") \(event)" }

        static func takes(_ pattern: String, _ events: String...) -> [Case] {
            events.map { Case(pattern: pattern, event: $0, isMatch: true) }
        }

        static func leaves(_ pattern: String, _ events: String...) -> [Case] {
            events.map { Case(pattern: pattern, event: $0, isMatch: false) }
        }
    }

    @Test(
        "A pattern takes and leaves the events that Lambda would",
        arguments: values + ranges + absence + arrays + either)
    func matches(_ example: Case) throws {
        #expect(try EventPattern(json: example.pattern).matches(json: example.event) == example.isMatch)
    }

    static let values: [Case] = [
        Case.takes(#"{"a":["x"]}"#, #"{"a":"x"}"#, #"{"a":"x","b":1}"#),
        Case.leaves(
            #"{"a":["x"]}"#, #"{"a":"y"}"#, #"{"a":"X"}"#, #"{"a":"xx"}"#, #"{"b":"x"}"#, #"{"a":{"x":"x"}}"#, "{}"),
        Case.takes(#"{"a":["x","y"]}"#, #"{"a":"y"}"#),
        Case.takes(#"{"a":["x"],"b":["y"]}"#, #"{"a":"x","b":"y"}"#),
        Case.leaves(#"{"a":["x"],"b":["y"]}"#, #"{"a":"x"}"#, #"{"a":"x","b":"z"}"#),
        Case.takes(#"{"a":{"b":["x"]}}"#, #"{"a":{"b":"x","c":"y"}}"#),
        Case.leaves(#"{"a":{"b":["x"]}}"#, #"{"b":"x"}"#, #"{"a":"x"}"#),
        Case.takes(#"{"a":[null]}"#, #"{"a":null}"#),
        Case.leaves(#"{"a":[null]}"#, #"{"a":"null"}"#, #"{"a":""}"#, "{}"),
        Case.takes(#"{"a":[""]}"#, #"{"a":""}"#),
        Case.leaves(#"{"a":[""]}"#, #"{"a":" "}"#, #"{"a":null}"#, "{}"),
        Case.takes(#"{"a":[true]}"#, #"{"a":true}"#),
        Case.leaves(#"{"a":[true]}"#, #"{"a":false}"#, #"{"a":"true"}"#),
        Case.takes(#"{"a":[5]}"#, #"{"a":5}"#, #"{"a":5.0}"#, #"{"a":50e-1}"#),
        Case.leaves(#"{"a":[5]}"#, #"{"a":"5"}"#, #"{"a":6}"#),
        Case.leaves(#"{"a":["5"]}"#, #"{"a":5}"#),
        // The same character in two spellings is the same text for Swift, and not for Lambda.
        Case.leaves(#"{"a":["\u00e9"]}"#, #"{"a":"e\u0301"}"#),
        Case.leaves(#"{"\u00e9":["x"]}"#, #"{"e\u0301":"x"}"#),
        Case.takes(#"{"\u00e9":[{"exists":false}]}"#, #"{"e\u0301":"x"}"#),
        Case.takes(#"{"a":{"prefix":["x"]}}"#, #"{"a":{"prefix":"x"}}"#),
        Case.takes(#"{"a":[{"prefix":"ab"}]}"#, #"{"a":"abc"}"#, #"{"a":"ab"}"#),
        Case.leaves(#"{"a":[{"prefix":"ab"}]}"#, #"{"a":"cab"}"#, #"{"a":"a"}"#, #"{"a":"AB"}"#, #"{"a":1}"#, "{}"),
        Case.takes(#"{"a":[{"prefix":"e"}]}"#, #"{"a":"e\u0301"}"#),
        Case.takes(#"{"a":[{"prefix":{"equals-ignore-case":"Ab"}}]}"#, #"{"a":"aBc"}"#),
        Case.takes(#"{"a":[{"suffix":"yz"}]}"#, #"{"a":"xyz"}"#, #"{"a":"yz"}"#),
        Case.leaves(#"{"a":[{"suffix":"yz"}]}"#, #"{"a":"yza"}"#, #"{"a":"z"}"#),
        Case.takes(#"{"a":[{"suffix":{"equals-ignore-case":"YZ"}}]}"#, #"{"a":"xyZ"}"#),
        Case.takes(#"{"a":[{"equals-ignore-case":"äB"}]}"#, #"{"a":"Äb"}"#),
        Case.leaves(#"{"a":[{"equals-ignore-case":"ab"}]}"#, #"{"a":"abc"}"#, #"{"a":null}"#),
        Case.takes(#"{"a":[{"anything-but":"x"}]}"#, #"{"a":"y"}"#, #"{"a":1}"#, #"{"a":null}"#, #"{"a":""}"#),
        Case.leaves(#"{"a":[{"anything-but":"x"}]}"#, #"{"a":"x"}"#, "{}", #"{"a":{"b":1}}"#),
        Case.takes(#"{"a":[{"anything-but":["x","y"]}]}"#, #"{"a":"z"}"#),
        Case.leaves(#"{"a":[{"anything-but":["x","y"]}]}"#, #"{"a":"y"}"#),
        Case.takes(#"{"a":[{"anything-but":[1,2]}]}"#, #"{"a":3}"#, #"{"a":"1"}"#),
        Case.leaves(#"{"a":[{"anything-but":[1,2]}]}"#, #"{"a":2.0}"#),
        Case.takes(#"{"a":[{"anything-but":{"prefix":"in"}}]}"#, #"{"a":"out"}"#, #"{"a":7}"#),
        Case.leaves(#"{"a":[{"anything-but":{"prefix":["in","at"]}}]}"#, #"{"a":"inside"}"#, #"{"a":"at"}"#),
        Case.leaves(#"{"a":[{"anything-but":{"suffix":"ed"}}]}"#, #"{"a":"failed"}"#),
        Case.leaves(#"{"a":[{"anything-but":{"equals-ignore-case":["DONE"]}}]}"#, #"{"a":"done"}"#),
        Case.takes(#"{"a":["x",{"prefix":"y"}]}"#, #"{"a":"x"}"#, #"{"a":"yes"}"#),
    ].flatMap { $0 }

    static let ranges: [Case] = [
        Case.takes(#"{"a":[{"numeric":["=",301.8]}]}"#, #"{"a":3.018e2}"#),
        Case.takes(#"{"a":[{"numeric":[">",0,"<=",5]}]}"#, #"{"a":5}"#, #"{"a":0.001}"#),
        Case.leaves(#"{"a":[{"numeric":[">",0,"<=",5]}]}"#, #"{"a":0}"#, #"{"a":5.001}"#, #"{"a":-1}"#, #"{"a":"3"}"#),
        Case.takes(#"{"a":[{"numeric":[">=",0,"<",5]}]}"#, #"{"a":0}"#),
        Case.leaves(#"{"a":[{"numeric":[">=",0,"<",5]}]}"#, #"{"a":5}"#),
        Case.takes(#"{"a":[{"numeric":["<",10]}]}"#, #"{"a":-1e30}"#),
        Case.leaves(#"{"a":[{"numeric":["<",10]}]}"#, #"{"a":10}"#, #"{"a":null}"#, #"{"a":true}"#),
        Case.takes(#"{"a":[{"numeric":["<=",10]}]}"#, #"{"a":10}"#),
        Case.leaves(#"{"a":[{"numeric":[">",10]}]}"#, #"{"a":10}"#),
    ].flatMap { $0 }

    static let absence: [Case] = [
        Case.takes(#"{"a":[{"exists":true}]}"#, #"{"a":"x"}"#, #"{"a":null}"#, #"{"a":[1]}"#),
        Case.leaves(#"{"a":[{"exists":true}]}"#, "{}", #"{"a":{"b":1}}"#, #"{"a":[]}"#, #"{"a":{}}"#),
        Case.takes(#"{"a":[{"exists":false}]}"#, "{}", #"{"b":1}"#, #"{"a":{"b":1}}"#, #"{"a":[]}"#),
        Case.leaves(#"{"a":[{"exists":false}]}"#, #"{"a":"x"}"#, #"{"a":null}"#),
        Case.takes(#"{"a":{"b":[{"exists":false}]}}"#, "{}", #"{"a":"x"}"#, #"{"a":{"c":1}}"#),
        Case.leaves(#"{"a":{"b":[{"exists":false}]}}"#, #"{"a":{"b":1}}"#),
        Case.takes(#"{"a":[{"exists":false},"x"]}"#, "{}", #"{"a":"x"}"#),
        Case.leaves(#"{"a":[{"exists":false},"x"]}"#, #"{"a":"y"}"#),
        Case.leaves(#"{"a":[{"exists":false}],"b":["y"]}"#, "{}", #"{"a":1,"b":"y"}"#),
    ].flatMap { $0 }

    static let arrays: [Case] = [
        Case.takes(#"{"a":["x"]}"#, #"{"a":["w","x"]}"#, #"{"a":[["x"]]}"#),
        Case.leaves(#"{"a":["x"]}"#, #"{"a":["w","y"]}"#, #"{"a":[]}"#),
        Case.takes(#"{"a":{"b":["x"],"c":["y"]}}"#, #"{"a":[{"b":"w"},{"b":"x","c":"y"}]}"#),
        // All parts have to be found in the same element.
        Case.leaves(#"{"a":{"b":["x"],"c":["y"]}}"#, #"{"a":[{"b":"x"},{"c":"y"}]}"#),
        Case.takes(#"{"a":{"b":{"c":["x"],"d":["y"]}}}"#, #"{"a":[{"b":[{"c":"w"},{"c":"x","d":"y"}]}]}"#),
        Case.leaves(#"{"a":{"b":{"c":["x"],"d":["y"]}}}"#, #"{"a":[{"b":[{"c":"x"},{"d":"y"}]}]}"#),
        Case.takes(#"{"a":{"n":["x"]},"v":["1"]}"#, #"{"a":[{"n":"x"}],"v":"1"}"#),
        Case.takes(#"{"d":{"a":[{"exists":true}],"b":[{"exists":false}]}}"#, #"{"d":[{"a":1}]}"#),
        Case.leaves(#"{"d":{"a":[{"exists":true}],"b":[{"exists":false}]}}"#, #"{"d":[{"a":1,"b":2}]}"#),
        Case.takes(#"{"a":["x"],"b":["y"]}"#, #"{"a":["w","x"],"b":["y","z"]}"#),
        Case.takes(#"{"a":[{"anything-but":"x"}]}"#, #"{"a":["x","y"]}"#),
        Case.leaves(#"{"a":[{"anything-but":"x"}]}"#, #"{"a":["x","x"]}"#),
    ].flatMap { $0 }

    static let either: [Case] = [
        Case.takes(#"{"$or":[{"a":["x"]},{"b":["y"]}]}"#, #"{"a":"x"}"#, #"{"b":"y"}"#),
        Case.leaves(#"{"$or":[{"a":["x"]},{"b":["y"]}]}"#, #"{"a":"y","b":"x"}"#, "{}"),
        Case.takes(#"{"s":["z"],"$or":[{"a":["x"]},{"b":["y"]}]}"#, #"{"s":"z","b":"y"}"#),
        Case.leaves(#"{"s":["z"],"$or":[{"a":["x"]},{"b":["y"]}]}"#, #"{"b":"y"}"#, #"{"s":"z"}"#),
        Case.takes(
            #"{"$or":[{"a":["1"]},{"b":["2"]}],"d":{"$or":[{"e":["3"]},{"f":["4"]}]}}"#,
            #"{"a":"1","d":{"f":"4"}}"#, #"{"b":"2","d":{"e":"3"}}"#),
        Case.leaves(
            #"{"$or":[{"a":["1"]},{"b":["2"]}],"d":{"$or":[{"e":["3"]},{"f":["4"]}]}}"#,
            #"{"a":"1","d":{"f":"5"}}"#, #"{"d":{"e":"3","f":"4"}}"#),
        Case.takes(
            #"{"$or":[{"a":["1"],"$or":[{"b":["2"]},{"c":["3"]}]},{"d":["4"]}]}"#,
            #"{"a":"1","c":"3"}"#, #"{"d":"4"}"#),
        Case.leaves(#"{"$or":[{"a":["1"],"$or":[{"b":["2"]},{"c":["3"]}]},{"d":["4"]}]}"#, #"{"a":"1"}"#),
    ].flatMap { $0 }

    @Test(
        "What is no pattern is refused, with the place and the reason",
        arguments: [
            ("{", "no JSON"), ("[]", "has to be an object"), ("{}", "The pattern is an empty object"),
            (#"{"a":"x"}"#, "“a” has to be an object or an array"), (#"{"a":{"b":1}}"#, "“a.b” has to be an object"),
            (#"{"a":[]}"#, "“a” is an empty array"), (#"{"a":{"b":{}}}"#, "“a.b” is an empty object"),
            (#"{"a":[["x"]]}"#, "“a” holds an array"), (#"{"a":[{}]}"#, "exactly one operator"),
            (#"{"a":[{"prefix":"x","suffix":"y"}]}"#, "exactly one operator"),
            (#"{"a":[{"prefx":"x"}]}"#, "“prefx” at “a” is no operator"),
            (#"{"a":[{"wildcard":"x*"}]}"#, "“wildcard” at “a” is an operator of EventBridge"),
            (#"{"a":[{"cidr":"10.0.0.0/8"}]}"#, "“cidr” at “a” is an operator of EventBridge"),
            (#"{"a":[{"prefix":1}]}"#, "needs a text"), (#"{"a":[{"exists":"true"}]}"#, "needs true or false"),
            (#"{"a":[{"numeric":["<"]}]}"#, "no range"), (#"{"a":[{"numeric":["<","5"]}]}"#, "no range"),
            (#"{"a":[{"numeric":["=",1,"<",5]}]}"#, "no range"), (#"{"a":[{"numeric":[">",5,"<",5]}]}"#, "no range"),
            (#"{"a":[{"numeric":["<",5,">",1]}]}"#, "no range"), (#"{"a":[{"numeric":5}]}"#, "no range"),
            (#"{"a":[{"anything-but":["x",1]}]}"#, "texts only, or numbers only"),
            (#"{"a":[{"anything-but":[]}]}"#, "texts only, or numbers only"),
            (#"{"a":[{"anything-but":{"exists":true}}]}"#, "does not go with “exists”"),
            (#"{"a":[{"anything-but":{"prefix":""}}]}"#, "not empty"),
            (#"{"$or":[{"a":["x"]}]}"#, "two objects or more"), (#"{"$or":{"a":["x"]}}"#, "two objects or more"),
            (#"{"$or":[{"a":["x"]},"b"]}"#, "no object"),
            (#"{"$or":[{"prefix":"x"},{"a":["b"]}]}"#, "“prefix” is named like an operator"),
            // An attribute of that name, which Lambda takes outside of alternatives only.
            (#"{"$or":[{"a":{"regex":{"S":["b"]}}},{"c":["d"]}]}"#, "“a.regex” is named like an operator"),
            (#"{"$or":[{"$or":[{"a":["b"]},{"=":["b"]}]},{"c":["d"]}]}"#, "“=” is named like an operator"),
            (#"{"a":["x"],"$or":[{"a":["y"]},{"b":["z"]}]}"#, "“a” is named twice"),
        ])
    func refusals(_ pattern: String, _ reason: String) {
        let error = #expect(throws: PatternError.self) { try EventPattern(json: pattern) }
        #expect(error?.code == .invalidArgument)
        #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
    }

    @Test("Alternatives in alternatives are bounded")
    func alternativesAreBounded() {
        var pattern = ""
        for level in 0..<11 { pattern += (level == 0 ? "" : ",") + #""m\#(level)":{"$or":[{"a":["1"]},{"b":["2"]}]}"# }
        #expect(throws: PatternError.self) { try EventPattern(json: "{\(pattern)}") }
    }

    @Test("A pattern is rendered in one way, and parses back to itself")
    func rendering() throws {
        let pattern = try EventPattern(json: #" { "b" : [ "\u2028'" , 1.50 ], "a": [ null, true ] } "#)
        #expect(pattern.json == #"{"a":[null,true],"b":["\u2028'",1.50]}"#)
        #expect(try EventPattern(json: pattern.json) == pattern)
        #expect(try EventPattern(json: #"{"a":["\u00e9"]}"#) != EventPattern(json: #"{"a":["e\u0301"]}"#))
    }
}
