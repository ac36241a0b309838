import AsyncHTTPClient
import DiscfgCore
import NIOCore
import NIOHTTP1
import NIOPosix

/// Sends notifications as signed POST requests.
struct WebhookSender: Sendable {
    /// Finds the address of a host; blocks.
    typealias LookUp = @Sendable (_ host: String, _ port: Int) throws -> SocketAddress

    static let systemLookUp: LookUp = { host, port in try SocketAddress.makeAddressResolvingHost(host, port: port) }

    private let policy: AddressPolicy
    private let timeout: Duration
    private let connections: WebhookConnections
    private let lookUp: LookUp

    /// - Parameters:
    ///   - policy: The addresses to which webhooks may be sent.
    ///   - timeout: How long a target may take to answer.
    ///   - limits: The limits of the connections that stay open.
    ///   - lookUp: Finds the address of a host.
    init(
        policy: AddressPolicy, timeout: Duration = .seconds(10), limits: WebhookConnections.Limits = .init(),
        lookUp: @escaping LookUp = WebhookSender.systemLookUp
    ) {
        self.policy = policy
        self.timeout = timeout
        self.lookUp = lookUp
        connections = WebhookConnections(connectTime: timeout, limits: limits)
    }

    /// - Throws: `DiscfgError` with code `forbidden` if the URL is plain HTTP, or has a private address as host.
    func check(_ text: String) throws(DiscfgError) {
        guard !policy.allowsPrivate else { return }
        let hint =
            "The sender can allow it: set DISCFG_ALLOW_PRIVATE_WEBHOOKS=1, or give --allow-private-webhooks to a command or server."
        guard text.hasPrefix("https://") else {
            throw DiscfgError(.forbidden, "A webhook to “\(Self.shown(text))” would not be encrypted.", hint: hint)
        }
        guard let url = WebhookURL(text) else {
            throw .invalid("The webhook's address has no host.", hint: "Write it as https://HOST/PATH.")
        }
        guard let address = try? SocketAddress(ipAddress: url.host, port: url.port) else { return }
        guard policy.allows(address) else {
            throw DiscfgError(.forbidden, "“\(url.host)” is an address of a private network.", hint: hint)
        }
    }

    /// Closes the connections; must be called before the sender is released.
    func shutdown() async { await connections.shutdown() }

    func send(_ message: NotificationMessage, to text: String, secret: String) async throws {
        do throws(DiscfgError) { try check(text) } catch { throw DeliveryFailure(error.message) }
        guard let url = WebhookURL(text) else { throw DeliveryFailure("The webhook's address has no host.") }
        let deadline = NIODeadline.now() + .init(timeout)
        let destination = try await destination(of: url, until: deadline)
        let response: HTTPClientResponse
        do {
            response = try await connections.send(
                request(message, to: url, secret: secret), to: destination, until: deadline)
        } catch {
            try Task.checkCancellation()
            if error as? HTTPClientError == .deadlineExceeded {
                throw DeliveryFailure("The webhook did not answer within \(timeout.components.seconds) s.")
            }
            throw DeliveryFailure("The webhook at “\(url.host)” could not be reached: \(Self.reason(error)).")
        }
        try Self.judge(response)
    }

    private func request(_ message: NotificationMessage, to url: WebhookURL, secret: String) -> HTTPClientRequest {
        var request = HTTPClientRequest(url: url.text)
        request.method = .POST
        request.headers.add(name: "Content-Type", value: CloudEvent.contentType)
        request.headers.add(name: "User-Agent", value: "discfg")
        let seconds = Int64(ContinuousClock.secondsSince1970)
        for field in WebhookSecret(secret).fields(id: "msg_\(message.id)", seconds: seconds, body: message.body) {
            request.headers.add(name: field.name, value: field.value)
        }
        request.body = .bytes(ByteBuffer(bytes: message.body))
        return request
    }

    /// The address of a URL's host, which is looked up and checked for each delivery.
    private func destination(
        of url: WebhookURL, until deadline: NIODeadline
    ) async throws -> WebhookConnections.Destination {
        let address = try await resolve(url, until: deadline)
        guard policy.allows(address), let ip = address.ipAddress else {
            throw DeliveryFailure(
                "“\(url.host)” has an address of a private network, and webhooks to such addresses are not allowed.")
        }
        return .init(url: url.origin, ip: ip)
    }

    private static func judge(_ response: HTTPClientResponse) throws {
        let code = response.status.code
        if (200..<300).contains(code) { return }
        let retryAfter = response.headers.first(name: "Retry-After").flatMap { Int64($0) }.map { max(0, min($0, 3600)) }
        let addition = (300..<400).contains(code) ? "; redirects are not followed" : ""
        throw DeliveryFailure(
            "The webhook answered with status \(code)\(addition).", retryAfter: retryAfter.map { .seconds($0) })
    }

    private static func reason(_ error: any Error) -> String {
        switch error {
        case let error as HTTPClientError: error.shortDescription
        case is NIOConnectionError: "no connection"
        case is IOError: "no connection, or it was lost"
        default: "no answer (\(type(of: error)))"
        }
    }

    private func resolve(_ url: WebhookURL, until deadline: NIODeadline) async throws -> SocketAddress {
        if let address = try? SocketAddress(ipAddress: url.host, port: url.port) { return address }
        let failure = DeliveryFailure("There is no host “\(url.host)”, or it was not found in time.")
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let found = loop.makePromise(of: SocketAddress.self)
        // A lookup cannot be cancelled, and may take longer than the deadline.
        let timer = loop.scheduleTask(deadline: deadline) { found.fail(failure) }
        defer { timer.cancel() }
        NIOThreadPool.singleton.runIfActive(eventLoop: loop) { [lookUp] in try lookUp(url.host, url.port) }
            .cascade(to: found)
        do { return try await found.futureResult.get() } catch { throw failure }
    }

    /// The URL without its path, which may contain a secret.
    private static func shown(_ text: String) -> String {
        WebhookURL(text).map { "\(text.prefix { $0 != ":" })://\($0.host)" } ?? "the address"
    }
}

extension ContinuousClock {
    /// The time of the wall clock.
    fileprivate static var secondsSince1970: Double { Double(TimeSource.system.now().milliseconds) / 1000 }
}
