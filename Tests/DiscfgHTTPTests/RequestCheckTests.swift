import DiscfgCore
import DiscfgHTTP
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Testing

@Suite("Requests on the wire")
struct RequestCheckTests {
    @Test(
        "A request that can be understood in two ways is refused, and the connection closed",
        arguments: [
            ("GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: 127.0.0.1\r\n\r\n", "HTTP/1.1 400 Bad Request"),
            (
                "PUT /v1/default/keys/a HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
                "HTTP/1.1 501 Not Implemented"
            ),
            (
                "PUT /v1/default/keys/a HTTP/1.0\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                "HTTP/1.1 400 Bad Request"
            ),
        ])
    func refused(request: String, status: String) async throws {
        try await RESTFixture.with(.socket) { rest in
            try await RawConnection.with(port: rest.client.port) { connection in
                try await connection.send(request)
                #expect(try await connection.line() == status)
                try await connection.end()
            }
            #expect(try await rest.service.revision(of: .default) == 1)
        }
    }

    @Test("A request is answered before one behind it is refused")
    func pipelined() async throws {
        try await RESTFixture.with(.socket) { rest in
            try await RawConnection.with(port: rest.client.port) { connection in
                let good = "GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
                try await connection.send(good + "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n")
                #expect(try await connection.line() == "HTTP/1.1 200 OK")
                var statuses: [String] = []
                while let line = try await connection.line() { if line.hasPrefix("HTTP/") { statuses.append(line) } }
                #expect(statuses == ["HTTP/1.1 400 Bad Request"])
            }
        }
    }

    @Test(
        "A Host with anything but a host and a port is refused",
        arguments: ["localhost:80@evil.com", "localhost:evil.com"])
    func hosts(host: String) async throws {
        try await RESTFixture.with(.socket, access: AccessPolicy(listeningOn: "127.0.0.1")) { rest in
            try await RawConnection.with(port: rest.client.port) { connection in
                try await connection.send("GET /health HTTP/1.1\r\nHost: \(host)\r\n\r\n")
                #expect(try await connection.line() == "HTTP/1.1 400 Bad Request")
            }
            try await RawConnection.with(port: rest.client.port) { connection in
                try await connection.send("GET /health HTTP/1.1\r\nHost: localhost:80\r\n\r\n")
                #expect(try await connection.line() == "HTTP/1.1 200 OK")
            }
        }
    }

    @Test("A client that waits for 100 Continue gets it")
    func expectContinue() async throws {
        try await RESTFixture.with(.socket) { rest in
            try await RawConnection.with(port: rest.client.port) { connection in
                let fields = "Host: 127.0.0.1\r\nContent-Length: 1\r\nExpect: 100-continue"
                try await connection.send("PUT /v1/default/keys/a HTTP/1.1\r\n\(fields)\r\n\r\n")
                #expect(try await connection.line() == "HTTP/1.1 100 Continue")
                #expect(try await connection.line() == "")
                try await connection.send("1")
                #expect(try await connection.line() == "HTTP/1.1 201 Created")
            }
        }
    }

    @Test(
        "A path with empty segments before the key is no route",
        arguments: ["//v1/cfgs", "/v1//cfgs", "/v1//default/keys/a"])
    func paths(path: String) async throws {
        try await RESTFixture.with(.socket) { rest in
            try await RawConnection.with(port: rest.client.port) { connection in
                try await connection.send("GET \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
                #expect(try await connection.line() == "HTTP/1.1 404 Not Found")
                try await connection.send("GET /v1/cfgs/ HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
                while let line = try await connection.line(), line != "HTTP/1.1 200 OK" {}
            }
        }
    }
}
