import DiscfgCore
import DiscfgEtcd
import DiscfgHTTP
import DiscfgTestSupport
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import Testing

/// A server with etcd's APIs on an empty memory store.
struct EtcdV2Fixture: Sendable {
    let rest: RESTFixture
    let clock: TestClock
    let config: ConfigName

    var service: ConfigService { rest.service }

    /// The port that it listens on, where it does.
    var port: Int { get throws { try #require(rest.client.port) } }

    static func with(
        _ transport: RESTFixture.Transport = .responder, config: ConfigName = .default,
        access: AccessPolicy = .unchecked, engine: any StorageEngine = MemoryEngine(),
        limits: RequestLimits = RequestLimits(), _ body: @escaping @Sendable (EtcdV2Fixture) async throws -> Void
    ) async throws {
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let clock = TestClock()
        let service = ConfigService(
            engine: engine, options: .init(time: clock.steadySource), logger: logger)
        let etcd = EtcdAPI(
            store: service, config: config, identity: EtcdIdentity(clusterID: 7, memberID: 8, name: "test"),
            options: .init(time: clock.steadySource), logger: logger)
        var options = DiscfgResponder.Options(
            access: access, time: clock.steadySource, etcd: EtcdOptions(etcd))
        options.limits = limits
        let application = Application(
            responder: DiscfgResponder(store: service, options: options, logger: logger),
            server: .http1(configuration: .init(additionalChannelHandlers: [ConnectionMonitor()])),
            configuration: .init(address: .hostname("127.0.0.1", port: 0)), logger: logger)
        try await RESTFixture.run(application, service, transport) { rest in
            try await body(EtcdV2Fixture(rest: rest, clock: clock, config: config))
        }
    }

    /// Sends a request for a key; a form goes as body.
    func send(
        _ method: HTTPRequest.Method, _ path: String, _ form: String? = nil, headers: [String: String] = [:]
    ) async throws -> RESTFixture.Answer {
        var headers = headers
        if form != nil, headers["Content-Type"] == nil {
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        }
        return try await rest.send(method, path, form, headers: headers)
    }

    /// Waits until so many watch.
    func waitForWatchers(_ count: Int) async throws {
        try await wait { try await send(.get, "/v2/stats/store").json["watchers"]?.integer == Int64(count) }
    }

    /// Waits until a condition holds; a test that waits in vain ends by its time limit.
    func wait(until condition: () async throws -> Bool) async throws {
        // What is awaited shows only in an answer of the server, which cannot call back: it is asked again.
        while try await !condition() { try await Task.sleep(for: .milliseconds(5)) }
    }
}
