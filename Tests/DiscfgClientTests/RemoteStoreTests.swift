import DiscfgClient
import DiscfgCore
import DiscfgHTTP
import DiscfgTestSupport
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import NIOPosix
import Testing

/// The store behind a server, against the real responder over a real socket.
@Suite("Remote store")
struct RemoteStoreTests {
    static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    /// Runs a test on a remote store, with the service behind it at hand.
    static func with(_ body: @escaping @Sendable (RemoteConfigStore, ConfigService) async throws -> Void) async throws {
        let service = ConfigService(engine: MemoryEngine(), logger: logger)
        let application = Application(
            responder: DiscfgResponder(store: service, logger: logger),
            configuration: .init(address: .hostname("127.0.0.1", port: 0)), logger: logger)
        try await application.test(.live) { client in
            let store = try RemoteConfigStore(
                url: "http://127.0.0.1:\(try #require(client.port))", author: "ann", logger: logger)
            do {
                try await body(store, service)
            } catch {
                try await store.shutdown()
                throw error
            }
            try await store.shutdown()
        }
    }

    @Test(
        "A value comes back to the byte, with its type",
        arguments: [
            Value("text\n"), Value(bytes: [0, 255, 10], contentType: "image/png"),
            Value(bytes: Array("{ \"a\" :\n1.50 }".utf8), contentType: Value.json), Value(""),
        ])
    func values(value: Value) async throws {
        try await Self.with { store, service in
            let key = try Key(path: "/a b/ü%?#/~1")
            let result = try await store.commit(
                Transaction(then: [.set(key, value, expiry: .after(.seconds(90)))], author: "bob", message: "why"),
                to: .default)
            #expect(result.outcomes[0].item?.value == value)
            let (remote, local) = (
                try await store.get(key, in: .default, at: nil), try await service.get(key, in: .default, at: nil)
            )
            #expect(remote == local && remote.item.author == "bob")
            let listing = try await store.list(ListQuery("/a b", isRecursive: true), in: .default)
            #expect(listing.items == [local.item])
        }
    }

    @Test("A server takes the caller of a remote store for the author, which without a name is that of the connection")
    func callers() async throws {
        try await Self.with { store, service in
            let key = try Key(path: "/a")
            for caller in [Caller.claiming("Zoë"), .anonymous] {
                let transaction = Transaction(then: [.set(key, Value(caller.name))], author: "mallory")
                _ = try await store.acting(as: caller).commit(transaction, to: .default)
            }
            let commits = try await service.changes(ChangesQuery(after: 1), in: .default).commits
            #expect(commits.map(\.author) == ["Zoë", "ann"])
        }
    }

    @Test("A key without a leading slash is reached")
    func bareKeys() async throws {
        try await Self.with { store, service in
            let key = try Key(bytes: Array("app/ü name".utf8))
            _ = try await store.commit(Transaction(then: [.set(key, Value("v"))]), to: .default)
            #expect(try await store.get(key, in: .default, at: nil).item.value == Value("v"))
            #expect(try await store.list(ListQuery("bare:app"), in: .default).items.map(\.key) == [key])
            let query = HistoryQuery(try .subtree("bare:app"), limit: 10)
            #expect(try await store.history(query, in: .default).commits.map(\.revision) == [2])
            let deletion = Transaction(
                if: [Precondition(key, .version(1))], then: [.deleteAll(try .subtree("bare:app"))])
            #expect(try await store.commit(deletion, to: .default).outcomes[0].previous.map(\.key) == [key])
        }
    }

    @Test(
        "A key of any bytes is set, read, listed and deleted as in a local store",
        arguments: [[0xFF, 0, 0x2F], Array("/a/".utf8), Array("/a//b".utf8), Array("bare:x".utf8), [0x2F], [0x0A]])
    func anyKey(bytes: [UInt8]) async throws {
        try await Self.with { store, service in
            let key = try Key(bytes: bytes)
            let result = try await store.commit(Transaction(then: [.set(key, Value("v"))]), to: .default)
            #expect(result.outcomes[0].item?.key == key)
            #expect(try await store.get(key, in: .default, at: nil) == service.get(key, in: .default, at: nil))
            for directory in ["/", "bare:", key.name + "/"] {
                for isRecursive in [false, true] {
                    let query = ListQuery(directory, isRecursive: isRecursive, consistency: .strong)
                    #expect(try await store.list(query, in: .default) == service.list(query, in: .default))
                }
            }
            let history = try await store.history(HistoryQuery(.subtree(key.name)), in: .default)
            #expect(history.commits.flatMap(\.changes).map(\.key) == [key])
            let difference = try await store.diff(DiffQuery(from: 1, selection: .subtree(key.name)), in: .default)
            #expect(difference.changes.map(\.key) == [key])
            _ = try await store.commit(Transaction(then: [.delete(key)]), to: .default)
            #expect(try await service.list(ListQuery(isRecursive: true), in: .default).entries.isEmpty)
        }
    }

    @Test("A range is sent as it is, and an end that must be kept is not set on a new key")
    func exactTransactions() async throws {
        try await Self.with { store, service in
            let keys = try ["/a", "/a/x", "/b", "/c"].map { try Key(path: $0) }
            _ = try await store.commit(Transaction(then: keys.map { .set($0, Value("v")) }), to: .default)
            let range = KeyRange(from: Array("/a/".utf8), to: Array("/c".utf8))
            let read = try await store.commit(
                Transaction(
                    if: [Precondition(keys[0], .compare(.created(1), .greater), over: range)],
                    then: [.getAll(range), .transaction(Transaction(then: [.get(keys[0])]))]), to: .default)
            #expect(read.failed == nil && read.outcomes.first?.found.map(\.key) == [keys[1], keys[2]])
            #expect(read.outcomes.last?.nested?.outcomes.first?.item?.key == keys[0])
            let deleted = try await store.commit(Transaction(then: [.deleteAll(.range(range))]), to: .default)
            #expect(deleted.outcomes.first?.previous.map(\.key) == [keys[1], keys[2]])
            let error = await #expect(throws: DiscfgError.self) {
                try await store.commit(Transaction(then: [.set(keys[2], Value("v"), expiry: .kept)]), to: .default)
            }
            #expect(error?.code == .keyNotFound)
            #expect(
                try await service.list(ListQuery(isRecursive: true), in: .default).items.map(\.key) == [
                    keys[0], keys[3],
                ])
        }
    }

    @Test("A selection that has no name is not sent")
    func namelessSelection() async throws {
        try await Self.with { store, _ in
            let selection = KeySelection.key(try Key(path: "/a"))
            func refused(_ ask: () async throws -> Void) async {
                let error = await #expect(throws: DiscfgError.self) { try await ask() }
                #expect(error?.code == .unsupported)
            }
            await refused { _ = try await store.history(HistoryQuery(selection), in: .default) }
            await refused { _ = try await store.changes(ChangesQuery(after: 1, selection: selection), in: .default) }
            await refused { _ = try await store.diff(DiffQuery(from: 1, selection: selection), in: .default) }
            await refused {
                _ = try await store.rollback(RollbackRequest(to: 1, selection: selection), in: .default)
            }
        }
    }

    @Test("Every call answers as the service behind the server does")
    func sameAnswers() async throws {
        try await Self.with { store, service in
            let (a, b) = (try Key(path: "/d/a"), try Key(path: "/d/b"))
            for text in ["1", "2"] {
                _ = try await store.commit(
                    Transaction(then: [.set(a, Value(text)), .set(b, Value(text))]), to: .default)
            }
            _ = try await store.commit(Transaction(then: [.delete(b)]), to: .default)
            func same<Answer: Equatable & Sendable>(_ ask: (any ConfigStore) async throws -> Answer) async throws {
                let (remote, local) = (try await ask(store), try await ask(service))
                #expect(remote == local)
            }
            try await same { try await $0.list(ListQuery("/d"), in: .default) }
            try await same { try await $0.list(ListQuery("", at: 2), in: .default) }
            try await same { try await $0.diff(DiffQuery(from: 2), in: .default) }
            try await same { try await $0.configs() }
            try await same { try await $0.info(of: .default) }
            let page = { (store: any ConfigStore) in
                try await store.changes(ChangesQuery(after: 1), in: .default).commits.map(\.changes)
            }
            try await same { try await page($0) }
            try await same {
                try await $0.history(HistoryQuery(try .subtree("/d/b"), limit: 1), in: .default).commits.map(\.changes)
            }
            let back = try await store.rollback(RollbackRequest(to: 2, message: "undo"), in: .default)
            #expect(back.revision == 5 && back.changes.map(\.key) == [a, b])
            #expect(try await store.compact(.default, keeping: .through(3)) == 3)
            #expect(
                try await store.createConfig(ConfigName("new"), settings: ConfigSettings(), author: "ann").revision == 1
            )
            #expect(
                try await store.updateConfig(ConfigName("new"), patch: ["retention": ["revisions": 7]]).settings
                    .retention.revisions == 7)
            let old = try await store.changes(ChangesQuery(after: 1), in: ConfigName("new"))
            let log = try await service.info(of: ConfigName("new")).log
            #expect(old.log != nil && old.log == log)
            try await store.deleteConfig(ConfigName("new"))
            #expect(try await service.configs().count == 1)
            let again = try await store.createConfig(ConfigName("new"), settings: ConfigSettings(), author: "ann")
            #expect(again.log != log)
            let late = await #expect(throws: DiscfgError.self) {
                try await store.changes(ChangesQuery(after: again.revision, log: log), in: ConfigName("new"))
            }
            #expect(late?.code == .compacted)
        }
    }

    @Test("A server's error arrives as it was thrown, a failed condition with the current item")
    func errors() async throws {
        try await Self.with { store, _ in
            let key = try Key(path: "/k")
            let missing = await #expect(throws: DiscfgError.self) { try await store.get(key, in: .default, at: nil) }
            #expect(missing?.code == .keyNotFound && missing?.hint != nil)
            _ = try await store.commit(Transaction(then: [.set(key, Value("x"))]), to: .default)
            let result = try await store.commit(
                Transaction(if: [.init(key, .absent)], then: [.set(key, Value("y"))]), to: .default)
            #expect(result.failed == Precondition(key, .absent) && result.current?.value == Value("x"))
            let config = try ConfigName("none")
            let none = await #expect(throws: DiscfgError.self) { try await store.info(of: config) }
            #expect(none?.code == .configNotFound)
        }
    }

    @Test("A change wakes who waits for it on a server")
    func waiting() async throws {
        try await Self.with { store, service in
            async let page = store.changes(ChangesQuery(after: 1, wait: .seconds(60)), in: .default)
            _ = try await service.commit(Transaction(then: [.set(try Key(path: "/k"), Value("x"))]), to: .default)
            #expect(try await page.commits.map(\.revision) == [2])
        }
    }

    @Test("A server that is not there is unavailable; one that cuts the connection leaves a write in doubt")
    func failures() async throws {
        // Accepts, reads, and closes without an answer.
        let listener = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .childChannelInitializer { $0.pipeline.addHandler(ClosesOnRead()) }
            .bind(host: "127.0.0.1", port: 0).get()
        let url = "http://127.0.0.1:\(try #require(listener.localAddress?.port))"
        let store = try RemoteConfigStore(url: url, author: "", logger: Self.logger)
        let write = Transaction(then: [.set(try Key(path: "/k"), Value("x"))])
        let cut = await #expect(throws: DiscfgError.self) { try await store.commit(write, to: .default) }
        #expect(cut?.code == .outcomeUnknown)
        let read = await #expect(throws: DiscfgError.self) { try await store.info(of: .default) }
        #expect(read?.code == .storeUnavailable)
        try await listener.close()
        try await store.shutdown()
        let other = try RemoteConfigStore(url: "http://127.0.0.1:1", author: "", logger: Self.logger)
        let gone = await #expect(throws: DiscfgError.self) { try await other.commit(write, to: .default) }
        #expect(gone?.code == .storeUnavailable, "\(String(describing: gone?.cause))")
        try await other.shutdown()
    }

    @Test("An answer that comes too slowly is given up")
    func slowAnswer() async throws {
        let listener = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .childChannelInitializer { $0.pipeline.addHandler(AnswersSlowly()) }
            .bind(host: "127.0.0.1", port: 0).get()
        let url = "http://127.0.0.1:\(try #require(listener.localAddress?.port))"
        var pace = BodyPace()
        pace.grace = .milliseconds(50)
        let store = try RemoteConfigStore(url: url, author: "", pace: pace, logger: Self.logger)
        let error = await #expect(throws: DiscfgError.self) { try await store.configs() }
        #expect(error?.code == .storeUnavailable)
        try await listener.close()
        try await store.shutdown()
    }

    @Test(
        "What is no address of a server is refused",
        arguments: ["http://", "ftp://x", "http://a?b", "http://a#b", "http://u:p@h", "127.0.0.1"])
    func badAddress(url: String) {
        #expect(throws: DiscfgError.self) { try RemoteConfigStore(url: url, author: "", logger: Self.logger) }
    }
}

private final class ClosesOnRead: ChannelInboundHandler, Sendable {
    typealias InboundIn = ByteBuffer

    func channelRead(context: ChannelHandlerContext, data: NIOAny) { context.close(promise: nil) }
}

/// Sends the head of an answer, and then one space every few milliseconds.
private final class AnswersSlowly: ChannelInboundHandler, Sendable {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n"
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: head)), promise: nil)
        let channel = context.channel
        let spaces = channel.eventLoop.scheduleRepeatedTask(initialDelay: .zero, delay: .milliseconds(5)) { _ in
            channel.writeAndFlush(ByteBuffer(string: " "), promise: nil)
        }
        channel.closeFuture.whenComplete { _ in spaces.cancel() }
    }
}
