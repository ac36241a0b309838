import DiscfgCore
import DiscfgEtcd
import DiscfgHTTP
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import Testing

/// A caller as a request has it, and the author that its commits must have.
struct CallerCase: Sendable, CustomTestStringConvertible {
    let proven: Caller?
    let claim: String?
    let author: String

    /// Behind an authenticated gateway, and without one.
    static let all = [
        CallerCase(proven: Caller("user/alice", provenBy: .gateway), claim: "boss", author: "user/alice"),
        CallerCase(proven: Caller("user/alice", provenBy: .gateway), claim: "%zz", author: "user/alice"),
        CallerCase(proven: nil, claim: "Zo%C3%AB%20B", author: "Zoë B"),
        CallerCase(proven: nil, claim: nil, author: ""),
    ]

    var testDescription: String { "\(proven?.name ?? "nobody"), claiming \(claim ?? "nothing")" }
}

@Suite("The author of a commit is the caller")
struct CallerTests {
    /// A responder on an empty store, asked as a gateway does.
    private struct World {
        let caller: CallerCase
        let service: ConfigService
        let responder: DiscfgResponder
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

        init(_ caller: CallerCase) {
            self.caller = caller
            service = ConfigService(engine: MemoryEngine(), logger: logger)
            let api = EtcdAPI(
                store: service, config: .default, identity: EtcdIdentity(clusterID: 7, memberID: 8, name: "test"),
                logger: logger)
            responder = DiscfgResponder(store: service, options: .init(etcd: EtcdOptions(api)), logger: logger)
        }

        /// Sends a request that must succeed; returns the JSON of its answer.
        @discardableResult
        func send(
            _ method: HTTPRequest.Method, _ path: String, _ body: String = "", type: String = "application/json"
        ) async throws -> JSONValue {
            let (status, text) = try await answer(method, path, body, type: type)
            #expect((200..<300).contains(status), "\(method) \(path): \(status) \(text)")
            return (try? JSONValue(parsing: text)) ?? .null
        }

        func answer(
            _ method: HTTPRequest.Method, _ path: String, _ body: String, type: String
        ) async throws -> (status: Int, text: String) {
            var fields: HTTPFields = [.contentType: type, .contentLength: String(body.utf8.count)]
            if let claim = caller.claim, let name = HTTPField.Name("X-Discfg-Author") { fields[name] = claim }
            let head = HTTPRequest(
                method: method, scheme: "https", authority: "127.0.0.1", path: path, headerFields: fields)
            let response = try await responder.respond(
                to: Request(head: head, body: RequestBody(buffer: ByteBuffer(string: body))),
                context: DiscfgRequestContext(fromGateway: caller.proven, logger: logger))
            let collected = Collected()
            try await response.body.write(collected)
            return (response.status.code, String(buffer: collected.buffer))
        }

        /// Checks that so many commits were made after the first, all by the caller.
        func expectCommits(_ count: Int) async throws {
            let commits = try await service.changes(ChangesQuery(after: 1), in: .default).commits
            #expect(commits.map(\.author) == Array(repeating: caller.author, count: count))
        }
    }

    private final class Collected: ResponseBodyWriter {
        var buffer = ByteBuffer()

        func write(_ buffer: ByteBuffer) async throws { self.buffer.writeImmutableBuffer(buffer) }
        func finish(_ trailingHeaders: HTTPFields?) async throws {}
    }

    @Test("of REST", arguments: CallerCase.all)
    func rest(caller: CallerCase) async throws {
        let world = World(caller)
        try await world.send(.put, "/v1/default/keys/a", "1")
        try await world.send(.patch, "/v1/default/keys/b", #"{"c":1}"#)
        try await world.send(.delete, "/v1/default/keys/a")
        try await world.send(.delete, "/v1/default/keys/?recursive")
        try await world.send(.post, "/v1/default/txn", #"{"then":[{"set":"/t","value":"1"}]}"#)
        try await world.send(.post, "/v1/default/rollback", #"{"to":3}"#)
        try await world.send(.put, "/v1/default/import?as=json", #"{"k":1}"#)
        try await world.expectCommits(7)
        try await world.send(.put, "/v1/team/cfg")
        let team = try await world.service.changes(ChangesQuery(after: 0), in: ConfigName("team")).commits
        #expect(team.map(\.author) == [caller.author])
    }

    @Test("of etcd's v2 API", arguments: CallerCase.all)
    func etcdV2(caller: CallerCase) async throws {
        let world = World(caller)
        let form = "application/x-www-form-urlencoded"
        try await world.send(.put, "/v2/keys/a", "value=1", type: form)
        try await world.send(.put, "/v2/keys/a?prevValue=1", "value=2", type: form)
        try await world.send(.post, "/v2/keys/queue", "value=1", type: form)
        try await world.send(.delete, "/default/v2/keys/a")
        try await world.expectCommits(4)
    }

    @Test("of etcd's v3 API", arguments: CallerCase.all)
    func etcdV3(caller: CallerCase) async throws {
        let world = World(caller)
        try await world.send(.post, "/v3/kv/put", #"{"key":"YQ==","value":"MQ=="}"#)
        try await world.send(.post, "/default/v3/kv/deleterange", #"{"key":"YQ=="}"#)
        try await world.send(
            .post, "/v3/kv/txn", #"{"success":[{"requestPut":{"key":"Yg==","value":"MQ=="}}]}"#)
        try await world.send(.post, "/v3/lease/grant", #"{"ID":1,"TTL":60}"#)
        try await world.send(.post, "/v3/kv/put", #"{"key":"Yw==","value":"MQ==","lease":1}"#)
        try await world.send(.post, "/v3/lease/revoke", #"{"ID":1}"#)
        try await world.expectCommits(5)
    }

    @Test("of locks and elections", arguments: CallerCase.all)
    func coordination(caller: CallerCase) async throws {
        let world = World(caller)
        try await world.send(.post, "/v3/lock/lock", #"{"name":"bA=="}"#)
        try await world.send(.post, "/v3/lease/grant", #"{"ID":2,"TTL":60}"#)
        let campaign = #"{"name":"ZQ==","lease":2,"value":"MQ=="}"#
        let leader = try await world.send(.post, "/v3/election/campaign", campaign)["leader"]?.text ?? ""
        try await world.send(.post, "/v3/election/proclaim", #"{"leader":\#(leader),"value":"Mg=="}"#)
        try await world.send(.post, "/v3/election/resign", #"{"leader":\#(leader)}"#)
        try await world.send(.post, "/v3/lease/grant", #"{"ID":3,"TTL":60}"#)
        try await world.send(.post, "/v3/lock/lock", #"{"name":"bQ==","lease":3}"#)
        try await world.send(.post, "/v3/lock/unlock", #"{"key":"bS8z"}"#)
        try await world.expectCommits(6)
    }

    @Test("A claim that is not percent-encoded text is refused by every API, of reads too")
    func malformed() async throws {
        let world = World(CallerCase(proven: nil, claim: "%zz", author: ""))
        for (method, path, body) in [
            (HTTPRequest.Method.get, "/v1/cfgs", ""), (.put, "/v1/default/keys/a", "1"), (.get, "/v2/keys/", ""),
            (.post, "/v3/kv/put", #"{"key":"YQ==","value":"MQ=="}"#),
        ] {
            let (status, text) = try await world.answer(method, path, body, type: "text/plain")
            #expect(status == 400, "\(path): \(text)")
        }
        try await world.expectCommits(0)
    }
}
