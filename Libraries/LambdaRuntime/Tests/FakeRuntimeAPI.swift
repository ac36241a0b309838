import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

@testable import LambdaRuntime

/// A runtime API on this machine, which hands out what a test gives it, and remembers what it is told.
final class FakeRuntimeAPI: Sendable {
    /// What a runtime is given that asks for an invocation.
    enum Delivery: Sendable {
        /// An event, at once.
        case event(Event)
        /// An event byte by byte, each a chunk of its own, and trailers after it.
        case chunks(Event)
        /// An event, and the word that the connection ends after it; closing it is left to the runtime.
        case last(Event)
        /// The first half of an event, and the end of the connection.
        case half(Event)
        /// The end of the connection.
        case cut
        /// No invocation, but a status.
        case status(HTTPResponseStatus)
    }

    /// What becomes of an answer.
    enum Acceptance: Sendable {
        case status(HTTPResponseStatus)
        /// The connection ends; the answer is not taken.
        case lost
        /// The connection ends; the answer is taken.
        case takenInSilence
    }

    /// An event, and its headers.
    struct Event: Sendable {
        var body: [UInt8]
        var headers: HTTPHeaders = [:]

        init(_ id: String?, _ body: [UInt8], _ headers: HTTPHeaders = [:]) {
            self.body = body
            self.headers = headers
            if let id { self.headers.add(name: "Lambda-Runtime-Aws-Request-Id", value: id) }
        }
    }

    /// What a runtime told.
    struct Report: Sendable {
        var path: String
        var headers: HTTPHeaders
        var body: [UInt8]
    }

    /// No report came any more.
    struct NothingMore: Error {}

    private struct State {
        var deliveries: [Delivery] = []
        var acceptances: [Acceptance] = []
        var waiting: [any Channel] = []
        var answered: Set<String> = []
        var connections: [any Channel] = []
    }

    private let state = Mutex(State())
    private let listener = Mutex<(any Channel)?>(nil)
    private let reports = AsyncStream<Report>.makeStream()
    private let requests = AsyncStream<Void>.makeStream()
    private let ends = AsyncStream<Void>.makeStream()

    private init() {}

    /// Runs a test beside one.
    static func with<Result>(_ test: (FakeRuntimeAPI) async throws -> Result) async throws -> Result {
        let api = FakeRuntimeAPI()
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    api.state.withLock { $0.connections.append(channel) }
                    channel.closeFuture.whenComplete { _ in api.ends.continuation.yield() }
                    let pipeline = channel.pipeline.syncOperations
                    // Its assistance reads nothing while a request waits, not even the end of the connection.
                    try pipeline.configureHTTPServerPipeline(withPipeliningAssistance: false)
                    try pipeline.addHandler(NIOHTTPServerRequestAggregator(maxContentLength: 64 << 20))
                    try pipeline.addHandler(FakeRuntimeAPIHandler(api))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        api.listener.withLock { $0 = listener }
        do {
            let result = try await test(api)
            await api.close()
            return result
        } catch {
            await api.close()
            throw error
        }
    }

    /// Where it listens.
    var address: RuntimeAddress {
        get throws { try RuntimeAddress("127.0.0.1:\(listener.withLock { $0?.localAddress?.port } ?? 0)") }
    }

    /// How many connections were made.
    var connectionCount: Int { state.withLock { $0.connections.count } }

    /// Hands something out, to who waits for it or to who asks next.
    func give(_ delivery: Delivery) {
        let channel: (any Channel)? = state.withLock { state in
            if !state.waiting.isEmpty { return state.waiting.removeFirst() }
            state.deliveries.append(delivery)
            return nil
        }
        if let channel { deliver(delivery, on: channel) }
    }

    /// Hands out an event.
    func give(_ id: String, _ body: String = "{}", _ headers: HTTPHeaders = [:]) {
        give(.event(Event(id, Array(body.utf8), headers)))
    }

    /// Says what becomes of the next answer that nothing was said of; it is accepted otherwise.
    func accept(_ acceptance: Acceptance) { state.withLock { $0.acceptances.append(acceptance) } }

    /// The next thing that it was told.
    func report() async throws -> Report {
        for await report in reports.stream { return report }
        throw NothingMore()
    }

    /// Waits until one more request for an invocation has come.
    func asked() async throws {
        for await _ in requests.stream { return }
        throw NothingMore()
    }

    /// Waits until all connections but so many have been closed by whoever made them.
    func closed(but number: Int = 0) async throws {
        while state.withLock({ $0.connections.count { $0.isActive } }) > number {
            guard await ends.stream.first(where: { _ in true }) != nil else { throw NothingMore() }
        }
    }

    /// Ends all connections, and takes no more.
    func close() async {
        try? await listener.withLock { $0 }?.close()
        for channel in state.withLock({ $0.connections }) { try? await channel.close() }
    }

    /// A runtime asks for an invocation.
    func next(on channel: any Channel) {
        let delivery: Delivery? = state.withLock { state in
            if !state.deliveries.isEmpty { return state.deliveries.removeFirst() }
            state.waiting.append(channel)
            return nil
        }
        requests.continuation.yield()
        if let delivery { deliver(delivery, on: channel) }
    }

    /// A runtime tells something; of two answers to one invocation the first is taken, as by Lambda.
    func tell(_ report: Report, on channel: any Channel) {
        let acceptance = state.withLock { state in
            if state.answered.contains(report.path) { return Acceptance.status(.forbidden) }
            let acceptance = state.acceptances.isEmpty ? .status(.accepted) : state.acceptances.removeFirst()
            if case .lost = acceptance { return acceptance }
            state.answered.insert(report.path)
            return acceptance
        }
        if case .status(let status) = acceptance { answer(status, on: channel) } else { channel.close(promise: nil) }
        reports.continuation.yield(report)
    }
}
