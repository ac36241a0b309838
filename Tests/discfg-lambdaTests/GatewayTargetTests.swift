import DiscfgCore
import DiscfgHTTP
import Testing

@testable import discfg_lambda

@Suite("Targets of gateways")
struct GatewayTargetTests {
    @Test(
        "What an HTTP API has decoded is a valid path again",
        arguments: [
            ("/v1/default/keys/a b", "/v1/default/keys/a%20b"), ("/grüße/日本", "/gr%C3%BC%C3%9Fe/%E6%97%A5%E6%9C%AC"),
            ("/a?b#c", "/a%3Fb%23c"), ("/a\"b<c>\\^`{|}[]", "/a%22b%3Cc%3E%5C%5E%60%7B%7C%7D%5B%5D"),
            ("/a\tb\nc\u{0}\u{7F}", "/a%09b%0Ac%00%7F"),
            // Escapes stay, what is none is encoded.
            ("/100%25", "/100%25"), ("/a%2fb%C3%A9", "/a%2fb%C3%A9"), ("/100%", "/100%25"), ("/%2", "/%252"),
            ("/%zz%4", "/%25zz%254"), ("/%%41", "/%25%41"), ("/%é", "/%25%C3%A9"), ("/%-1+1", "/%25-1+1"),
            // All that a segment may have stays.
            ("/-._~!$&'()*+,;=:@", "/-._~!$&'()*+,;=:@"),
            // Nothing is tidied up: a key is what it is.
            ("", "/"), ("/", "/"), ("v1/cfgs", "/v1/cfgs"), ("//", "//"), ("//a//b/", "//a//b/"),
            ("/../a/./b", "/../a/./b"),
            ("/\u{301}", "/%CC%81"), ("http://a/b", "/http://a/b"), ("*", "/*"),
        ])
    func path(given: String, expected: String) throws {
        #expect(try GatewayRequest(event: GatewayEvents.httpAPI(path: given)).target == expected)
    }

    @Test(
        "A query that is as it was sent stays so; only what no URL can have is encoded",
        arguments: [
            ("", "/a"), ("a=1&a=2&b", "/a?a=1&a=2&b"), ("a=%2F%zz&b=50%", "/a?a=%2F%zz&b=50%"),
            ("a=b+c/?d", "/a?a=b+c/?d"),
            ("a=b c&ü=#", "/a?a=b%20c&%C3%BC=%23"), ("&&=&", "/a?&&=&"), ("a=\"\r\n\"", "/a?a=%22%0D%0A%22"),
        ])
    func query(given: String, expected: String) throws {
        #expect(try GatewayRequest(event: GatewayEvents.httpAPI(path: "/a", query: given)).target == expected)
    }

    @Test("Without the raw query the parameters are taken, which are decoded")
    func decodedQuery() throws {
        let request = try GatewayRequest(GatewayEvents.httpAPI, ["rawQueryString": .null])
        #expect(request.target == "/v1/default/keys/db/host?ttl=1h&message=a%20b%2Bc")
    }

    @Test("Without the raw path the context's is taken")
    func contextPath() throws {
        #expect(try GatewayRequest(GatewayEvents.standIn, ["rawPath": .null]).target == "/v1/default/keys/a")
        let bare = try GatewayRequest(
            GatewayEvents.standIn, ["rawPath": .null, "requestContext": ["http": ["path": .null]]])
        #expect(bare.target == "/")
    }

    @Test(
        "A stage is taken off the front once, where it is a whole segment",
        arguments: [
            ("dev", "/dev/v1/cfgs", "/v1/cfgs"), ("dev", "/dev", "/"), ("dev", "/dev/", "/"),
            ("dev", "/device", "/device"),
            ("dev", "/a/dev/b", "/a/dev/b"), ("dev", "/dev/dev/x", "/dev/x"), ("dev", "/Dev/x", "/Dev/x"),
            ("v1", "/v1/v1/cfgs", "/v1/cfgs"),
            ("default", "/default/v1/default/keys/default", "/v1/default/keys/default"),
            ("$default", "/$default/x", "/$default/x"), ("", "/x", "/x"), ("dev", "dev/x", "/dev/x"),
            ("dev", "//dev/x", "//dev/x"),
        ])
    func stage(name: String, path: String, expected: String) throws {
        #expect(try GatewayRequest(event: GatewayEvents.httpAPI(path: path, stage: name)).target == expected)
    }

    @Test(
        "A greedy route tells what stands before the path: a stage, a custom domain's base path, or nothing",
        arguments: [
            // Path, context's path, parameter, target.
            ("/v1/cfgs", "/live/v1/cfgs", "v1/cfgs", "/v1/cfgs"),
            ("/base/v1/cfgs", "/base/v1/cfgs", "v1/cfgs", "/v1/cfgs"),
            ("/base/live/v1/cfgs", "/base/live/v1/cfgs", "v1/cfgs", "/v1/cfgs"),
            ("/live/v1/cfgs", "/live/v1/cfgs", "v1/cfgs", "/v1/cfgs"),
            // A stage with the same name as the path's first segment, by way of a custom domain without a base path.
            ("/live/x", "/live/x", "live/x", "/live/x"),
            // A directory keeps its slash, which the parameter may lack.
            ("/base/v1/default/keys/db/", "/base/v1/default/keys/db/", "v1/default/keys/db", "/v1/default/keys/db/"),
            ("/base/v1/default/keys/", "/base/v1/default/keys/", "v1/default/keys/", "/v1/default/keys/"),
            // A parameter that is not the end of the path says nothing.
            ("/v1/a%20b", "/live/v1/a%20b", "v1/a b", "/v1/a%20b"),
            ("/xv1/cfgs", "/live/xv1/cfgs", "v1/cfgs", "/xv1/cfgs"),
            ("/v1/cfgs", "/live/v1/cfgs", "", "/v1/cfgs"), ("/v1/cfgs", "/live/v1/cfgs", "/", "/v1/cfgs"),
        ])
    func greedyRoute(path: String, contextPath: String, parameter: String, expected: String) throws {
        let request = try GatewayRequest(
            GatewayEvents.restAPI,
            [
                "path": .string(path), "pathParameters": ["proxy": .string(parameter)], "queryStringParameters": .null,
                "multiValueQueryStringParameters": .null, "requestContext": ["path": .string(contextPath)],
            ])
        #expect(request.target == expected)
    }

    @Test("An HTTP API's greedy route tells the stage from a path that begins with the same word")
    func greedyRouteOfHTTPAPI() throws {
        let event = try GatewayEvents.httpAPI(path: "/v1/cfgs", stage: "v1")
            .merging(["routeKey": "ANY /{proxy+}", "pathParameters": ["proxy": "v1/cfgs"]])
        #expect(try GatewayRequest(event: event).target == "/v1/cfgs")
    }

    @Test("A REST API's path is not shortened by its stage, which it does not have; payload format 1.0 is")
    func stageOfREST() throws {
        let explicit: JSONValue = [
            "resource": "/live/{key}", "path": "/live/x", "pathParameters": ["key": "x"],
            "multiValueQueryStringParameters": .null,
            "queryStringParameters": .null,
        ]
        for contextPath in ["/live/live/x", "/live/x"] {
            let patch = explicit.merging(["requestContext": ["path": .string(contextPath)]])
            #expect(try GatewayRequest(GatewayEvents.restAPI, patch).target == "/live/x")
        }
        // As ministack sends it for a REST API: with a version, and the stage in the context's path alone.
        let standIn = explicit.merging(["version": "1.0", "requestContext": ["path": "/live/live/x"]])
        #expect(try GatewayRequest(GatewayEvents.restAPI, standIn).target == "/live/x")
        #expect(try GatewayRequest(GatewayEvents.httpAPI1).target == "/v1/default/keys/space%20value")
    }

    /// Keys that people give, with what a URL has its own use for.
    static let keys = [
        "/db/host", "/a b", "/grüße", "/日本/語", "/100%", "/50%25", "/a%41", "/%", "/a+b=c&d;e,f", "/#tag", "/\u{1F600}",
        "/e\u{301}", "/(a)[b]{c}", "/\"quoted\"", "/a\\b", "/~a/.b/..c", "/:@!$'*", "/tab\there", "/100%/é%20",
    ]

    @Test("A key survives every gateway", arguments: keys)
    func survival(of key: String) throws {
        let sent = "/v1/default/keys" + Self.clientEncoded(key)
        let events = [
            try GatewayEvents.httpAPI(path: Self.decodedByHTTPAPI(sent)),
            try GatewayEvents.httpAPI(path: "/dev" + Self.decodedByHTTPAPI(sent), stage: "dev"),
            try GatewayEvents.event(GatewayEvents.functionURL, ["rawPath": .string(sent), "rawQueryString": ""]),
            try GatewayEvents.event(
                GatewayEvents.restAPI,
                [
                    "path": .string(sent), "pathParameters": ["proxy": .string(String(sent.dropFirst()))],
                    "queryStringParameters": .null, "multiValueQueryStringParameters": .null,
                ]),
            try GatewayEvents.event(
                GatewayEvents.loadBalancer, ["path": .string(sent), "queryStringParameters": .null]),
        ]
        for event in events {
            let target = try GatewayRequest(event: event).target
            #expect(try PercentEncoding.decode(target).utf8.elementsEqual(("/v1/default/keys" + key).utf8), "\(target)")
        }
    }

    /// As a client encodes a path: everything but letters, digits and slashes.
    private static func clientEncoded(_ path: String) -> String {
        path.utf8.map { byte in
            let character = Character(Unicode.Scalar(byte))
            if byte < 0x80, character.isLetter || character.isNumber || character == "/" { return String(character) }
            let digits = String(byte, radix: 16, uppercase: true)
            return "%" + (digits.count == 1 ? "0" : "") + digits
        }.joined()
    }

    /// As an HTTP API decodes a path: everything but `%25`.
    private static func decodedByHTTPAPI(_ path: String) -> String {
        var bytes: [UInt8] = []
        var rest = Substring(path)
        while let first = rest.first {
            if first == "%", let byte = UInt8(rest.dropFirst().prefix(2), radix: 16), byte != UInt8(ascii: "%") {
                bytes.append(byte)
                rest = rest.dropFirst(3)
            } else {
                bytes += Array(String(first).utf8)
                rest = rest.dropFirst()
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
