import AsyncHTTPClient
import NIOCore
import Synchronization

/// The connections to webhooks, some of which stay open between deliveries.
///
/// A request must go to exactly the address that was checked. AsyncHTTPClient takes such an address for a client as a
/// whole, so there is one client for each host and address. Only one delivery at a time uses a client, which therefore
/// has at most one connection.
final class WebhookConnections: Sendable {
    /// Limits of kept connections.
    struct Limits: Sendable {
        /// The maximum number of connections that are kept; the least recently used are closed first.
        var count = 32
        /// The time after which an unused connection is closed.
        var idleTime: Duration = .seconds(30)
        /// The maximum length of an answer's body; a connection with a longer one is closed.
        var body = 64 << 10
        /// The time for the body to arrive after the head; a slower connection is closed.
        var bodyTime: Duration = .seconds(1)
    }

    /// A server, and the address of it that was checked.
    struct Destination: Sendable, Hashable {
        var url: WebhookURL.Origin
        var ip: String
    }

    private struct Kept {
        let client: HTTPClient
        let destination: Destination
        let lastUse: ContinuousClock.Instant
    }

    private struct State {
        /// By last use, the oldest first.
        var kept: [Kept] = []
        var isShutDown = false
    }

    private let connectTime: Duration
    private let limits: Limits
    private let state = Mutex(State())

    init(connectTime: Duration, limits: Limits) {
        self.connectTime = connectTime
        self.limits = limits
    }

    /// Closes the connections that are kept, and those in use when their deliveries end.
    func shutdown() async {
        let kept = state.withLock { state in
            defer { state = State(isShutDown: true) }
            return state.kept
        }
        for kept in kept { await Self.close(kept.client) }
    }

    /// Sends a request, and returns the head of the answer.
    ///
    /// If a kept connection fails before the answer, most likely because the target had closed it, the request is sent
    /// again on a new one. A target that gets it twice recognises it by its `webhook-id`.
    /// - Throws: An error of AsyncHTTPClient, which is `deadlineExceeded` if there was no answer in time.
    func send(
        _ request: HTTPClientRequest, to destination: Destination, until deadline: NIODeadline
    ) async throws -> HTTPClientResponse {
        if let client = await takeKept(for: destination) {
            do {
                return try await exchange(request, with: destination, on: client, until: deadline)
            } catch {
                if Task.isCancelled || error as? HTTPClientError == .deadlineExceeded { throw error }
            }
        }
        return try await exchange(request, with: destination, on: client(for: destination), until: deadline)
    }

    private func exchange(
        _ request: HTTPClientRequest, with destination: Destination, on client: HTTPClient, until deadline: NIODeadline
    ) async throws -> HTTPClientResponse {
        do {
            let response = try await client.execute(request, deadline: deadline)
            if await isRead(response.body) { await keep(client, for: destination) } else { await Self.close(client) }
            return response
        } catch {
            await Self.close(client)
            throw error
        }
    }

    private func client(for destination: Destination) -> HTTPClient {
        var configuration = HTTPClient.Configuration()
        configuration.httpVersion = .http1Only
        configuration.redirectConfiguration = .disallow
        configuration.timeout.connect = .init(connectTime)
        configuration.dnsOverride = [destination.url.host: destination.ip]
        configuration.connectionPool.idleTimeout = .init(limits.idleTime)
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 1
        configuration.connectionPool.retryConnectionEstablishment = false
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    /// Reads a body to its end, without which the connection has no next request; `false` if it is too long or too
    /// slow.
    private func isRead(_ body: HTTPClientResponse.Body) async -> Bool {
        await withTaskGroup(of: Bool.self) { [limits] group in
            group.addTask { (try? await body.collect(upTo: limits.body)) != nil }
            group.addTask {
                try? await Task.sleep(for: limits.bodyTime)
                return false
            }
            defer { group.cancelAll() }
            return await group.next() ?? false
        }
    }

    private func takeKept(for destination: Destination) async -> HTTPClient? {
        let found = state.withLock { state in
            state.kept.lastIndex { $0.destination == destination }.map { state.kept.remove(at: $0) }
        }
        guard let found else { return nil }
        // In a function that was suspended, no timer has closed the connection.
        if found.lastUse + limits.idleTime > .now { return found.client }
        await Self.close(found.client)
        return nil
    }

    private func keep(_ client: HTTPClient, for destination: Destination) async {
        let surplus = state.withLock { [limits] state in
            if state.isShutDown { return [client] }
            let now = ContinuousClock.now
            state.kept.append(Kept(client: client, destination: destination, lastUse: now))
            let expired = state.kept.prefix { $0.lastUse + limits.idleTime <= now }.count
            let surplus = state.kept.prefix(max(expired, state.kept.count - limits.count)).map(\.client)
            state.kept.removeFirst(surplus.count)
            return surplus
        }
        for client in surplus { await Self.close(client) }
    }

    private static func close(_ client: HTTPClient) async {
        // It fails only if the client is closed already.
        try? await client.shutdown()
    }
}
