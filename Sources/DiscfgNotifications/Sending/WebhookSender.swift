import AsyncHTTPClient
import DiscfgCore
import NIOCore
import NIOHTTP1
import NIOPosix

/// Sends notifications to addresses of HTTP, signed.
struct WebhookSender: Sendable {
    let policy: AddressPolicy
    /// How long a target may take to answer.
    var timeout: Duration = .seconds(10)

    /// - Throws: `DiscfgError` with code `forbidden` where the address is plain HTTP, or a private one written out.
    func check(_ url: String) throws(DiscfgError) {
        guard !policy.allowsPrivate else { return }
        let hint =
            "The sender can allow it: set DISCFG_ALLOW_PRIVATE_WEBHOOKS=1, or give --allow-private-webhooks to a command or server."
        guard url.hasPrefix("https://") else {
            throw DiscfgError(.forbidden, "A webhook to “\(Self.shown(url))” would not be encrypted.", hint: hint)
        }
        guard let place = Place(url) else {
            throw .invalid("The webhook's address has no host.", hint: "Write it as https://HOST/PATH.")
        }
        guard let address = try? SocketAddress(ipAddress: place.host, port: place.port) else { return }
        guard policy.allows(address) else {
            throw DiscfgError(.forbidden, "“\(place.host)” is an address of a private network.", hint: hint)
        }
    }

    func send(_ message: NotificationMessage, to url: String, secret: String) async throws {
        do throws(DiscfgError) { try check(url) } catch { throw DeliveryFailure(error.message) }
        guard let place = Place(url) else { throw DeliveryFailure("The webhook's address has no host.") }
        try await Self.within(timeout) { try await post(message, to: place, secret: secret) }
    }

    private func post(_ message: NotificationMessage, to place: Place, secret: String) async throws {
        let address = try await resolve(place)
        guard policy.allows(address) else {
            throw DeliveryFailure(
                "“\(place.host)” has an address of a private network, to which no webhook is sent without permission.")
        }
        var request = HTTPClientRequest(url: place.url)
        request.method = .POST
        request.headers.add(name: "Content-Type", value: CloudEvent.contentType)
        request.headers.add(name: "User-Agent", value: "discfg")
        let seconds = Int64(ContinuousClock.secondsSince1970)
        for field in WebhookSecret(secret).fields(id: "msg_\(message.id)", seconds: seconds, body: message.body) {
            request.headers.add(name: field.name, value: field.value)
        }
        request.body = .bytes(ByteBuffer(bytes: message.body))
        try await execute(request, at: place, address)
    }

    /// Sends the request to the address that was looked at, and to no other.
    private func execute(_ request: HTTPClientRequest, at place: Place, _ address: SocketAddress) async throws {
        var configuration = HTTPClient.Configuration()
        configuration.httpVersion = .http1Only
        configuration.redirectConfiguration = .disallow
        configuration.timeout.connect = .init(timeout)
        if let ip = address.ipAddress { configuration.dnsOverride = [place.host: ip] }
        configuration.connectionPool.retryConnectionEstablishment = false
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        let outcome: Result<HTTPClientResponse, any Error>
        do {
            outcome = .success(try await client.execute(request, deadline: .distantFuture))
        } catch {
            outcome = .failure(error)
        }
        // What the target says besides is nobody's business, and not waited for.
        try? await client.shutdown()
        switch outcome {
        case .success(let response): try Self.judge(response)
        case .failure(let error):
            try Task.checkCancellation()
            throw DeliveryFailure("The webhook at “\(place.host)” could not be reached: \(Self.reason(error)).")
        }
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
        case is IOError: "no connection, or it broke"
        default: "no answer (\(type(of: error)))"
        }
    }

    private func resolve(_ place: Place) async throws -> SocketAddress {
        if let address = try? SocketAddress(ipAddress: place.host, port: place.port) { return address }
        let failure = DeliveryFailure("There is no host “\(place.host)”, or it was not found in time.")
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let found = loop.makePromise(of: SocketAddress.self)
        // What looks it up cannot be cancelled, and may take longer than anybody wants to wait.
        let timer = loop.scheduleTask(in: .init(timeout)) { found.fail(failure) }
        defer { timer.cancel() }
        NIOThreadPool.singleton.runIfActive(eventLoop: loop) {
            try SocketAddress.makeAddressResolvingHost(place.host, port: place.port)
        }.cascade(to: found)
        do { return try await found.futureResult.get() } catch { throw failure }
    }

    private static func within<Value: Sendable>(
        _ limit: Duration, _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await withThrowingTaskGroup(of: Value.self) { group in
            group.addTask { try await body() }
            group.addTask {
                try await Task.sleep(for: limit)
                throw DeliveryFailure("The webhook did not answer within \(limit.components.seconds) s.")
            }
            defer { group.cancelAll() }
            guard let value = try await group.next() else { throw CancellationError() }
            return value
        }
    }

    /// The address without its path: there may be a secret in it.
    private static func shown(_ url: String) -> String {
        Place(url).map { "\(url.prefix { $0 != ":" })://\($0.host)" } ?? "the address"
    }
}

/// Host and port of an address.
private struct Place: Sendable {
    var host: String
    var port: Int
    /// The address, written so that everybody who reads it finds that very host: where two readings of it differ, what is
    /// connected to is not what was looked at.
    var url: String

    init?(_ url: String) {
        let isSecure = url.hasPrefix("https://")
        guard isSecure || url.hasPrefix("http://") else { return nil }
        let authority = url.dropFirst(isSecure ? 8 : 7).prefix { $0 != "/" && $0 != "?" }
        let isBracketed = authority.first == "["
        let end = isBracketed ? authority.firstIndex(of: "]") : authority.firstIndex(of: ":") ?? authority.endIndex
        guard let end else { return nil }
        host = String(isBracketed ? authority[..<end].dropFirst() : authority[..<end]).lowercased()
        let rest = authority[end...].drop { $0 == "]" }
        guard !host.isEmpty, host.utf8.allSatisfy({ isBracketed ? $0.isAddressCharacter : $0.isHostCharacter }),
            rest.isEmpty || rest.first == ":",
            let port = rest.isEmpty ? (isSecure ? 443 : 80) : UInt16(rest.dropFirst()).map(Int.init)
        else { return nil }
        self.port = port
        let (scheme, name) = (isSecure ? "https" : "http", isBracketed ? "[\(host)]" : host)
        self.url = "\(scheme)://\(name):\(port)\(url[authority.endIndex...])"
    }
}

extension UInt8 {
    fileprivate var isHostCharacter: Bool {
        switch self {
        case 0x30...0x39, 0x61...0x7A: true
        default: ".-_".utf8.contains(self)
        }
    }

    /// Of an address of IPv6.
    fileprivate var isAddressCharacter: Bool {
        switch self {
        case 0x30...0x3A, 0x61...0x66, 0x2E: true
        default: false
        }
    }
}

extension ContinuousClock {
    /// The wall clock's time.
    fileprivate static var secondsSince1970: Double { Double(TimeSource.system.now().milliseconds) / 1000 }
}
