import DiscfgCore
import HTTPTypes
import Testing

@testable import discfg_lambda

@Suite("Requests of gateways")
struct GatewayRequestTests {
    @Test("An HTTP API's event becomes the request that the client sent")
    func httpAPI() throws {
        let request = try GatewayRequest(GatewayEvents.httpAPI)
        #expect(request.method == .put && request.shape == .httpV2)
        #expect(request.target == "/v1/default/keys/db/host?ttl=1h&message=a+b%2Bc")
        #expect(request.authority == "abc123.execute-api.eu-west-1.amazonaws.com")
        #expect(request.body == Array("db1".utf8) && request.caller == nil)
        #expect(request.fields("cookie") == ["session=abc; theme=dark"])
        #expect(request.field("if-match") == #""1-2","2-7""#, "commas between values stay")
        #expect(request.field("x-forwarded-for") == "203.0.113.7", "spaces around a value are not part of it")
        #expect(request.field("content-length") == "3" && request.field("host") == nil)
    }

    @Test("An event of ministack lacks half of it and means the same")
    func standIn() throws {
        let request = try GatewayRequest(GatewayEvents.standIn)
        #expect(request.method == .get && request.shape == .httpV2 && request.target == "/v1/default/keys/a")
        #expect(request.fields("cookie") == ["session=abc; theme=dark"])
        #expect(request.authority == "127.0.0.1:4566" && request.body.isEmpty)
        #expect(request.field("content-length") == nil, "there was none, and there is no body")
    }

    @Test("A Function URL's body is decoded, its length said anew, and its cookies are there once")
    func functionURL() throws {
        let request = try GatewayRequest(GatewayEvents.functionURL)
        #expect(request.method == .post && request.shape == .httpV2)
        #expect(request.target == "/v1/default/keys/caf%C3%A9%20a%2Fb?raw", "nothing is encoded twice, nothing decoded")
        #expect(request.body == [0xFF, 0x00, 0x01, 0x02, 0xFF])
        #expect(request.fields("content-length") == ["5"])
        #expect(request.fields("cookie") == ["session=abc; theme=dark"])
        #expect(request.caller?.name == "user/alice")
    }

    @Test("A REST API's event keeps every value, and its decoded parameters are encoded again")
    func restAPI() throws {
        let request = try GatewayRequest(GatewayEvents.restAPI)
        #expect(request.method == .get && request.shape == .restV1 && request.body.isEmpty)
        #expect(
            request.target
                == "/v1/default/keys/space%20value?path=%2Fa%20b%2F%C3%A9&raw=&x=one%26%3D%2B&x=two")
        #expect(request.fields("if-none-match") == [#""1-2""#, #""2-7""#])
        #expect(request.fields("x-probe") == ["first", "second"], "and not “second” once more")
        #expect(request.fields("cookie") == ["session=abc; theme=dark"])
        #expect(request.authority == "r1.execute-api.eu-west-1.amazonaws.com" && request.caller == nil)
    }

    @Test("A REST API's test console sends single values alone")
    func console() throws {
        let request = try GatewayRequest(
            GatewayEvents.restAPI, ["multiValueHeaders": .null, "multiValueQueryStringParameters": .null])
        #expect(request.fields("if-none-match") == [#""2-7""#])
        #expect(request.target.hasSuffix("?path=%2Fa%20b%2F%C3%A9&raw=&x=two"))
    }

    @Test("A field or parameter that only the map of single values has is not dropped: it may be a condition")
    func singleOnly() throws {
        let request = try GatewayRequest(
            GatewayEvents.restAPI,
            [
                "multiValueHeaders": ["If-None-Match": .null],
                "multiValueQueryStringParameters": ["x": .null, "raw": .null],
            ])
        #expect(request.fields("if-none-match") == [#""2-7""#])
        #expect(request.target.hasSuffix("?path=%2Fa%20b%2F%C3%A9&raw=&x=two"))
    }

    @Test("Payload format 1.0 of an HTTP API has a REST API's shape")
    func httpAPI1() throws {
        let request = try GatewayRequest(GatewayEvents.httpAPI1)
        #expect(request.shape == .restV1 && request.target == "/v1/default/keys/space%20value")
    }

    @Test("A load balancer's parameters are as the client sent them")
    func loadBalancer() throws {
        let request = try GatewayRequest(GatewayEvents.loadBalancer)
        #expect(request.method == .post && request.shape == .loadBalancer(multiValue: false))
        #expect(request.target == "/v1/default/keys/space%20value?message=a%2Bb+c&raw=")
        #expect(request.body == Array("größer".utf8) && request.field("content-length") == "8")
        let lists = try GatewayRequest(GatewayEvents.loadBalancerOfLists)
        #expect(lists.shape == .loadBalancer(multiValue: true))
        #expect(lists.target == "/v1/default/keys/space%20value?path=%2Fa%2Fb&x=one&x=t+wo")
        #expect(lists.fields("x-probe") == ["first", "second"] && lists.authority == "config.example.com")
    }

    @Test("Without a Host field the gateway's own name is the host")
    func authority() throws {
        let request = try GatewayRequest(GatewayEvents.standIn, ["headers": .null])
        #expect(request.authority == "abc123.execute-api.localhost" && request.headers.isEmpty)
        #expect(try GatewayRequest(GatewayEvents.loadBalancer, ["headers": .null]).authority == nil)
    }

    @Test(
        "A body without a length gets one, an empty body of length 0 keeps it, and no encoding of the transfer is left")
    func length() throws {
        let chunked = try GatewayRequest(
            GatewayEvents.httpAPI, ["headers": ["content-length": .null, "transfer-encoding": "chunked"]])
        #expect(chunked.fields("content-length") == ["3"] && chunked.field("transfer-encoding") == nil)
        let empty = try GatewayRequest(GatewayEvents.httpAPI, ["body": .null, "headers": ["content-length": "0"]])
        #expect(empty.fields("content-length") == ["0"])
    }

    @Test("A body of 10 MB arrives whole, as text and as base64")
    func large() throws {
        let text = String(repeating: "0123456789abcde\n", count: 655_360)
        let plain = try GatewayRequest(GatewayEvents.httpAPI, ["body": .string(text)])
        #expect(plain.body.count == 10_485_760 && plain.field("content-length") == "10485760")
        let encoded = String(repeating: "AAEC", count: 3_495_254)
        let bytes = try GatewayRequest(
            GatewayEvents.httpAPI, ["body": .string(encoded), "isBase64Encoded": true]
        ).body
        #expect(bytes.count == 10_485_762 && bytes.suffix(4) == [2, 0, 1, 2])
    }
}
