import AsyncHTTPClient
import DiscfgCore
import DiscfgFormats
import DiscfgHTTP
import DiscfgTestSupport
import DiscfgYAML
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import NIOHTTP1
import Testing

/// A server on an empty memory store, asked through the responder alone or over a socket.
struct RESTFixture: Sendable {
    /// Asks the responder alone; over a socket only its `port` is used, because its requests fail after 15 seconds.
    let client: any TestClientProtocol
    let sockets: HTTPClient
    let service: ConfigService

    /// Both ways to ask: the answers must be the same.
    static let transports: [Transport] = [.responder, .socket]

    enum Transport: Sendable, CaseIterable {
        case responder, socket
    }

    static func with(
        _ transport: Transport = .responder, access: AccessPolicy = .unchecked,
        engine: any StorageEngine = MemoryEngine(), limits: RequestLimits = RequestLimits(),
        patience: TimeAmount = StalledReader.standardPatience, yaml: YAMLReader = .yams,
        _ body: @escaping @Sendable (RESTFixture) async throws -> Void
    ) async throws {
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let registry = PrometheusRegistry()
        let time = TestClock().steadySource
        let service = ConfigService(
            engine: engine, options: .init(time: time, metricsFactory: registry), logger: logger)
        var options = DiscfgResponder.Options(access: access, registry: registry, time: time, yaml: yaml)
        options.limits = limits
        let responder = DiscfgResponder(store: service, options: options, logger: logger)
        let application = Application(
            responder: responder,
            server: .http1(
                configuration: .init(
                    additionalChannelHandlers: [
                        ConnectionMonitor(pace: limits.pace), StalledReader(patience: patience),
                    ])),
            configuration: .init(address: .hostname("127.0.0.1", port: 0)), logger: logger)
        try await run(application, service, transport, body)
    }

    /// Runs a test on an application.
    static func run(
        _ application: some ApplicationProtocol, _ service: ConfigService, _ transport: Transport,
        _ body: @escaping @Sendable (RESTFixture) async throws -> Void
    ) async throws {
        try await application.test(transport == .responder ? .router : .ahc()) { client in
            let sockets = HTTPClient(eventLoopGroupProvider: .singleton)
            do {
                try await body(RESTFixture(client: client, sockets: sockets, service: service))
            } catch {
                try await sockets.shutdown()
                throw error
            }
            try await sockets.shutdown()
        }
    }

    /// Sends a request.
    func send(
        _ method: HTTPRequest.Method, _ uri: String, _ body: String? = nil, headers: [String: String] = [:]
    ) async throws -> Answer {
        guard let port = client.port else {
            var fields: HTTPFields = [:]
            for (name, value) in headers { fields[try #require(HTTPField.Name(name))] = value }
            let response = try await client.executeRequest(
                uri: uri, method: method, headers: fields, body: body.map { ByteBuffer(string: $0) })
            return Answer(response)
        }
        var request = HTTPClientRequest(url: "http://localhost:\(port)\(uri)")
        request.method = HTTPMethod(rawValue: method.rawValue)
        request.headers = HTTPHeaders(headers.map { ($0.key, $0.value) })
        request.body = body.map { .bytes(ByteBuffer(string: $0)) }
        // Without a limit of time: the machine may be busy with other work.
        let response = try await sockets.execute(request, deadline: .distantFuture)
        return try await Answer(response)
    }

    /// What came back.
    struct Answer: Sendable {
        let status: Int
        private(set) var headers: HTTPFields
        let text: String

        init(_ response: TestResponse) {
            status = response.status.code
            headers = response.headers
            text = String(buffer: response.body)
        }

        init(_ response: HTTPClientResponse) async throws {
            status = Int(response.status.code)
            headers = HTTPFields()
            for (name, value) in response.headers {
                headers.append(HTTPField(name: try #require(HTTPField.Name(name)), value: value))
            }
            text = String(buffer: try await response.body.collect(upTo: .max))
        }

        /// The body as JSON; `null` when it is none.
        var json: JSONValue { (try? JSONValue(parsing: text)) ?? .null }
        /// The number of the error, when it is one.
        var errorCode: Int64? { json["errorCode"]?.integer }
        /// A header's text.
        func header(_ name: String) -> String? { HTTPField.Name(name).flatMap { headers[$0] } }
    }
}
