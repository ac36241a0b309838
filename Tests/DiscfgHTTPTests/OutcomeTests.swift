import DiscfgCore
import DiscfgHTTP
import DiscfgTestSupport
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import Testing

@Suite("Writes whose outcome is unknown")
struct OutcomeTests {
    /// An engine of which every append ends that way.
    private static func engine(_ fault: FaultyEngine.Fault) -> FaultyEngine {
        FaultyEngine(MemoryEngine(), plan: .init([fault], percentage: 100, maximumInARow: .max, seed: 1))
    }

    @Test("An unknown outcome is a 500 without Retry-After, whatever the request")
    func unknown() async throws {
        try await RESTFixture.with(engine: Self.engine(.lostRequest)) { rest in
            let answers = [
                try await rest.send(.put, "/v1/default/keys/a", "1"),
                try await rest.send(.post, "/v1/default/txn", #"{"then":[{"set":"/a","value":"1"}]}"#),
                try await rest.send(.put, "/v1/default/import?as=json", #"{"a":1}"#),
            ]
            for answer in answers {
                #expect(answer.status == 500 && answer.errorCode == 301)
                #expect(answer.header("retry-after") == nil)
            }
        }
    }

    /// A store of a server that stops: reads of a config's record are cancelled.
    private struct StoppingEngine: EngineWrapper {
        let engine: any StorageEngine = MemoryEngine()

        func config(_ name: ConfigName) async throws -> ConfigRecord? { throw CancellationError() }
    }

    @Test("A write that is cancelled after its first step is a 301, a read that is cancelled a 300")
    func cancelled() async throws {
        try await RESTFixture.with(engine: StoppingEngine()) { rest in
            let write = try await rest.send(.put, "/v1/team/cfg")
            #expect(write.status == 500 && write.errorCode == 301 && write.header("retry-after") == nil)
            let read = try await rest.send(.get, "/v1/team/cfg")
            #expect(read.status == 503 && read.errorCode == 300 && read.header("retry-after") == "1")
            #expect(try await rest.service.revision(of: ConfigName("team")) == 1, "the config was created")
        }
    }

    @Test("A write that was not carried out is a 503 with Retry-After")
    func refused() async throws {
        try await RESTFixture.with(engine: Self.engine(.refusal)) { rest in
            let answer = try await rest.send(.put, "/v1/default/keys/a", "1")
            #expect(answer.status == 503 && answer.errorCode == 300 && answer.header("retry-after") == "1")
        }
    }

    @Test("etcd's clients are told what etcd tells them, without Retry-After")
    func etcd() async throws {
        try await EtcdV2Fixture.with(engine: Self.engine(.lostRequest)) { etcd in
            let v2 = try await etcd.send(.put, "/v2/keys/a", "value=1")
            #expect(v2.status == 500 && v2.errorCode == 300 && v2.header("retry-after") == nil)
            let v3 = try await etcd.put("YQ==", "MQ==")
            #expect(v3.status == 503 && v3.json["code"]?.integer == 14 && v3.header("retry-after") == nil)
            #expect(v3.json["error"] == "etcdserver: request timed out")
        }
    }

    /// Notifications whose targets refuse everything.
    private struct RefusedNotifications: NotificationStore {
        private let refusal = DiscfgError(.deliveryFailed, "The target answered 410.", hint: "Fix the target.")

        func notifications(of config: ConfigName) async throws -> [NotificationStatus] { throw refusal }
        func addNotification(_ rule: NotificationRule, to config: ConfigName) async throws -> NotificationRule {
            throw refusal
        }
        func removeNotification(_ id: String, from config: ConfigName) async throws { throw refusal }
        func testNotification(_ id: String, in config: ConfigName) async throws { throw refusal }
        func replayNotifications(_ id: String, in config: ConfigName) async throws -> NotificationReplay {
            throw refusal
        }
    }

    @Test("A target that refuses is no error of the server, and its log line has no empty cause")
    func refusedTest() async throws {
        let log = LogCapture()
        let store = ConfigService(engine: MemoryEngine(), logger: log.logger)
        let responder = DiscfgResponder(
            store: store, options: .init(notifications: RefusedNotifications()), logger: log.logger)
        let head = HTTPRequest(
            method: .post, scheme: "http", authority: "127.0.0.1", path: "/v1/default/notifications/x/test")
        let answer = try await responder.respond(
            to: Request(head: head, body: RequestBody(buffer: ByteBuffer())),
            context: DiscfgRequestContext(fromGateway: nil, logger: log.logger))
        #expect(answer.status == .badGateway)
        let line = log.lines.first { $0.message == "request failed" }
        #expect(line?.level == .info && line?.metadata["error.cause"] == nil, "\(log.lines)")
    }
}
