import NIOCore
import NIOPosix
import Testing

@testable import AWSClient

@Suite("Transport")
struct TransportTests {
    /// What a server does to one request, or what a client meets instead of one, and whether the request may have
    /// been seen.
    static let failures: [(RawServer.Behaviour, String)] = [
        (.cut(after: ""), "closed"),
        (.cut(after: "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"), "cut in its body"),
        (.stall(after: ""), "no answer in time"),
        (.stall(after: "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"), "no answer in time"),
        (.answer("HTTP/1.1 200 OK\r\nContent-Length: 2000\r\n\r\n" + String(repeating: "x", count: 2000)), "too long"),
        (
            .stall(
                after: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n7d0\r\n"
                    + String(repeating: "x", count: 2000)),
            "too long"
        ),
        (.cut(after: "not HTTP at all\r\n\r\n"), "not HTTP"),
    ]

    private func withTransport(_ body: (AsyncHTTPClientTransport) async throws -> Void) async throws {
        let transport = AsyncHTTPClientTransport(maximumBody: 1000)
        let result = await Result { try await body(transport) }
        try await transport.shutdown()
        try result.get()
    }

    @Test("a request that reached a server may have been carried out, whatever went wrong then", arguments: failures)
    func lost(behaviour: RawServer.Behaviour, name: String) async throws {
        try await RawServer.run(behaviour) { server in
            try await withTransport { transport in
                let error = await #expect(throws: TransportError.self) {
                    try await transport.send(
                        HTTPRequest(method: "POST", url: server.url, body: [1]),
                        timeout: name == "no answer in time" ? .milliseconds(200) : .seconds(60))
                }
                #expect(error?.mayHaveBeenSent == true, "\(name)")
                if name == "too long" || name == "no answer in time" {
                    #expect(error?.description.contains(name) == true)
                }
            }
        }
    }

    @Test("a request was not sent when nobody listens, or the host has no address, or the address is none")
    func unreachable() async throws {
        try await withTransport { transport in
            for url in ["http://127.0.0.1:1/", "http://host.invalid/", "http:///", "nonsense"] {
                let error = await #expect(throws: TransportError.self) {
                    try await transport.send(HTTPRequest(method: "POST", url: url), timeout: .seconds(600))
                }
                #expect(error?.mayHaveBeenSent == false, "\(url)")
            }
        }
    }

    @Test("sends the head that was signed, and keeps the connection for the next request")
    func keepAlive() async throws {
        try await RawServer.run(.answer("HTTP/1.1 201 Created\r\nX-A: 1\r\nx-a: 2\r\nContent-Length: 2\r\n\r\nok")) {
            server in
            try await withTransport { transport in
                let request = HTTPRequest(
                    method: "POST", url: server.url, headers: [HTTPHeader("X-Amz-Target", "T.Op")],
                    body: Array("hello".utf8))
                for _ in 0..<3 {
                    let answer = try await transport.send(request, timeout: .seconds(600))
                    #expect(answer.status == 201)
                    #expect(answer.header("X-a") == "1")
                    #expect(answer.body == Array("ok".utf8))
                }
                #expect(server.connections == 1)
                var received = server.requests.makeAsyncIterator()
                let text = try #require(await received.next())
                let host = try RequestAddress(server.url).host
                #expect(text.hasPrefix("POST / HTTP/1.1\r\n"))
                #expect(text.contains("X-Amz-Target: T.Op\r\n"))
                #expect(text.lowercased().components(of: "host: \(host)\r\n") == 1)
                #expect(text.hasSuffix("\r\n\r\nhello"))
            }
        }
    }

    @Test("follows no redirection")
    func redirection() async throws {
        try await RawServer.run(.answer("HTTP/1.1 302 Found\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n")) {
            server in
            try await withTransport { transport in
                let answer = try await transport.send(
                    HTTPRequest(method: "GET", url: server.url), timeout: .seconds(600))
                #expect(answer.status == 302)
                #expect(answer.header("location") == "/elsewhere")
            }
        }
    }

    @Test("ends at once when its task is cancelled")
    func cancellation() async throws {
        try await RawServer.run(.stall(after: "")) { server in
            try await withTransport { transport in
                let url = server.url
                let task = Task {
                    try await transport.send(HTTPRequest(method: "POST", url: url), timeout: .seconds(600))
                }
                var received = server.requests.makeAsyncIterator()
                _ = await received.next()
                task.cancel()
                await #expect(throws: CancellationError.self) { try await task.value }
            }
        }
    }

    @Test("a client of its own connections can be shut down, and refuses calls then")
    func shutdown() async throws {
        let client = try AWSClient(
            region: "r", endpoint: "http://127.0.0.1:1", credentials: CountedCredentials())
        try await client.shutdown()
        let error = await #expect(throws: AWSError.self) {
            try await DynamoDB(client).describeTable(DescribeTableRequest(tableName: "t"))
        }
        #expect(error?.code == .noAnswer)
        #expect(error?.mayHaveTakenEffect == false)
    }
}

extension String {
    /// How often it contains another text.
    fileprivate func components(of text: String) -> Int { ranges(of: text).count }
}
