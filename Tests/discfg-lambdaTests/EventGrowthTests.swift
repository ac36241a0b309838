import DiscfgCore
import DiscfgTestSupport
import Testing

@testable import discfg_lambda

/// The time to read what gateways and streams invoke the function with must grow with its size.
@Suite struct EventGrowthTests {
    private static let http =
        "{\"version\":\"2.0\",\"requestContext\":{\"http\":{\"method\":\"GET\"}},\"rawPath\":\"/v1\","
    private static let rest = "{\"httpMethod\":\"GET\",\"path\":\"/v1\",\"requestContext\":{},"

    static let requests: [GrowthShape] = [
        .repeated(
            "a long path", "%C3%A9/", before: "{\"requestContext\":{\"http\":{\"method\":\"GET\"}},\"rawPath\":\"/",
            after: "\"}"),
        .repeated(
            "wrong escapes in a path", "%",
            before: "{\"requestContext\":{\"http\":{\"method\":\"GET\"}},\"rawPath\":\"/", after: "\"}"),
        .repeated("a long query", "a=%41&", before: http + "\"rawQueryString\":\"", after: "\"}"),
        .numbered("many parameters", before: rest + "\"queryStringParameters\":{", after: "\"z\":\"\"}}") {
            "\"k\($0)\":\"v w\","
        },
        .numbered(
            "many lists of parameters", before: rest + "\"multiValueQueryStringParameters\":{", after: "\"z\":[]}}"
        ) { "\"k\($0)\":[\"a\",\"b\"]," },
        .repeated(
            "one parameter with many values", "\"v\",",
            before: rest + "\"multiValueQueryStringParameters\":{\"k\":[", after: "\"\"]}}"),
        .numbered("many header fields", before: http + "\"headers\":{", after: "\"z\":\"\"}}") { "\"x-\($0)\":\"v\"," },
        .repeated("a long header field", "v", before: http + "\"headers\":{\"x\":\"", after: "\"}}"),
        .repeated("cookies", "\"a=b\",", before: http + "\"cookies\":[", after: "\"c=d\"]}"),
        .repeated("a long body", "x\\n", before: http + "\"body\":\"", after: "\"}"),
        .repeated("a long body in Base64", "AAAA", before: http + "\"isBase64Encoded\":true,\"body\":\"", after: "\"}"),
        .numbered("unknown members", before: "{", after: "\"z\":0}") { "\"k\($0)\":[{}]," },
    ]

    @Test("the time to read a gateway's event grows with its size", arguments: requests)
    func request(_ shape: GrowthShape) throws {
        try Growth.check(shape) { bytes in _ = try GatewayRequest(event: JSONValue(parsing: bytes)) }
    }

    private static func record(_ number: Int, config: String) -> String {
        """
        {"eventSource":"aws:dynamodb","eventName":"INSERT","dynamodb":{"SequenceNumber":"\(number)",\
        "Keys":{"pk":{"S":"C#\(config)#L#x"},"sk":{"B":"AAAAAAAAAAI="}}}},
        """
    }

    static let events: [GrowthShape] = [
        .numbered("many commits of one config", before: "{\"Records\":[", after: "{}]}") { record($0, config: "a") },
        .numbered("commits of many configs", before: "{\"Records\":[", after: "{}]}") { record($0, config: "c\($0)") },
        .repeated("records of nothing", "{},", before: "{\"Records\":[", after: "{}]}"),
    ]

    @Test("the time to read a stream's event grows with its size", arguments: events)
    func stream(_ shape: GrowthShape) throws {
        try Growth.check(shape) { bytes in
            let event = try StreamEvent(event: JSONValue(parsing: bytes))
            _ = event.revisions
        }
    }
}
