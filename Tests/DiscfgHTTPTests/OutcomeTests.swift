import DiscfgCore
import DiscfgHTTP
import DiscfgTestSupport
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import Synchronization
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

    /// A store in which reads of a config's record fail once something was written: at once, or after some of them.
    private final class FailingReads: EngineWrapper {
        let engine: any StorageEngine = MemoryEngine()
        let error: any Error
        private let left: Mutex<Int>

        init(_ error: any Error, after count: Int = 0) {
            self.error = error
            left = Mutex(count)
        }

        func config(_ name: ConfigName) async throws -> ConfigRecord? {
            let isLast = left.withLock { left in
                left -= 1
                return left < 0
            }
            if isLast { throw error }
            return try await engine.config(name)
        }
    }

    @Test("A write that is cancelled after its first step is a 301, a read that is cancelled a 300")
    func cancelled() async throws {
        try await RESTFixture.with(engine: FailingReads(CancellationError())) { rest in
            let write = try await rest.send(.put, "/v1/team/cfg")
            #expect(write.status == 500 && write.errorCode == 301 && write.header("retry-after") == nil)
            let read = try await rest.send(.get, "/v1/team/cfg")
            #expect(read.status == 503 && read.errorCode == 300 && read.header("retry-after") == "1")
            #expect(try await rest.service.revision(of: ConfigName("team")) == 1, "the config was created")
        }
    }

    @Test("A config that was created or changed and cannot be read then is a 301", arguments: [false, true])
    func unreadable(isChange: Bool) async throws {
        let error = DiscfgError(.storeUnavailable, "The store is busy.", hint: "Try again.")
        try await RESTFixture.with(engine: FailingReads(error, after: isChange ? 2 : 0)) { rest in
            let name = try ConfigName("team")
            if isChange { _ = try await rest.service.createConfig(name, settings: ConfigSettings(), author: "") }
            let answer = try await rest.send(
                isChange ? .patch : .put, "/v1/team/cfg", isChange ? #"{"retention":{"revisions":5}}"# : "")
            #expect(answer.status == 500 && answer.errorCode == 301 && answer.header("retry-after") == nil)
            #expect(answer.json["message"]?.string?.contains("The store is busy.") == true, "\(answer.json)")
            #expect(try await rest.service.revision(of: name) == 1)
        }
    }

    /// A store whose log cannot be read once it was trimmed: at once, or after some reads.
    private final class FailingTails: EngineWrapper {
        let engine: any StorageEngine = MemoryEngine()
        private let left: Mutex<Int?> = Mutex(nil)
        private let count: Int

        init(after count: Int) { self.count = count }

        func trim(_ config: ConfigName, through: Revision, keepingSince moment: Timestamp) async throws -> Bool {
            left.withLock { $0 = count }
            return try await engine.trim(config, through: through, keepingSince: moment)
        }

        func tail(of config: ConfigName, knowing known: LogTail?) async throws -> LogTail {
            let isLast = left.withLock { left in
                left = left.map { $0 - 1 }
                return left.map { $0 < 0 } ?? false
            }
            if isLast { throw DiscfgError(.storeUnavailable, "The store is busy.", hint: "Try again.") }
            return try await engine.tail(of: config, knowing: known)
        }
    }

    @Test("A compaction after which the log cannot be read is a 301", arguments: [0, 1])
    func compaction(reads: Int) async throws {
        try await RESTFixture.with(engine: FailingTails(after: reads)) { rest in
            for text in ["1", "2"] { _ = try await rest.send(.put, "/v1/default/keys/a", text) }
            let answer = try await rest.send(.post, "/v1/default/compact", #"{"to":2}"#)
            #expect(answer.status == 500 && answer.errorCode == 301 && answer.header("retry-after") == nil)
            #expect(try await rest.service.info(of: .default).oldest == 2)
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
