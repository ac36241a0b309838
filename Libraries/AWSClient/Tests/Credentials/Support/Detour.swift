import AWSClient
import Synchronization

/// Sends what is for other hosts to one that a test runs, and remembers where it should have gone.
final class Detour: HTTPTransport {
    private let authority: String
    private let transport: any HTTPTransport
    private let log = Mutex<[String]>([])

    init(to authority: String, _ transport: any HTTPTransport) {
        self.authority = authority
        self.transport = transport
    }

    var urls: [String] { log.withLock { $0 } }

    func send(_ request: HTTPRequest, timeout: Duration) async throws -> HTTPResponse {
        log.withLock { $0.append(request.url) }
        var request = request
        let rest = request.url.split(separator: "://", maxSplits: 1).last ?? ""
        request.url = "http://\(authority)\(rest.drop { $0 != "/" })"
        return try await transport.send(request, timeout: timeout)
    }
}

/// Reaches nothing.
struct NoTransport: HTTPTransport {
    func send(_ request: HTTPRequest, timeout: Duration) async throws -> HTTPResponse {
        throw TransportError(mayHaveBeenSent: false, "no network in this test")
    }
}
