import DiscfgCore
import DiscfgHTTP
import DiscfgTestSupport
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import Testing

@Suite("Limits of requests")
struct RequestLimitTests {
    private static func post(_ path: String, length: Int) -> String {
        "POST \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: \(length)\r\n\r\n"
    }

    /// Waits until the requests under way hold memory that meets a condition.
    private static func wait(for budget: MemoryBudget, _ condition: (Int) -> Bool) async throws {
        while !condition(budget.held) { try await Task.sleep(for: .milliseconds(2)) }
    }

    @Test("Bodies under way share a budget; beyond it a request is a 503 with Retry-After")
    func budget() async throws {
        let limits = RequestLimits(bodies: MemoryBudget(1 << 20))
        try await RESTFixture.with(.socket, limits: limits) { rest in
            try await RawConnection.with(port: rest.client.port) { connection in
                try await connection.send(Self.post("/v1/default/txn", length: 1_000_000))
                try await connection.send(String(repeating: " ", count: 900_000))
                try await Self.wait(for: limits.bodies) { $0 == 900_000 }
                let value = String(repeating: "v", count: 200_000)
                let refused = try await rest.send(.put, "/v1/default/keys/a", value)
                #expect(refused.status == 503 && refused.errorCode == 304 && refused.header("retry-after") == "1")
                #expect(try await rest.send(.put, "/v1/default/keys/a", "small").status == 201)
            }
            try await Self.wait(for: limits.bodies) { $0 == 0 }
            let value = String(repeating: "v", count: 200_000)
            #expect(try await rest.send(.put, "/v1/default/keys/a", value).status == 200)
            #expect(limits.bodies.held == 0)
        }
    }

    @Test("A body that the whole budget cannot hold is too large")
    func tooLarge() async throws {
        try await RESTFixture.with(limits: RequestLimits(bodies: MemoryBudget(100_000))) { rest in
            let answer = try await rest.send(.put, "/v1/default/keys/a", String(repeating: "v", count: 200_000))
            #expect(answer.status == 413 && answer.errorCode == 105)
        }
    }

    @Test(
        "A client that sends all before it reads is told why it is refused",
        arguments: [
            ("POST /v1/default/txn", "413 Payload Too Large"), ("POST /nowhere", "404 Not Found"),
            ("DELETE /v1/default/txn", "405 Method Not Allowed"),
        ])
    func refusedWhileSending(_ request: String, _ status: String) async throws {
        try await RESTFixture.with(.socket, limits: RequestLimits(bodies: MemoryBudget(100_000))) { rest in
            try await RawConnection.with(port: rest.client.port) { connection in
                let (part, count) = (String(repeating: " ", count: 1 << 20), 20)
                try await connection.send(
                    "\(request) HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n"
                        + "Content-Length: \(count << 20)\r\n\r\n")
                for _ in 0..<count { try await connection.send(part) }
                #expect(try await connection.line() == "HTTP/1.1 \(status)")
            }
        }
    }

    @Test("A refused body of which nothing comes ends with its connection")
    func refusedAndSilent() async throws {
        var limits = RequestLimits()
        limits.pace.grace = .milliseconds(50)
        try await RESTFixture.with(.socket, limits: limits) { rest in
            try await RawConnection.with(port: rest.client.port) { connection in
                try await connection.send(
                    "POST /v1/default/txn HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n"
                        + "Content-Length: 99999999999\r\n\r\n")
                try await connection.end()
            }
        }
    }

    @Test(
        "A body that comes too slowly after its answer ends with its connection",
        arguments: [
            ("GET /health", 100, "200 OK"), ("POST /v1/default/txn", 99_999_999_999, "413 Payload Too Large"),
        ])
    func answeredAndSlow(_ request: String, _ length: Int, _ status: String) async throws {
        var limits = RequestLimits()
        limits.pace.grace = .milliseconds(50)
        try await RESTFixture.with(.socket, limits: limits) { rest in
            try await RawConnection.with(port: rest.client.port) { connection in
                try await connection.send(
                    "\(request) HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: \(length)\r\n\r\n ")
                #expect(try await connection.line() == "HTTP/1.1 \(status)")
                try await connection.end()
            }
        }
    }

    @Test("A request behind a body that was refused is answered")
    func refusedThenAnswered() async throws {
        try await RESTFixture.with(.socket) { rest in
            try await RawConnection.with(port: rest.client.port) { connection in
                try await connection.send(
                    "DELETE /v1/default/txn HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 2\r\n\r\n ")
                #expect(try await connection.line() == "HTTP/1.1 405 Method Not Allowed")
                try await connection.send(" GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
                while let line = try await connection.line(), line != "HTTP/1.1 200 OK" {}
            }
        }
    }

    @Test("The values of a JSON body count, and not only its bytes")
    func values() async throws {
        let limits = RequestLimits(bodies: MemoryBudget(1 << 20))
        try await RESTFixture.with(limits: limits) { rest in
            let zeros = "[" + String(repeating: "0,", count: 50_000) + "0]"
            let answer = try await rest.send(
                .patch, "/v1/default/keys/a", zeros, headers: ["Content-Type": "application/json"])
            #expect(answer.status == 503 && answer.errorCode == 304)
            let file = try await rest.send(.put, "/v1/default/import?as=json&dryRun", #"{"a":"# + zeros + "}")
            #expect(file.status == 200)
            #expect(limits.bodies.held == 0)
        }
    }

    @Test("A body that comes too slowly ends with its connection")
    func pace() async throws {
        var limits = RequestLimits()
        limits.pace.grace = .milliseconds(50)
        let bodies = limits.bodies
        try await RESTFixture.with(.socket, limits: limits) { rest in
            try await RawConnection.with(port: rest.client.port) { connection in
                try await connection.send(Self.post("/v1/default/txn", length: 100) + "{")
                try await connection.end()
            }
            try await Self.wait(for: bodies) { $0 == 0 }
        }
    }

    @Test("Answers that nobody has read count, and a read beyond them is a 503")
    func answers() async throws {
        let service = ConfigService(engine: MemoryEngine(), logger: Logger(label: "test"))
        let value = Value(String(repeating: "v", count: 200_000))
        _ = try await service.commit(Transaction(then: [.set(Key(path: "/a"), value)]), to: .default)
        var options = DiscfgResponder.Options()
        options.limits = RequestLimits(bodies: MemoryBudget(300_000))
        let responder = DiscfgResponder(store: service, options: options, logger: Logger(label: "test"))
        func get() async throws -> Response {
            let head = HTTPRequest(method: .get, scheme: "http", authority: "127.0.0.1", path: "/v1/default/keys/a")
            let context = DiscfgRequestContext(fromGateway: nil, logger: Logger(label: "test"))
            return try await responder.respond(
                to: Request(head: head, body: RequestBody(buffer: ByteBuffer())), context: context)
        }
        var first: Response? = try await get()
        #expect(first?.status == .ok)
        #expect(try await get().status == .serviceUnavailable)
        first = nil
        #expect(options.limits.answers.held == 0)
        #expect(try await get().status == .ok)
    }

    @Test("A client that reads nothing of its answer loses its connection")
    func stalled() async throws {
        let limits = RequestLimits()
        try await RESTFixture.with(.socket, limits: limits, patience: .milliseconds(100)) { rest in
            let value = String(repeating: "v", count: 1_500_000)
            for key in 1...10 { _ = try await rest.send(.put, "/v1/default/keys/\(key)", value) }
            try await RawConnection.with(port: rest.client.port) { connection in
                let request = "GET /v1/default/keys/ HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
                try await connection.send(request)
                #expect(try await connection.line() == "HTTP/1.1 200 OK", "the answer has begun")
                // No more is read: one buffer of the client fills, and then those of the system.
                try await Self.wait(for: limits.answers) { $0 == 0 }
            }
        }
    }

    @Test("A transaction is refused at the operation that is one too many, before the rest is read")
    func operations() throws {
        let operations = String(repeating: #"{"get":"/a"},"#, count: 100_001)
        let error = #expect(throws: DiscfgError.self) {
            try Transaction(parsing: Array((#"{"then":["# + operations).utf8), author: "")
        }
        #expect(error?.code == .tooLarge)
        let empty = #expect(throws: DiscfgError.self) {
            try Transaction(parsing: Array(#"{"then":[{},{}"#.utf8), author: "")
        }
        #expect(empty?.message.contains("valid JSON") == false)
    }

    @Test(
        "The text of a transaction is read as its value is",
        arguments: [
            #"{"if":[{"key":"/a","exists":true}],"then":[{"set":"/a","value":{"b":[1,2]}}],"else":[{"get":"/a"}],"message":"m"}"#,
            #" { "then" : [ ] , "if" : null } "#, "{}", #"{"then":[{"get":"/a"}],"then":[{"delete":"/b"}]}"#,
            #"{"then":{}}"#, #"{"nope":[]}"#, "[]", #"{"message":1}"#, #"{"then":[{"get":"/a"},]}"#, "{} x", "{", "",
            #"{"then":[{"get":"no slash"}]}"#, #"{"if":[{}]}"#,
        ])
    func parsing(text: String) throws {
        func outcome(_ read: () throws -> Transaction) -> String {
            do { return "\(try read())" } catch { return "\((error as? DiscfgError)?.message ?? "not JSON")" }
        }
        let value = outcome {
            do {
                return try Transaction(wire: JSONValue(parsing: text), author: "me")
            } catch let error as JSONSyntaxError {
                throw DiscfgError(reading: error)
            }
        }
        #expect(outcome { try Transaction(parsing: Array(text.utf8), author: "me") } == value)
    }
}
