import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// A proxy before a server that speaks AWS's protocols, which makes the faults that a real network and a real DynamoDB make,
/// and counts what goes through.
///
/// It listens on a port of its own, HTTP/1.1 without TLS, and passes the `Host` header on, so that signatures hold. Without a
/// plan nothing goes wrong. The plan and the scripts can be changed while requests come; they count for those that come after.
public final class FaultProxy: Sendable {
    fileprivate struct State {
        var url = ""
        var plan: Plan?
        var sequence: FaultSequence?
        var scripts: [String: [Fault?]] = [:]
        var delay: Duration = .seconds(1)
        var silence: Duration = .seconds(60)
        var clockOffset: Duration = .zero
        var counts = Counts()
        var listener: (any Channel)?
        var connections: [ObjectIdentifier: any Channel] = [:]
        var isStopped = false
    }

    /// The server behind it.
    let endpoint: Endpoint
    private let state: Mutex<State>

    private init(before endpoint: Endpoint, plan: Plan?) {
        self.endpoint = endpoint
        state = Mutex(State(plan: plan, sequence: plan.map(FaultSequence.init)))
    }

    /// Starts a proxy before a server; it runs until `stop` is called.
    ///
    /// - Parameters:
    ///   - server: The server's address, `http://HOST:PORT`.
    ///   - plan: What goes wrong.
    /// - Returns: The proxy, which listens.
    /// - Throws: `AWSTestError` if the address is not understood, or no port is free.
    public static func start(before server: String, plan: Plan? = nil) async throws -> FaultProxy {
        let proxy = FaultProxy(before: try Endpoint(url: server), plan: plan)
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 256)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in channel.eventLoop.makeCompletedFuture { try proxy.serve(channel) } }
            .bind(host: "127.0.0.1", port: 0).get()
        guard let port = listener.localAddress?.port else { throw AWSTestError("This machine has no free port.") }
        proxy.state.withLock { state in
            state.url = Endpoint(host: "127.0.0.1", port: port).url
            state.listener = listener
        }
        return proxy
    }

    /// Runs a test behind a proxy, and stops that.
    ///
    /// - Parameters:
    ///   - server: The server's address, `http://HOST:PORT`.
    ///   - plan: What goes wrong.
    ///   - body: The test.
    /// - Returns: What the test returns.
    /// - Throws: What the test throws, and what `start` throws.
    public static func with<Result>(
        before server: String, plan: Plan? = nil, _ body: (FaultProxy) async throws -> Result
    ) async throws -> Result {
        let proxy = try await start(before: server, plan: plan)
        do {
            let result = try await body(proxy)
            await proxy.stop()
            return result
        } catch {
            await proxy.stop()
            throw error
        }
    }

    /// Where it listens, such as `http://127.0.0.1:39571`.
    public var url: String { state.withLock { $0.url } }

    /// What goes wrong; `nil` if nothing does.
    ///
    /// A plan that is set begins at its beginning.
    public var plan: Plan? {
        get { state.withLock { $0.plan } }
        set {
            state.withLock { state in
                state.plan = newValue
                state.sequence = newValue.map(FaultSequence.init)
            }
        }
    }

    /// How long `slow` holds an answer back; a second by default.
    public var delay: Duration {
        get { state.withLock { $0.delay } }
        set { state.withLock { $0.delay = newValue } }
    }

    /// How long `silent` keeps a client waiting before the connection is closed; a minute by default.
    public var silence: Duration {
        get { state.withLock { $0.silence } }
        set { state.withLock { $0.silence = newValue } }
    }

    /// By how much the `Date` of the answers is ahead of this machine's clock; as the server has it by default, with `zero`.
    ///
    /// So a client seems to have a clock that is wrong by as much, the other way round.
    public var clockOffset: Duration {
        get { state.withLock { $0.clockOffset } }
        set { state.withLock { $0.clockOffset = newValue } }
    }

    /// Says what happens to the next requests of one operation, whatever the plan says; the plan goes on after them.
    ///
    /// It replaces what is left of an earlier script for that operation.
    ///
    /// - Parameters:
    ///   - faults: One for each request; `nil` if all goes well.
    ///   - operation: Such as `PutItem`.
    public func script(_ faults: [Fault?], for operation: String) {
        state.withLock { $0.scripts[operation] = faults }
    }

    /// How many faults of scripts have not happened yet, those that are `nil` counted too.
    public var scriptedCount: Int { state.withLock { $0.scripts.values.reduce(0) { $0 + $1.count } } }

    /// What went through since it was started, or since the counts were taken.
    public var counts: Counts { state.withLock { $0.counts } }

    /// What went through, after which the counts begin at 0 again.
    public func takeCounts() -> Counts {
        state.withLock { state in
            let counts = state.counts
            state.counts = Counts()
            return counts
        }
    }

    /// Closes all connections, and waits until they are closed; requests under way get no answer.
    public func stop() async {
        let channels = state.withLock { state in
            state.isStopped = true
            return (state.listener.map { [$0] } ?? []) + state.connections.values
        }
        for channel in channels { channel.close(promise: nil) }
        for channel in channels { try? await channel.closeFuture.get() }
    }
}

extension FaultProxy {
    /// Counts a request, and says what happens to it.
    func receive(_ request: ProxiedRequest) -> FaultSequence.Draw? {
        let operation = request.operation
        return state.withLock { state in
            state.counts.operations[operation, default: .init()].requests += 1
            state.counts.operations[operation, default: .init()].requestBytes += request.body?.readableBytes ?? 0
            let draw = state.nextDraw(for: request)
            if let draw { state.counts.faults[draw.fault, default: 0] += 1 }
            return draw
        }
    }

    /// Counts what the server answered.
    func record(_ answer: NIOHTTPClientResponseFull, to request: ProxiedRequest) {
        let units = ConsumedCapacity.units(in: answer.body)
        state.withLock { state in
            state.counts.operations[request.operation, default: .init()].answered += 1
            state.counts.operations[request.operation, default: .init()].answerBytes += answer.body?.readableBytes ?? 0
            state.counts.operations[request.operation, default: .init()].units += units
        }
    }

    /// Takes on a connection.
    private func serve(_ channel: any Channel) throws {
        let isStopped = state.withLock { state in
            if !state.isStopped { state.connections[ObjectIdentifier(channel)] = channel }
            return state.isStopped
        }
        if isStopped { throw AWSTestError("The proxy is stopped.") }
        channel.closeFuture.whenComplete { _ in
            self.state.withLock { $0.connections[ObjectIdentifier(channel)] = nil }
        }
        let pipeline = channel.pipeline.syncOperations
        try pipeline.configureHTTPServerPipeline(withPipeliningAssistance: false, withErrorHandling: true)
        try pipeline.addHandler(NIOHTTPServerRequestAggregator(maxContentLength: HTTPConnection.maximumBody))
        try pipeline.addHandler(ProxyHandler(self))
    }
}

extension FaultProxy.State {
    /// The next fault of a script, or else of the plan.
    fileprivate mutating func nextDraw(for request: ProxiedRequest) -> FaultSequence.Draw? {
        guard var script = scripts[request.operation], !script.isEmpty else {
            return sequence?.next(operation: request.operation, identity: request.identity)
        }
        let fault = script.removeFirst()
        scripts[request.operation] = script.isEmpty ? nil : script
        return fault.map { FaultSequence.Draw(fault: $0, position: 0) }
    }
}
