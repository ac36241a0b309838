import Crypto
import DiscfgCore
import Foundation
import NIOCore
import NIOHTTP1
import Testing

@testable import DiscfgNotifications

@Suite("Webhooks")
struct WebhookTests {
    private static let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

    private func message() throws -> NotificationMessage {
        NotificationMessage(
            id: "0123-r", kind: .commit, config: .default, revision: 7, time: Timestamp(milliseconds: 0),
            body: Array(#"{"value":"BODYSECRET ü"}"#.utf8))
    }

    /// Sends the message once, by a sender of its own.
    private func send(to url: String, timeout: Duration = .seconds(600)) async throws {
        try await WebhookSender.with(timeout: timeout) { sender in
            try await sender.send(message(), to: url, secret: Self.secret)
        }
    }

    /// Sends to a server that behaves so; returns how it refused, of which nothing secret may be told.
    private func refusal(
        _ behaviour: HostileServer.Behaviour, timeout: Duration = .seconds(600), scheme: String = "http"
    ) async throws -> DeliveryFailure {
        try await HostileServer.with(behaviour) { server in
            let url = "\(scheme)://127.0.0.1:\(server.port)/PATHSECRET/in?token=QUERYSECRET"
            let failure = await #expect(throws: DeliveryFailure.self) {
                try await send(to: url, timeout: timeout)
            }
            let reason = failure?.reason ?? ""
            #expect(!reason.isEmpty && !reason.contains("SECRET") && !reason.contains("whsec"), "\(reason)")
            #expect(!reason.contains("MfKQ9r8G") && !reason.contains("token") && !reason.contains("ANSWER"))
            return try #require(failure)
        }
    }

    @Test("What is sent is the event, as it is, with its type, and a signature that anybody can check")
    func success() async throws {
        try await HostileServer.with(.ok) { server in
            let before = Int64(Date().timeIntervalSince1970)
            try await send(to: "http://127.0.0.1:\(server.port)/in?a=b%20c")
            let request = try #require(server.requests.first)
            #expect(server.requests.count == 1 && request.head.method == .POST && request.head.uri == "/in?a=b%20c")
            let headers = request.head.headers
            #expect(headers["Content-Type"] == ["application/cloudevents+json; charset=utf-8"])
            #expect(headers["User-Agent"] == ["discfg"] && headers["Host"] == ["127.0.0.1:\(server.port)"])
            #expect(headers["webhook-id"] == ["msg_0123-r"])
            let body = try Data(#require(request.body).readableBytesView)
            #expect(try body == Data(message().body) && headers["Content-Length"] == ["\(body.count)"])

            let timestamp = try #require(headers["webhook-timestamp"].first)
            let seconds = try #require(Int64(timestamp))
            #expect(before <= seconds && seconds <= Int64(Date().timeIntervalSince1970))
            let key = try #require(Data(base64Encoded: String(Self.secret.dropFirst(6))))
            let signed = Data("msg_0123-r.\(timestamp).".utf8) + body
            let code = HMAC<SHA256>.authenticationCode(for: signed, using: SymmetricKey(data: key))
            #expect(headers["webhook-signature"] == ["v1,\(Data(code).base64EncodedString())"])
        }
    }

    @Test("Every status of 2xx is success, whatever is said besides", arguments: [200, 201, 202, 204, 299])
    func statuses(status: Int) async throws {
        let head = "HTTP/1.1 \(status) X\r\nContent-Length: \(status == 204 ? 0 : 1_000_000)\r\n\r\n"
        for behaviour in [HostileServer.Behaviour.write(head), .writeAndClose(head + "ANSWER")] {
            try await HostileServer.with(behaviour) { server in
                try await send(to: "http://127.0.0.1:\(server.port)")
                #expect(server.requests.map(\.head.uri) == ["/"])
            }
        }
    }

    @Test("Every other status is a failure that names it", arguments: [300, 304, 400, 401, 404, 410, 413, 500, 503])
    func refusals(status: Int) async throws {
        let failure = try await refusal(.write("HTTP/1.1 \(status) ANSWER\r\nContent-Length: 6\r\n\r\nANSWER"))
        #expect(failure.reason.hasPrefix("The webhook answered with status \(status)") && failure.retryAfter == nil)
    }

    @Test(
        "A target says for how long it wants to be left alone, up to an hour",
        arguments: [
            ("7", 7), ("0", 0), ("99999999", 3600), ("-5", 0), ("Wed, 21 Oct 2026 07:28:00 GMT", nil), ("x", nil),
        ])
    func retryAfter(text: String, seconds: Int?) async throws {
        for status in [429, 503] {
            let failure = try await refusal(
                .write("HTTP/1.1 \(status) ANSWER\r\nRetry-After: \(text)\r\nContent-Length: 0\r\n\r\n"))
            #expect(failure.retryAfter == seconds.map { .seconds($0) })
        }
    }

    @Test("A redirect is not followed, neither to another server nor to the same", arguments: [301, 302, 307, 308])
    func redirect(status: Int) async throws {
        try await HostileServer.with(.ok) { other in
            let location = "http://127.0.0.1:\(other.port)/ANSWER"
            let failure = try await refusal(
                .write("HTTP/1.1 \(status) X\r\nLocation: \(location)\r\nContent-Length: 0\r\n\r\n"))
            #expect(failure.reason == "The webhook answered with status \(status); redirects are not followed.")
            #expect(other.connectionCount == 0)
        }
    }

    @Test("No answer, and one that never comes to an end, is waited for as long as the limit says")
    func silence() async throws {
        let never: [HostileServer.Behaviour] = [
            .silence, .write("HTTP/1.1 200 OK\r\nX-ANSWER: "), .write("HTTP/1.1 100 Continue\r\n\r\n"),
        ]
        for behaviour in never {
            let failure = try await refusal(behaviour, timeout: .milliseconds(300))
            #expect(failure.reason == "The webhook did not answer within 0 s.")
        }
    }

    @Test("A body without end is not read: the status decides")
    func endless() async throws {
        let chunk = "10000\r\n\(String(repeating: "x", count: 65_536))\r\n"
        func head(_ status: Int) -> String { "HTTP/1.1 \(status) X\r\nTransfer-Encoding: chunked\r\n\r\n" }
        let failure = try await refusal(.endless(head(500), chunk))
        #expect(failure.reason == "The webhook answered with status 500.")
        try await HostileServer.with(.endless(head(200), chunk)) { server in
            try await send(to: "http://127.0.0.1:\(server.port)/")
        }
        _ = try await refusal(.endless("HTTP/1.1 200 OK\r\n", "X-ANSWER: \(String(repeating: "y", count: 1000))\r\n"))
    }

    @Test("A connection that breaks, half an answer, and what is no HTTP at all are failures")
    func broken() async throws {
        let broken: [HostileServer.Behaviour] = [
            .close, .writeAndClose(""), .writeAndClose("HTTP/1.1 200 OK\r\nContent-Le"), .writeAndClose("HTTP/1.1"),
            .write("ANSWER\r\n\r\n"), .writeBytes([0, 1, 2, 0xFF, 0x0D, 0x0A, 0x0D, 0x0A]),
            .write("HTTP/1.1 99999 X\r\n\r\n"), .write("HTTP/1.1 200 OK\r\nContent-Length: -7\r\n\r\n"),
            // What a server of TLS says to plain HTTP.
            .writeBytes([0x15, 3, 3, 0, 2, 2, 0x46]),
        ]
        for behaviour in broken {
            // The last of them may leave the client waiting for more.
            let failure = try await refusal(behaviour, timeout: .seconds(2))
            #expect(failure.reason.hasPrefix("The webhook "))
        }
    }

    @Test("A server that does not speak TLS where it should, and a port where nobody listens, are failures")
    func unreachable() async throws {
        let plain = try await refusal(.ok, scheme: "https")
        #expect(plain.reason.hasPrefix("The webhook at “127.0.0.1” could not be reached: "))
        let closed = await #expect(throws: DeliveryFailure.self) {
            try await send(to: "http://127.0.0.1:1/PATHSECRET")
        }
        #expect(closed?.reason.hasPrefix("The webhook at “127.0.0.1” could not be reached: no connection") == true)
        let unknown = await #expect(throws: DeliveryFailure.self) {
            try await send(to: "https://nowhere.invalid/PATHSECRET")
        }
        #expect(unknown?.reason.hasPrefix("There is no host “nowhere.invalid”") == true)
    }

    @Test("Whoever cancels does not wait for the target")
    func cancelled() async throws {
        try await HostileServer.with(.silence) { server in
            let task = Task {
                try await send(to: "http://127.0.0.1:\(server.port)/")
            }
            try await eventually { server.requests.count == 1 }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        }
    }
}
