import Testing

@testable import AWSClient

@Suite("Errors in answers")
struct ErrorAnswerTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let body: String
        var headers: [HTTPHeader] = []
        let code: AWSError.Code
        var message: String?
        var testDescription: String { body }
    }

    static let cases = [
        Case(body: #"{"__type":"com.amazonaws.dynamodb.v20120810#Foo","message":"m"}"#, code: "Foo", message: "m"),
        Case(body: #"{"__type":"Foo","Message":"M"}"#, code: "Foo", message: "M"),
        Case(body: #" {"__type":"a#Foo:http://x","message":null,"Message":"M"}"#, code: "Foo", message: "M"),
        Case(body: #"{"__type":"Foo"}"#, code: "Foo", message: "Get was refused with status 400."),
        Case(
            body: #"{"__type":"Foo","message":"1 error: Value '[{S: 'hidden'}]' at 'items' failed"}"#, code: "Foo",
            message: "1 error: Value at 'items' failed"),
        Case(
            body: #"{"__type":"Foo","message":"\#(String(repeating: "m", count: 5000))"}"#, code: "Foo",
            message: String(repeating: "m", count: 1000) + "…"),
        Case(body: "{}", headers: [HTTPHeader("X-Amzn-ErrorType", "a#Foo:http://x")], code: "Foo"),
        Case(body: "", headers: [HTTPHeader("x-amzn-errortype", "Foo")], code: "Foo"),
        Case(body: #"{"__type":7,"message":[1]}"#, code: .invalidAnswer),
        Case(body: ##"{"__type":"#"}"##, code: .invalidAnswer),
        Case(body: "", code: .invalidAnswer),
        Case(body: "<html><h1>hidden</h1></html>", code: .invalidAnswer),
        Case(body: "hidden", code: .invalidAnswer),
        Case(body: #"{"__type":"Foo","message":"hidden""#, code: .invalidAnswer),
        Case(body: String(repeating: #"{"a":["#, count: 100_000), code: .invalidAnswer),
        Case(
            body: "<?xml version='1.0'?><ErrorResponse><Error><Type>Sender</Type><Code>AccessDenied</Code>"
                + "<Message>not &amp;lt; &quot;you&quot;</Message></Error><RequestId>X1</RequestId></ErrorResponse>",
            code: "AccessDenied", message: "not &lt; \"you\""),
        Case(body: "<Error><Code>Foo</Code><Message>M</Message></Error>", code: "Foo", message: "M"),
        Case(body: "<ErrorResponse><Error><Code>Foo", code: .invalidAnswer),
        Case(body: "<!DOCTYPE a><Error><Code>Foo</Code></Error>", code: .invalidAnswer),
        Case(body: "<Error><Code>hidden code</Code></Error>", code: .invalidAnswer),
        Case(body: #"{"__type":"hidden code"}"#, code: .invalidAnswer),
        Case(body: #"{"__type":"Foo","message":"two\nlines"}"#, code: "Foo", message: "two·lines"),
    ]

    @Test("finds AWS's code and message wherever AWS puts them, and repeats no other body", arguments: cases)
    func answers(_ example: Case) {
        let answer = HTTPResponse(status: 400, headers: example.headers, body: Array(example.body.utf8))
        let error = AWSError(answer: answer, operation: "Get")
        #expect(error.code == example.code)
        #expect(error.status == 400)
        if let message = example.message { #expect(error.message == message) }
        #expect(!error.description.contains("hidden"))
        if example.code == .invalidAnswer { #expect(error.details.isEmpty) }
    }

    @Test("reads the request's identity from header or body")
    func requestIDs() {
        let json = HTTPResponse(
            status: 400, headers: [HTTPHeader("X-AMZN-RequestId", "H1")], body: Array(#"{"__type":"Foo"}"#.utf8))
        #expect(AWSError(answer: json, operation: "Get").requestID == "H1")
        let xml = HTTPResponse(
            status: 400,
            body: Array(
                "<Response><Errors><Error><Code>Foo</Code></Error></Errors><RequestID>X1</RequestID></Response>".utf8))
        #expect(AWSError(answer: xml, operation: "Get").requestID == "X1")
    }

    @Test(
        "brings the items that failed conditions, the reasons of cancellation, and those of throttling in both spellings",
        arguments: ["ThrottlingReasons", "throttlingReasons"])
    func details(throttlingReasons: String) throws {
        let body = """
            {"__type":"x#TransactionCanceledException","Message":"m","CancellationReasons":[{"Code":"None"},
            {"Code":"ConditionalCheckFailed","Message":"The conditional request failed","Item":{"pk":{"S":"a"}}},{}],
            "Item":{"sk":{"B":"AQ=="}},
            "\(throttlingReasons)":[{"reason":"TableWriteAccountLimitExceeded","resource":"arn"},{}]}
            """
        let error = AWSError(answer: HTTPResponse(status: 400, body: Array(body.utf8)), operation: "Get")
        #expect(error.cancellationReasons.map(\.code) == ["None", "ConditionalCheckFailed", "None"])
        #expect(error.cancellationReasons[1].message == "The conditional request failed")
        #expect(error.cancellationReasons.map(\.item) == [nil, ["pk": .string("a")], nil])
        #expect(error.conditionCheckFailedItem == ["sk": .binary([1])])
        #expect(error.throttlingReasons == ["TableWriteAccountLimitExceeded"])
        #expect(AWSError(.noAnswer, "m").cancellationReasons.isEmpty)
        #expect(!error.description.contains("pk"))
    }
}
