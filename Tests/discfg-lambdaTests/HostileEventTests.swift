import DiscfgCore
import DiscfgTestSupport
import HTTPTypes
import Testing

@testable import discfg_lambda

@Suite("Events that no gateway sends")
struct HostileEventTests {
    /// What is merged into an event of an HTTP API, and a word that the refusal must have.
    static let patches: [(JSONValue, String)] = [
        (["requestContext": .null], "requestContext.http.method"), (["requestContext": "secret"], "requestContext"),
        (["requestContext": ["http": .null]], "requestContext.http.method"),
        (["requestContext": ["http": ["secret"]]], "requestContext.http"),
        (["requestContext": ["http": ["method": .null]]], "requestContext.http.method"),
        (["requestContext": ["http": ["method": 5]]], "requestContext.http.method"),
        (["requestContext": ["http": ["method": "GET /secret"]]], "requestContext.http.method"),
        (["requestContext": ["http": ["method": ""]]], "requestContext.http.method"),
        (["requestContext": ["stage": 5]], "requestContext.stage"),
        (["requestContext": ["domainName": ["secret"]]], "requestContext.domainName"),
        (["rawPath": 5], "rawPath"), (["rawPath": ["secret"]], "rawPath"),
        (["rawQueryString": ["a": "secret"]], "rawQueryString"),
        (["routeKey": 5], "routeKey"), (["routeKey": "ANY /{p+}", "pathParameters": "secret"], "pathParameters"),
        (["routeKey": "ANY /{p+}", "pathParameters": ["p": 5]], "pathParameters.p"),
        (["headers": "secret"], "headers"), (["headers": ["secret"]], "headers"), (["headers": ["x": 5]], "headers"),
        (["headers": ["x": ["secret"]]], "headers"), (["headers": ["if-match": ["secret": 1]]], "headers"),
        (["headers": ["a secret": "x"]], "header field"), (["headers": ["": "secret"]], "header field"),
        (["headers": [":path": "secret"]], "header field"), (["headers": ["x\r\nsecret": "x"]], "header field"),
        (["headers": ["sécret": "x"]], "header field"), (["headers": ["x": "a\r\nsecret: b"]], "header field x"),
        (["headers": ["x": "secret\n.com"]], "header field x"), (["headers": ["x": "\u{0}secret"]], "header field x"),
        (["headers": ["x": "secret\n"]], "header field x"),
        (["headers": ["cookie": "a=b\r\nsecret"]], "header field cookie"),
        (["cookies": "secret"], "cookies"), (["cookies": [1, "secret"]], "cookies"),
        (["cookies": ["a=b\r\nsecret"]], "cookies"),
        (["isBase64Encoded": "secret"], "isBase64Encoded"), (["isBase64Encoded": 1], "isBase64Encoded"),
        (["body": 5], "body"),
        (["body": ["secret"]], "body"), (["isBase64Encoded": true, "body": "secret!"], "body"),
        (["isBase64Encoded": true, "body": "AAE"], "body"), (["isBase64Encoded": true, "body": "AA\nEC"], "body"),
    ]

    @Test("A member of the wrong kind is refused by its name, and what it holds is not repeated", arguments: patches)
    func refusal(patch: JSONValue, word: String) throws {
        try expectRefusal(of: GatewayEvents.event(GatewayEvents.httpAPI, patch), naming: word)
    }

    /// The same for a REST API, and so for a load balancer.
    static let lists: [(JSONValue, String)] = [
        (["multiValueHeaders": "secret"], "multiValueHeaders"),
        (["multiValueHeaders": ["x": "secret"]], "multiValueHeaders"),
        (["multiValueHeaders": ["x": ["a", 5]]], "multiValueHeaders"),
        (["multiValueHeaders": ["secret x": ["a"]]], "header field"),
        (["multiValueHeaders": ["x": ["a", "b\nsecret"]]], "header field x"),
        (["multiValueQueryStringParameters": ["secret"]], "multiValueQueryStringParameters"),
        (["multiValueQueryStringParameters": ["secret": 5]], "multiValueQueryStringParameters"),
        (["queryStringParameters": "secret"], "queryStringParameters"),
        (["queryStringParameters": ["secret": 5]], "queryStringParameters"), (["path": 5], "path"),
        (["httpMethod": "secret method"], "httpMethod"), (["httpMethod": .null], "requestContext.http.method"),
        (["requestContext": "secret"], "requestContext"), (["body": true], "body"),
    ]

    @Test("Nor does a map of lists take anything else", arguments: lists)
    func refusalOfLists(patch: JSONValue, word: String) throws {
        try expectRefusal(of: GatewayEvents.event(GatewayEvents.restAPI, patch), naming: word)
        guard patch["requestContext"] == nil, patch["httpMethod"] != .null else { return }
        try expectRefusal(of: GatewayEvents.event(GatewayEvents.loadBalancer, patch), naming: word)
    }

    @Test("What is no event at all is refused", arguments: ["null", "5", #""secret""#, "[]", "[{}]", "{}", "true"])
    func noEvent(text: String) throws {
        try expectRefusal(
            of: try JSONValue(parsing: text), naming: text == "{}" ? "requestContext.http.method" : "object")
    }

    @Test("More header fields than HTTPFields can hold are refused")
    func manyFields() throws {
        let many = JSONValue.array(Array(repeating: "a", count: 70_000))
        try expectRefusal(
            of: GatewayEvents.event(GatewayEvents.restAPI, ["multiValueHeaders": ["x-secrets": many]]),
            naming: "header fields; the maximum is 10000")
    }

    @Test("Every container may be null")
    func nulls() throws {
        let v2 = #"""
            {"version":null,"routeKey":null,"rawPath":null,"rawQueryString":null,"cookies":null,"headers":{"x":null,"y":"1"},
             "queryStringParameters":null,"requestContext":{"http":{"method":"GET","path":null},"stage":null,"authorizer":null,
             "domainName":null},"body":null,"pathParameters":null,"isBase64Encoded":null,"stageVariables":null}
            """#
        let request = try GatewayRequest(event: JSONValue(parsing: v2))
        #expect(request.target == "/" && request.authority == nil && request.caller == nil && request.body.isEmpty)
        #expect(request.headers == [try #require(HTTPField.Name("y")): "1"])
        for context in ["null", "{}", #"{"identity":null,"authorizer":null,"path":null,"stage":null}"#, #"{"elb":{}}"#]
        {
            let v1 = #"""
                {"httpMethod":"GET","path":null,"resource":null,"headers":null,"multiValueHeaders":null,"body":null,
                 "queryStringParameters":null,"multiValueQueryStringParameters":{"a":null},"pathParameters":null,
                 "isBase64Encoded":null,"requestContext":
                """# + context + "}"
            let request = try GatewayRequest(event: JSONValue(parsing: v1))
            #expect(request.target == "/" && request.headers.isEmpty && request.caller == nil)
            #expect(request.shape == (context == #"{"elb":{}}"# ? .loadBalancer(multiValue: false) : .restV1))
        }
    }

    @Test(
        "Whatever stands anywhere in an event, it is a sound request or refused", arguments: [1, 2, 3, 4] as [UInt64])
    func anything(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let junk: [JSONValue] = [
            .null, true, 5, .number("1e999"), "", "secret", "/", "//", "/../%", "\r\n", "\u{0}", "é\u{301}", "$default",
            [], [:],
            [.null], ["a": .null], ["a": ["b"]], [["a": 1]], .string(String(repeating: "x", count: 300)),
        ]
        var (accepted, refused) = (0, 0)
        for round in 0..<2800 {
            var event = try JSONValue(parsing: GatewayEvents.all[round % GatewayEvents.all.count])
            for _ in 0...Int.random(in: 0...2, using: &generator) {
                var place = Int.random(in: 0..<Self.count(event), using: &generator)
                event = Self.replaced(
                    in: event, at: &place, by: junk[Int.random(in: 0..<junk.count, using: &generator)])
            }
            do {
                Self.check(try GatewayRequest(event: event), event)
                accepted += 1
            } catch {
                #expect(error.code == .invalidRequest && !error.description.contains("secret"), "\(event.text)")
                refused += 1
            }
            let answer = GatewayResponse(status: .ok, body: [1]).json(for: GatewayShape(of: event))
            #expect(try JSONValue(parsing: answer)["statusCode"] == 200)
        }
        #expect(accepted > 500 && refused > 500, "\(accepted) accepted, \(refused) refused")
    }

    private static func check(_ request: GatewayRequest, _ event: JSONValue) {
        let isURL = request.target.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "#") }
        #expect(request.target.utf8.first == UInt8(ascii: "/") && isURL, "\(event.text)")
        #expect((request.caller?.name.utf8.count ?? 1) <= 256 && request.caller?.name != "", "\(event.text)")
        for field in request.headers { #expect(HTTPField.isValidValue(field.value), "\(event.text)") }
        #expect(request.body.isEmpty || request.headers[.contentLength] == String(request.body.count), "\(event.text)")
    }

    private func expectRefusal(of event: JSONValue, naming word: String) throws {
        do {
            _ = try GatewayRequest(event: event)
            Issue.record("This was taken for a request: \(event.text)")
        } catch {
            #expect(error.code == .invalidRequest && error.message.contains(word), "\(error)")
            #expect(!error.description.contains("secret") && !error.description.contains("sécret"), "\(error)")
        }
    }

    /// How many values an event has, itself among them.
    private static func count(_ value: JSONValue) -> Int {
        switch value {
        case .array(let elements): elements.reduce(1) { $0 + count($1) }
        case .object(let members): members.reduce(1) { $0 + count($1.value) }
        default: 1
        }
    }

    /// The event with another value at a place, counted as `count` does.
    private static func replaced(in value: JSONValue, at place: inout Int, by other: JSONValue) -> JSONValue {
        defer { place -= 1 }
        if place == 0 { return other }
        switch value {
        case .array(let elements):
            var result: [JSONValue] = []
            for element in elements {
                place -= 1
                result.append(replaced(in: element, at: &place, by: other))
                place += 1
            }
            return .array(result)
        case .object(let members):
            var result = JSONObject()
            for (name, member) in members {
                place -= 1
                result[name] = replaced(in: member, at: &place, by: other)
                place += 1
            }
            return .object(result)
        default: return value
        }
    }
}
