import DiscfgCore
import DiscfgHTTP
import HTTPTypes
import Testing

@Suite("Access")
struct AccessTests {
    @Test("A page of another origin is refused, one that was named may call")
    func origins() async throws {
        let access = AccessPolicy(listeningOn: "127.0.0.1", corsOrigins: ["https://admin.example.com"])
        try await RESTFixture.with(.socket, access: access) { rest in
            #expect(try await rest.send(.get, "/health").status == 200)
            let foreign = try await rest.send(
                .put, "/v1/default/keys/a", "x", headers: ["Origin": "https://evil.example.com"])
            #expect(
                foreign.status == 403 && foreign.errorCode == 112
                    && foreign.header("access-control-allow-origin") == nil)
            #expect(try await rest.send(.get, "/health", headers: ["Origin": "null"]).status == 403)
            #expect(try await rest.service.info(of: .default).revision == 1)
            let named = ["Origin": "https://admin.example.com"]
            let allowed = try await rest.send(.get, "/health", headers: named)
            #expect(
                allowed.header("access-control-allow-origin") == "https://admin.example.com"
                    && allowed.header("vary") == "Origin")
            let asked = named.merging(["Access-Control-Request-Method": "PUT"]) { $1 }
            let preflight = try await rest.send(.options, "/v1/default/cfg", headers: asked)
            #expect(
                preflight.status == 204 && preflight.header("access-control-allow-methods")?.contains("PUT") == true)
            #expect(try await rest.send(.options, "/v1/default/cfg", headers: named).json["action"] == "info")
        }
    }

    @Test("The metrics count by route template, not by path")
    func metrics() async throws {
        try await RESTFixture.with { rest in
            _ = try await rest.send(.get, "/v1/default/keys/secret-name")
            let text = try await rest.send(.get, "/metrics").text
            #expect(
                text.contains(#"http_requests_total{method="GET",route="/v1/{cfg}/keys/**",status="404"} 1"#), "\(text)"
            )
            #expect(!text.contains("secret-name"))
        }
    }

    @Test("A request without a route is answered as every error is, and counted under one label")
    func noRoute() async throws {
        try await RESTFixture.with { rest in
            for path in ["/", "/secret-name", "/v1/default/keys-secret-name/a"] {
                let answer = try await rest.send(.get, path)
                #expect(answer.status == 404 && answer.errorCode == 113, "\(path): \(answer.text)")
            }
            let text = try await rest.send(.get, "/metrics").text
            #expect(text.contains(#"http_requests_total{method="GET",route="NotFound",status="404"} 3"#), "\(text)")
            #expect(!text.contains("secret-name"))
        }
    }

    @Test("A wrong method is refused with those that there are; HEAD is GET without a body")
    func methods() async throws {
        try await RESTFixture.with { rest in
            let wrong = try await rest.send(.post, "/health")
            #expect(wrong.status == 405 && wrong.errorCode == 114 && wrong.header("allow") == "GET, HEAD")
            let head = try await rest.send(.head, "/health")
            #expect(head.status == 200 && head.text.isEmpty)
        }
    }

    @Test("An answer carries the caller's request id when it is plain, and otherwise one of its own")
    func requestIDs() async throws {
        try await RESTFixture.with { rest in
            #expect(
                try await rest.send(.get, "/health", headers: ["X-Request-Id": "abc-1"]).header("x-request-id")
                    == "abc-1")
            let long = String(repeating: "a", count: 129)
            let own = try await rest.send(.get, "/health", headers: ["X-Request-Id": long]).header("x-request-id")
            #expect(own != nil && own != long)
        }
    }
}
