import AWSClient
import DynamoDBPatterns
import Testing

@Suite struct EventPatternBuildingTests {
    private func record(
        _ name: StreamRecord.EventName, old: [String: AttributeValue]? = nil, new: [String: AttributeValue]? = nil,
        expired: Bool = false
    ) throws -> StreamRecord {
        try StreamRecord.made(name, keys: ["pk": .string("A#clicks#7")], old: old, new: new, expired: expired)
    }

    @Test("What is built is the JSON that one would write")
    func json() throws {
        let pattern = try EventPattern.newImage("state", equals: "READY").and(.eventName(.modify, .insert))
        #expect(
            pattern.json
                == #"{"dynamodb":{"NewImage":{"state":{"S":["READY"]}}},"eventName":["MODIFY","INSERT"]}"#)
        #expect(
            EventPattern.expired.json
                == #"{"userIdentity":{"principalId":["dynamodb.amazonaws.com"],"type":["Service"]}}"#)
        #expect(
            EventPattern.becomes("state", "READY").json
                == #"{"dynamodb":{"NewImage":{"state":{"S":["READY"]}},"#
                + #""OldImage":{"state":{"S":[{"exists":false},{"anything-but":["READY"]}]}}}}"#)
    }

    @Test("A marker in the new image wakes; another value, type or image does not")
    func newImage() throws {
        let pattern = EventPattern.newImage("state", equals: "READY")
        #expect(pattern.matches(try record(.modify, new: ["state": .string("READY"), "n": .integer(1)])))
        #expect(!pattern.matches(try record(.modify, new: ["state": .string("OPEN")])))
        #expect(!pattern.matches(try record(.modify, new: ["state": .list([.string("READY")])])))
        #expect(!pattern.matches(try record(.remove, old: ["state": .string("READY")])))
    }

    @Test("A number is a text in a record: a numeric pattern never matches it")
    func numbersAreTexts() throws {
        let record = try record(.insert, new: ["n": .integer(42)])
        let numeric = try EventPattern(json: #"{"dynamodb":{"NewImage":{"n":{"N":[{"numeric":[">",0]}]}}}}"#)
        let text = try EventPattern(json: #"{"dynamodb":{"NewImage":{"n":{"N":["42"]}}}}"#)
        #expect(!numeric.matches(record))
        #expect(text.matches(record))
    }

    @Test("Exists looks at a value of a type, not at an attribute")
    func exists() throws {
        let there = try record(.insert, new: ["state": .string("")])
        #expect(EventPattern.newImage("state", .exists).matches(there))
        #expect(!EventPattern.newImage("state", .absent).matches(there))
        #expect(!(try EventPattern(json: #"{"dynamodb":{"NewImage":{"state":[{"exists":true}]}}}"#).matches(there)))
        #expect(EventPattern.newImage("state", .absent).matches(try record(.remove)))
    }

    @Test("Becoming is a change: what was so before does not wake again")
    func becomes() throws {
        let pattern = EventPattern.becomes("state", "READY")
        let ready: [String: AttributeValue] = ["state": .string("READY")]
        #expect(pattern.matches(try record(.insert, new: ready)))
        #expect(pattern.matches(try record(.modify, old: ["state": .string("OPEN")], new: ready)))
        #expect(pattern.matches(try record(.modify, old: ["n": .integer(1)], new: ready)))
        #expect(!pattern.matches(try record(.modify, old: ready, new: ready)))
        #expect(!pattern.matches(try record(.remove, old: ready)))
    }

    @Test("What expired is told from what somebody deleted")
    func expired() throws {
        #expect(EventPattern.expired.matches(try record(.remove, expired: true)))
        #expect(!EventPattern.expired.matches(try record(.remove)))
    }

    @Test("Tests of texts")
    func tests() throws {
        let one = try record(.modify, old: ["kind": .string("mail")], new: ["kind": .string("letter")])
        #expect(EventPattern.keys("pk", .hasPrefix("A#clicks#")).matches(one))
        #expect(!EventPattern.keys("pk", .hasSuffix("8")).matches(one))
        #expect(EventPattern.oldImage("kind", .equals("post", "mail")).matches(one))
        #expect(!EventPattern.newImage("kind", .differs("post", "letter")).matches(one))
        #expect(EventPattern.newImage("kind", .hasPrefix("x").or(.hasSuffix("er"))).matches(one))
    }

    @Test("One value cannot pass two tests of two patterns")
    func conflict() throws {
        let error = #expect(throws: PatternError.self) {
            try EventPattern.newImage("state", equals: "A").and(.newImage("state", .exists))
        }
        #expect(error?.message == "“dynamodb.NewImage.state.S” is tested by both patterns.")
    }
}
