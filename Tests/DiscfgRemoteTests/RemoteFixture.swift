import DiscfgCore
import DiscfgEtcd
import DiscfgHTTP
import DiscfgRemote
import DiscfgTestSupport
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import Synchronization
import Testing

/// A server that listens on a socket, and engines on it.
enum RemoteFixture {
    static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    /// A clock that is ahead of every time that the conformance suites write.
    static let serverTime: TimeSource = {
        var time = TimeSource.system
        time.now = { Timestamp(milliseconds: 4_000_000_000_000) }
        return time
    }()

    /// How a server answers that is not as it should be.
    enum Loss: CaseIterable, Sendable {
        /// The call is carried out, and a proxy answers in place of the server.
        case replaced
        /// The call is carried out, and the connection breaks within the answer.
        case broken
    }

    /// The losses that are due: for each call a number of answers.
    final class Losses: Sendable {
        private let due = Mutex<(call: String, loss: Loss, count: Int)?>(nil)

        func lose(_ count: Int, answersTo call: String, _ loss: Loss) {
            due.withLock { $0 = (call, loss, count) }
        }

        fileprivate func take(_ path: String) -> Loss? {
            due.withLock { due in
                guard let found = due, found.count > 0, path.hasSuffix("/" + found.call) else { return nil }
                due?.count -= 1
                return found.loss
            }
        }
    }

    /// The real responder, behind which answers get lost.
    private struct LossyResponder: HTTPResponder {
        let responder: DiscfgResponder
        let losses: Losses
        let caller: Caller?

        func respond(to request: Request, context: DiscfgResponder.Context) async throws -> Response {
            let context = caller.map { .init(fromGateway: $0, logger: RemoteFixture.logger) } ?? context
            let response = try await responder.respond(to: request, context: context)
            switch losses.take(request.uri.path) {
            case nil: return response
            case .replaced: return Response(status: .badGateway)
            case .broken:
                struct Broken: Error {}
                return Response(status: .ok, body: ResponseBody(contentLength: 100) { _ in throw Broken() })
            }
        }
    }

    /// Runs a server on an engine as long as `body` runs, which gets the server's port and service.
    ///
    /// - Parameters:
    ///   - port: 0 for a free one.
    ///   - asStore: Whether the server can be the store of others.
    ///   - caller: The caller that something before the server has proven.
    static func serving(
        _ engine: any StorageEngine, port: Int = 0, asStore: Bool = true, time: TimeSource = .system,
        losses: Losses = Losses(), caller: Caller? = nil, limits: RequestLimits = RequestLimits(),
        _ body: @escaping @Sendable (Int, ConfigService) async throws -> Void
    ) async throws {
        let service = ConfigService(engine: engine, options: .init(time: time), logger: logger)
        try await serving(
            service, port: port, asStore: asStore, losses: losses, caller: caller, limits: limits
        ) { try await body($0, service) }
    }

    /// Runs a server on a service as long as `body` runs, with etcd's APIs.
    static func serving(
        _ service: ConfigService, port: Int = 0, asStore: Bool = true, losses: Losses = Losses(),
        caller: Caller? = nil, limits: RequestLimits = RequestLimits(),
        _ body: @escaping @Sendable (Int) async throws -> Void
    ) async throws {
        let etcd = EtcdAPI(
            store: service, config: .default, identity: EtcdIdentity(clusterID: 7, memberID: 8, name: "test"),
            options: .init(), logger: logger)
        var options = DiscfgResponder.Options(etcd: EtcdOptions(etcd), engine: asStore ? service : nil)
        options.limits = limits
        let responder = LossyResponder(
            responder: DiscfgResponder(store: service, options: options, logger: logger), losses: losses, caller: caller
        )
        let (ports, bound) = AsyncStream.makeStream(of: Int.self)
        let application = Application(
            responder: responder,
            server: .http1(configuration: .init(additionalChannelHandlers: [ConnectionMonitor()])),
            configuration: .init(address: .hostname("127.0.0.1", port: port)),
            onServerRunning: { bound.yield($0.localAddress?.port ?? 0) }, logger: logger)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                defer { bound.finish() }
                try await application.run()
            }
            defer { group.cancelAll() }
            let port = try #require(await ports.first { _ in true })
            try await body(port)
        }
    }

    /// Runs `body` with an engine on the server at a port.
    static func remote<Result>(_ port: Int, _ body: (RemoteEngine) async throws -> Result) async throws -> Result {
        let engine = try RemoteEngine(url: "http://127.0.0.1:\(port)", logger: logger)
        do {
            let result = try await body(engine)
            try await engine.shutdown()
            return result
        } catch {
            try await engine.shutdown()
            throw error
        }
    }

    /// A service as an agent has it.
    static func agent(_ engine: RemoteEngine, _ clock: TestClock? = nil) -> ConfigService {
        var time = TimeSource.system
        if let clock { time.instant = { clock.instant } }
        return ConfigService(
            engine: engine, options: .init(administration: engine, time: time, viewMemory: 64 << 20),
            logger: logger)
    }
}
