import DiscfgCore
import DiscfgEtcd
import DiscfgFormats
import DiscfgTestSupport
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import Synchronization
import Testing

@testable import DiscfgHTTP

@Suite("What a stream may hold")
struct StreamMemoryTests {
    private static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    /// What was written, with the bytes that the budget held meanwhile.
    private final class Written: Sendable {
        let writes = Mutex<[(size: Int, held: Int)]>([])
    }

    private struct End: Error {}

    /// Ends its stream with the write of that number.
    private struct RecordingWriter: ResponseBodyWriter {
        let written: Written
        let budget: MemoryBudget
        let last: Int

        mutating func write(_ buffer: ByteBuffer) async throws {
            let count = written.writes.withLock { writes in
                writes.append((buffer.readableBytes, budget.held))
                return writes.count
            }
            if count == last { throw End() }
        }

        consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
    }

    /// A service whose log has ten commits of 400,000 bytes, and the budget of its answers.
    private static func service() async throws -> ConfigService {
        let service = ConfigService(engine: MemoryEngine(), logger: logger)
        for number in 0..<10 {
            let value = Value(String(repeating: "v", count: 400_000))
            _ = try await service.commit(Transaction(then: [.set(Key(path: "/\(number)"), value)]), to: .default)
        }
        return service
    }

    /// Writes a body until it ends or so many parts are written.
    private static func write(
        _ body: consuming ResponseBody, atMost count: Int, _ budget: MemoryBudget
    ) async throws -> [(size: Int, held: Int)] {
        let written = Written()
        do {
            try await body.write(RecordingWriter(written: written, budget: budget, last: count))
        } catch is End {}
        return written.writes.withLock { $0 }
    }

    @Test("An event stream encodes one commit at a time, and holds a page and that commit while it is sent")
    func changeStream() async throws {
        let budget = MemoryBudget(64 << 20)
        let stream = ChangeStream(
            store: StoreAccess(try await Self.service()).acting(as: .process), config: .default,
            query: ChangesQuery(after: 1), style: WireStyle(now: Timestamp(milliseconds: 0)), answers: budget)
        // A comment, and twice a commit and an empty part.
        let writes = try await Self.write(try await stream.response().body, atMost: 5, budget)
        try #require(writes.count == 5)
        for (size, held) in writes[1...] where size > 0 {
            #expect((400_000..<500_000).contains(size))
            #expect(held >= 400_000 + size && held < (2 << 20) + size)
        }
        #expect(writes[2].size == 0 && writes[2].held == writes[1].held, "counted until it is sent")
        #expect(budget.held == 0)
    }

    @Test("A stream of etcd v2 holds its events while they are sent")
    func directoryStream() async throws {
        let budget = MemoryBudget(64 << 20)
        let watch = DirectoryWatch(try DirectoryPath(Array("/".utf8)[...]), isRecursive: true)
        let feed = try await Self.service().follow(watch, from: 2, in: .default).get()
        let context = DiscfgRequestContext(fromGateway: nil, logger: Self.logger)
        let stream = EtcdV2Watch(
            feed: feed, streams: true, counters: EtcdV2Counters(), connection: context.connection, answers: budget)
        let writes = try await Self.write(stream.body, atMost: 4, budget)
        try #require(writes.count == 4)
        for (size, held) in writes where size > 0 {
            #expect(held >= 400_000 + size && held < (2 << 20) + size)
        }
        #expect(budget.held == 0)
    }

    @Test("An event stream ends without memory, and continues after the event before")
    func changesWithoutMemory() async throws {
        let limits = RequestLimits(bodies: MemoryBudget(4 << 20))
        try await RESTFixture.with(.socket, limits: limits) { rest in
            _ = try await rest.send(.put, "/v1/default/keys/a", "small")
            _ = try await rest.send(.put, "/v1/default/keys/a", String(repeating: "v", count: 200_000))
            try #require(limits.answers.take(limits.answers.limit))
            let request =
                "GET /v1/default/changes?after=1&limit=1 HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream"
            try await RawConnection.with(port: rest.client.port) { connection in
                try await connection.send(request + "\r\n\r\n")
                var ids: [String] = []
                while let line = try await connection.line(), line != "0" {
                    if line.hasPrefix("id: ") { ids.append(line) }
                    try #require(ids.count < 2, "it goes on without memory")
                }
                let id = try #require(ids.first)
                #expect(id.hasPrefix("id: 2-"))
                limits.answers.giveBack(limits.answers.limit)
                let resumed = id.replacing("id: ", with: "Last-Event-ID: ")
                try await connection.send("\(request)\r\n\(resumed)\r\n\r\n")
                while let line = try await connection.line(), !line.hasPrefix("id: 3-") {
                    try #require(!line.hasPrefix("id: "))
                }
            }
        }
    }

    @Test("A watch over JSON ends without memory, with an error after which clients watch again")
    func watchWithoutMemory() async throws {
        let limits = RequestLimits(bodies: MemoryBudget(4 << 20))
        try await EtcdV2Fixture.with(.socket, limits: limits) { etcd in
            _ = try await etcd.rest.send(.put, "/v1/default/keys/a", String(repeating: "v", count: 200_000))
            try #require(limits.answers.take(limits.answers.limit))
            try await EtcdV2Stream(port: try etcd.port).connected { lines in
                let create = #"{"create_request":{"key":"AA==","range_end":"AA==","start_revision":"2"}}"#
                try await lines.post("/v3/watch", create)
                #expect(try await lines.next()?.contains(#""created":true"#) == true)
                let end = try await lines.next()
                #expect(end?.hasPrefix(#"{"error":{"grpc_code":14,"#) == true)
            }
        }
    }

    @Test("A wait of etcd v2 ends empty without memory")
    func waitWithoutMemory() async throws {
        let limits = RequestLimits(bodies: MemoryBudget(4 << 20))
        try await EtcdV2Fixture.with(.socket, limits: limits) { etcd in
            _ = try await etcd.rest.send(.put, "/v1/default/keys/a", String(repeating: "v", count: 200_000))
            try #require(limits.answers.take(limits.answers.limit))
            let path = "/v2/keys/a?wait=true&waitIndex=2"
            let empty = try await etcd.send(.get, path)
            #expect(empty.status == 200 && empty.text.isEmpty)
            limits.answers.giveBack(limits.answers.limit)
            #expect(try await etcd.send(.get, path).text.utf8.count > 200_000)
            #expect(limits.answers.held == 0)
        }
    }
}
