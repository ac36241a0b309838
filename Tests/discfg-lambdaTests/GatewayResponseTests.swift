import DiscfgCore
import DiscfgTestSupport
import HTTPTypes
import Testing

@testable import discfg_lambda

@Suite("Answers through gateways")
struct GatewayResponseTests {
    static let shapes: [GatewayShape] = [
        .httpV2, .restV1, .loadBalancer(multiValue: false), .loadBalancer(multiValue: true),
    ]

    /// An answer with a repeated field, cookies, and fields that delimit a message.
    static var answer: GatewayResponse {
        var headers: HTTPFields = [
            .contentType: "application/json", .eTag: #""1-2""#, .contentLength: "7", .connection: "close",
        ]
        headers.append(HTTPField(name: .vary, value: "Origin"))
        headers.append(HTTPField(name: .setCookie, value: "a=1; Path=/"))
        headers.append(HTTPField(name: .vary, value: "Accept"))
        headers.append(HTTPField(name: .setCookie, value: "b=2, c"))
        headers.append(HTTPField(name: .transferEncoding, value: "chunked"))
        return GatewayResponse(status: .created, headers: headers, body: Array("{\"é\":1}".utf8))
    }

    @Test("Payload format 2.0 joins what is repeated, except cookies")
    func httpV2() {
        #expect(
            String(decoding: Self.answer.json(for: .httpV2), as: UTF8.self)
                == #"{"statusCode":201,"headers":{"content-type":"application/json","etag":"\"1-2\"","vary":"Origin, Accept"},"#
                + #""cookies":["a=1; Path=/","b=2, c"],"body":"{\"é\":1}","isBase64Encoded":false}"#)
        #expect(
            String(decoding: GatewayResponse(status: .ok).json(for: .httpV2), as: UTF8.self)
                == #"{"statusCode":200,"headers":{},"body":"","isBase64Encoded":false}"#, "no cookies, no member")
    }

    @Test("A REST API gets lists")
    func restV1() {
        #expect(
            String(decoding: Self.answer.json(for: .restV1), as: UTF8.self)
                == #"{"statusCode":201,"multiValueHeaders":{"content-type":["application/json"],"etag":["\"1-2\""],"#
                + #""vary":["Origin","Accept"],"set-cookie":["a=1; Path=/","b=2, c"]},"body":"{\"é\":1}","isBase64Encoded":false}"#
        )
    }

    @Test("A load balancer gets a description of the status, and lists only where it sent lists")
    func loadBalancer() {
        #expect(
            String(decoding: Self.answer.json(for: .loadBalancer(multiValue: true)), as: UTF8.self)
                == #"{"statusCode":201,"statusDescription":"201 Created","multiValueHeaders":{"content-type":["application/json"],"#
                + #""etag":["\"1-2\""],"vary":["Origin","Accept"],"set-cookie":["a=1; Path=/","b=2, c"]},"#
                + #""body":"{\"é\":1}","isBase64Encoded":false}"#)
        #expect(
            String(decoding: Self.answer.json(for: .loadBalancer(multiValue: false)), as: UTF8.self)
                == #"{"statusCode":201,"statusDescription":"201 Created","headers":{"content-type":"application/json","#
                + #""etag":"\"1-2\"","vary":"Origin, Accept","set-cookie":"b=2, c"},"body":"{\"é\":1}","isBase64Encoded":false}"#
        )
        let unnamed = GatewayResponse(status: .init(code: 299)).json(for: .loadBalancer(multiValue: false))
        #expect(String(decoding: unnamed, as: UTF8.self).contains(#""statusDescription":"299""#))
    }

    /// Bodies, and whether they are text.
    static let bodies: [([UInt8], Bool)] = [
        ([], true), (Array("plain\ttext\r\n".utf8), true),
        (Array("“quotes” \"and\" \\ / 日本 \u{1F600} e\u{301}".utf8), true),
        ([0x00], false), ([0x61, 0x00, 0x62], false), ([0x1B], false), ([0x7F], false), ([0x80], false),
        ([0xC3], false),
        ([0xED, 0xA0, 0x80], false), ([0xF4, 0x90, 0x80, 0x80], false), (Array(0...255), false),
        ([0xEF, 0xBB, 0xBF, 0x61], true),
    ]

    @Test("Text stays text, other bytes become base64, and every body comes back as it was", arguments: bodies)
    func body(bytes: [UInt8], isText: Bool) throws {
        for shape in Self.shapes {
            let json = try JSONValue(parsing: GatewayResponse(status: .ok, body: bytes).json(for: shape))
            #expect(json["isBase64Encoded"] == .bool(!isText) && Self.body(of: json) == bytes, "\(shape)")
        }
    }

    @Test("Random bytes and random text come back as they were")
    func randomBodies() throws {
        var generator = SeededGenerator(seed: 7)
        for round in 0..<400 {
            var bytes = (0..<Int.random(in: 0...60, using: &generator)).map { _ in
                UInt8.random(in: 0...255, using: &generator)
            }
            if round % 2 == 0 { bytes = Array(String(decoding: bytes, as: UTF8.self).utf8) }
            let json = try JSONValue(parsing: GatewayResponse(status: .ok, body: bytes).json(for: .httpV2))
            #expect(Self.body(of: json) == bytes)
        }
    }

    @Test("What is compressed is not text, even if it looks so")
    func contentEncoding() throws {
        let answer = GatewayResponse(status: .ok, headers: [.contentEncoding: "gzip"], body: Array("abc".utf8))
        let json = try JSONValue(parsing: answer.json(for: .httpV2))
        #expect(json["isBase64Encoded"] == true && json["body"] == "YWJj")
    }

    @Test("An answer that may have no body has none", arguments: [204, 304])
    func withoutBody(code: Int) throws {
        let answer = GatewayResponse(status: .init(code: code), headers: [.eTag: #""1""#], body: Array("lost".utf8))
        let json = try JSONValue(parsing: answer.json(for: .httpV2))
        #expect(json["body"] == "" && json["isBase64Encoded"] == false && json["headers"]?["etag"] == #""1""#)
    }

    @Test(
        "An answer that is too large for the gateway says so, and that the request was carried out", arguments: shapes)
    func tooLarge(shape: GatewayShape) throws {
        let limit = shape.maximumAnswer
        var answer = GatewayResponse(status: .created, headers: [.contentType: "text/plain"], body: [])
        answer.headers[try #require(HTTPField.Name("x-request-id"))] = "r-1"
        let room = limit - answer.json(for: shape).count
        answer.body = [UInt8](repeating: UInt8(ascii: "x"), count: room)
        let fitting = answer.json(for: shape)
        #expect(fitting.count == limit && Self.begins(fitting, 201), "one that just fits is sent")
        answer.body.append(UInt8(ascii: "x"))
        let json = try JSONValue(parsing: answer.json(for: shape))
        let headers = json["headers"] ?? json["multiValueHeaders"]
        #expect(json["statusCode"] == 413)
        #expect(headers?["x-request-id"]?.string ?? headers?["x-request-id"]?.array?.first?.string == "r-1")
        #expect(
            headers?["content-type"]?.string ?? headers?["content-type"]?.array?.first?.string == "application/json")
        let error = try #require(DiscfgError(wire: JSONValue(parsing: Self.body(of: json))))
        #expect(error.code == .tooLarge && error.message.contains("\(limit + 1)") && error.message.contains("201"))
        #expect(error.hint?.contains("limit=") == true)
    }

    @Test("It is the JSON that is limited, not the body: quotes count twice, and base64 a third more")
    func escapes() throws {
        let quotes = GatewayResponse(status: .ok, body: [UInt8](repeating: UInt8(ascii: "\""), count: 3_200_000))
        let bytes = GatewayResponse(status: .ok, body: [UInt8](repeating: 0xFF, count: 4_800_000))
        let plain = GatewayResponse(status: .ok, body: [UInt8](repeating: UInt8(ascii: "x"), count: 4_800_000))
        for (answer, status) in [(quotes, 413), (bytes, 413), (plain, 200)] {
            #expect(Self.begins(answer.json(for: .httpV2), status))
        }
    }

    @Test("An event that is no request is answered as every other error")
    func refusal() throws {
        let error = try #require(throws: DiscfgError.self) { try GatewayRequest(event: [:]) }
        let json = try JSONValue(parsing: GatewayResponse(refusing: error).json(for: GatewayShape(of: [:])))
        #expect(json["statusCode"] == 400 && json["headers"]?["content-type"] == "application/json")
        #expect(json["body"]?.string?.hasPrefix(#"{"errorCode":107,"error":"Invalid request","message":""#) == true)
    }

    /// Whether an answer has that status; millions of bytes are not parsed for it.
    private static func begins(_ json: [UInt8], _ status: Int) -> Bool {
        json.starts(with: "{\"statusCode\":\(status),".utf8)
    }

    private static func body(of json: JSONValue) -> [UInt8] {
        let text = json["body"]?.string ?? "?"
        return json["isBase64Encoded"] == true ? EventBase64.decode(text) ?? [] : Array(text.utf8)
    }
}
