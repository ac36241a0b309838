import AWSClient
import DynamoDBPatterns
import Testing

@Suite struct FilterCriteriaTests {
    private func criteria() throws -> FilterCriteria {
        try FilterCriteria([
            .newImage("state", equals: "it's ${ready}"), .newImage("path", .hasPrefix("\\%{a}\"\n\u{85}")),
        ])
    }

    @Test("A record has to match one of the patterns")
    func matching() throws {
        let filter = try FilterCriteria([.newImage("state", equals: "A"), .eventName(.remove)])
        let keys: [String: AttributeValue] = ["pk": .string("1")]
        #expect(filter.matches(try .made(.insert, keys: keys, new: ["state": .string("A")])))
        #expect(filter.matches(try .made(.remove, keys: keys)))
        #expect(!filter.matches(try .made(.insert, keys: keys, new: ["state": .string("B")])))
    }

    @Test("There are one to five patterns, of 4,096 characters, and none that Lambda refuses")
    func limits() throws {
        let one = EventPattern.eventName(.insert)
        #expect(throws: PatternError.self) { try FilterCriteria([]) }
        #expect(throws: PatternError.self) { try FilterCriteria(Array(repeating: one, count: 6)) }
        #expect(try FilterCriteria(Array(repeating: one, count: 5)).patterns.count == 5)
        #expect(throws: PatternError.self) {
            try FilterCriteria(.newImage("state", equals: String(repeating: "x", count: 4096)))
        }
        #expect(throws: PatternError.self) { try FilterCriteria(.newImage("$or", equals: "x")) }
    }

    @Test("Lambda's JSON holds each pattern as a text")
    func json() throws {
        #expect(
            try FilterCriteria(.eventName(.insert)).json == #"{"Filters":[{"Pattern":"{\"eventName\":[\"INSERT\"]}"}]}"#
        )
    }

    @Test("The snippet for SAM quotes what YAML would read otherwise")
    func sam() throws {
        let expected = ##"""
              FilterCriteria:
                Filters:
                  - Pattern: '{"dynamodb":{"NewImage":{"state":{"S":["it''s ${ready}"]}}}}'
                  - Pattern: '{"dynamodb":{"NewImage":{"path":{"S":[{"prefix":"\\%{a}\"\u000a\u0085"}]}}}}'

            """##
        #expect(try criteria().samSnippet(indent: 2) == expected)
    }

    @Test("The snippet for Terraform escapes what would be a template")
    func terraform() throws {
        let expected = ##"""
            filter_criteria {
              filter {
                pattern = jsonencode({ "dynamodb" = { "NewImage" = { "state" = { "S" = ["it's $${ready}"] } } } })
              }
              filter {
                pattern = jsonencode({ "dynamodb" = { "NewImage" = { "path" = { "S" = [{ "prefix" = "\\%%{a}\"\u000a\u0085" }] } } } })
              }
            }

            """##
        #expect(try criteria().terraformSnippet() == expected)
    }
}
