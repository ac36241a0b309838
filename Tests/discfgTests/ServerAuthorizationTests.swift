import DiscfgCore
import Testing

@testable import discfg

@Suite("What requests to a server are signed for") struct ServerAuthorizationTests {
    @Test(
        "AWS's own addresses of functions and gateways are signed for, and nothing that only looks like them",
        arguments: [
            ("https://abc123.execute-api.eu-west-1.amazonaws.com/prod", "execute-api eu-west-1"),
            ("https://abc123.execute-api.cn-north-1.amazonaws.com.cn", "execute-api cn-north-1"),
            ("https://abc123.lambda-url.us-east-1.on.aws", "lambda us-east-1"),
            ("https://abc123.execute-api.eu-west-1.amazonaws.com:443/", "execute-api eu-west-1"),
            ("https://abc123.execute-api.eu-west-1.amazonaws.evil.com", nil),
            ("https://abc123.lambda-url.us-east-1.on.aws.evil.com", nil),
            ("https://config.example.com/abc.execute-api.eu-west-1.amazonaws.com", nil),
            ("http://127.0.0.1:8899", nil),
        ])
    func hosts(_ url: String, _ expected: String?) throws {
        let scope = try ServerAuthorization.scope(of: url, environment: [:])
        #expect(scope.map { "\($0.service) \($0.region)" } == expected)
    }

    @Test("DISCFG_SIGN asks for a signature at any address, and is refused when it cannot be understood")
    func variable() throws {
        let url = "https://config.example.com"
        let scope = try ServerAuthorization.scope(of: url, environment: ["DISCFG_SIGN": "lambda:eu-west-1"])
        #expect(scope?.service == "lambda")
        #expect(scope?.region == "eu-west-1")
        #expect(try ServerAuthorization.scope(of: url, environment: ["DISCFG_SIGN": ""]) == nil)
        let error = #expect(throws: DiscfgError.self) {
            try ServerAuthorization.scope(of: url, environment: ["DISCFG_SIGN": "lambda"])
        }
        #expect(error?.message.contains("“lambda”") == true)
    }
}
