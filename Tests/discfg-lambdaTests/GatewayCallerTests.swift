import DiscfgCore
import Testing

@testable import discfg_lambda

@Suite("Callers of gateways")
struct GatewayCallerTests {
    private func caller(_ event: String, _ context: JSONValue) throws -> String? {
        try GatewayRequest(event, ["requestContext": context]).caller?.name
    }

    @Test(
        "Of an ARN what is behind the account is the caller, in either payload format",
        arguments: [
            ("arn:aws:iam::123456789012:user/alice", "user/alice"),
            ("arn:aws:iam::123456789012:user/team/red/alice", "user/team/red/alice"),
            (
                "arn:aws:sts::123456789012:assumed-role/deploy/alice@example.com",
                "assumed-role/deploy/alice@example.com"
            ),
            ("arn:aws-cn:sts::123456789012:federated-user/bob", "federated-user/bob"),
            ("arn:aws:iam::123456789012:root", "root"), ("arn:aws:iam::123456789012:user/a:b", "user/a:b"),
            ("AIDAEXAMPLE", "AIDAEXAMPLE"), ("arn:aws:iam", "arn:aws:iam"), ("arn:aws:iam::1:", "arn:aws:iam::1:"),
            ("", nil),
        ])
    func iam(arn: String, expected: String?) throws {
        let arn = JSONValue.string(arn)
        #expect(try caller(GatewayEvents.httpAPI, ["authorizer": ["iam": ["userArn": arn]]]) == expected)
        #expect(try caller(GatewayEvents.restAPI, ["identity": ["userArn": arn]]) == expected)
    }

    /// Claims, and who that is.
    static let claims: [(JSONValue, String?)] = [
        (["sub": "1234", "email": "alice@example.com", "email_verified": "true"], "alice@example.com"),
        (["sub": "1234", "email": "alice@example.com", "email_verified": true], "alice@example.com"),
        (["sub": "1234", "email": "alice@example.com"], "alice@example.com"),
        (["sub": "1234", "email": "boss@example.com", "email_verified": "false"], "1234"),
        (["sub": "1234", "email": "boss@example.com", "email_verified": "False"], "1234"),
        (["sub": "1234", "email": "boss@example.com", "email_verified": false], "1234"),
        // What people may change themselves comes after what the issuer gave them.
        (["sub": "1234", "cognito:username": "alice", "preferred_username": "boss", "username": "a"], "alice"),
        (["sub": "1234", "username": "alice", "preferred_username": "boss"], "alice"),
        (["sub": "1234", "preferred_username": "alice"], "alice"),
        (["sub": "1234", "name": "boss", "nickname": "boss"], "1234"),
        (["sub": 1234], "1234"), (["sub": "", "username": ""], nil), (["sub": ["a"], "email": ["a": 1]], nil),
        ([:], nil),
    ]

    @Test("Of claims the first that cannot easily be forged is the caller", arguments: claims)
    func jwt(claims: JSONValue, expected: String?) throws {
        let jwt: JSONValue = ["authorizer": ["jwt": ["claims": claims, "scopes": []]]]
        #expect(try caller(GatewayEvents.httpAPI, jwt) == expected)
        #expect(try caller(GatewayEvents.restAPI, ["authorizer": ["claims": claims]]) == expected)
    }

    @Test(
        "A Lambda authoriser's principal is the caller",
        arguments: [
            (["principalId": "alice", "user": "b", "sub": "c", "email": "d"], "alice"),
            (["user": "b", "sub": "c"], "b"),
            (["sub": "c", "email": "d"], "c"), (["email": "d"], "d"), (["principalId": "", "user": 7], "7"),
            (["other": "x", "principalId": true], nil),
        ] as [(JSONValue, String?)])
    func lambda(answer: JSONValue, expected: String?) throws {
        #expect(try caller(GatewayEvents.httpAPI, ["authorizer": ["lambda": answer]]) == expected)
        #expect(try caller(GatewayEvents.restAPI, ["authorizer": answer]) == expected)
    }

    @Test("What an authoriser leaves empty or out says nothing, of whatever kind it is")
    func nothing() throws {
        let empty: JSONValue = [
            "jwt": ["claims": .null, "scopes": .null], "iam": ["userArn": "", "userId": ""], "lambda": .null,
        ]
        for authorizer: JSONValue in [empty, "boss", 5, ["boss"], true, ["jwt": "boss", "iam": ["boss"], "lambda": 5]] {
            #expect(try caller(GatewayEvents.httpAPI, ["authorizer": authorizer]) == nil)
        }
        for authorizer: JSONValue in ["boss", 5, ["boss"], ["claims": "boss"], ["claims": ["boss"]]] {
            #expect(try caller(GatewayEvents.restAPI, ["authorizer": authorizer, "identity": "boss"]) == nil)
        }
    }

    @Test("Nothing that a client writes itself makes a caller")
    func headers() throws {
        let forged: JSONValue = [
            "x-amzn-oidc-identity": "boss", "x-amzn-oidc-data": "boss", "x-discfg-author": "boss",
            "authorization": "boss",
            "x-forwarded-user": "boss", "from": "boss",
        ]
        let lists = JSONValue.object(
            JSONObject((forged.object ?? JSONObject()).map { ($0.name, .array([$0.value])) }))
        for text in GatewayEvents.all where text != GatewayEvents.functionURL {
            let request = try GatewayRequest(text, ["headers": forged, "multiValueHeaders": lists])
            #expect(request.caller == nil && request.field("x-discfg-author") == "boss", "it is passed, not believed")
        }
        let signed = try GatewayRequest(GatewayEvents.functionURL, ["headers": forged])
        #expect(signed.caller == Caller("user/alice", provenBy: .gateway))
    }

    @Test("Behind a load balancer there is no caller, whatever the context says")
    func loadBalancer() throws {
        let context: JSONValue = [
            "identity": ["userArn": "arn:aws:iam::1:user/boss"],
            "authorizer": ["principalId": "boss", "iam": ["userArn": "arn:aws:iam::1:user/boss"]],
        ]
        #expect(try caller(GatewayEvents.loadBalancer, context) == nil)
    }

    @Test(
        "A caller has at most 256 bytes, and no half of a character",
        arguments: [
            (String(repeating: "a", count: 256), String(repeating: "a", count: 256)),
            (String(repeating: "a", count: 257), String(repeating: "a", count: 256)),
            ("a" + String(repeating: "é", count: 128), "a" + String(repeating: "é", count: 127)),
            (String(repeating: "\u{1F600}", count: 65), String(repeating: "\u{1F600}", count: 64)),
            (String(repeating: "a", count: 255) + "\u{1F600}b", String(repeating: "a", count: 255)),
        ])
    func length(name: String, expected: String) throws {
        let found = try caller(GatewayEvents.httpAPI, ["authorizer": ["lambda": ["principalId": .string(name)]]])
        #expect(found == expected)
    }
}
