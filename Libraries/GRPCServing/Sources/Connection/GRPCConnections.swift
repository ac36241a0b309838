public import NIOCore
import NIOHPACK
import NIOHTTP2
import Synchronization

/// Serves methods of gRPC on connections that speak HTTP/2.
///
/// It opens no connections itself: a listener gives it those that clients open, one after the other.
public final class GRPCConnections: Sendable {
    private struct State {
        var connections: [ObjectIdentifier: any Channel] = [:]
        /// The work of calls that goes on, also if their connections are closed.
        var tasks: [ObjectIdentifier: Task<Void, Never>] = [:]
        var isStopping = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    /// By path, such as `/etcdserverpb.KV/Range`.
    let methods: [String: GRPCMethod]
    let options: GRPCOptions
    private let services: Set<Substring>
    private let state = Mutex(State())
    private let isCut = Atomic(false)

    /// - Parameters:
    ///   - methods: By path, such as `/etcdserverpb.KV/Range`.
    ///   - options: How calls are answered.
    public init(methods: [String: GRPCMethod], options: GRPCOptions) {
        self.methods = methods
        self.options = options
        services = Set(methods.keys.map { Self.split($0).service })
    }

    /// Whether calls end at once, also those that are carried out to their end otherwise.
    var isCutOff: Bool { isCut.load(ordering: .acquiring) }

    /// Serves a connection, on its event loop and before its first bytes were read.
    public func add(_ channel: any Channel) throws {
        let connection = GRPCConnection(self, channel.eventLoop)
        let http2 = NIOHTTP2Handler(
            mode: .server, eventLoop: channel.eventLoop, connectionConfiguration: connectionConfiguration,
            streamConfiguration: Self.streamConfiguration
        ) { [bound = NIOLoopBound(connection, eventLoop: channel.eventLoop)] stream in
            stream.eventLoop.makeCompletedFuture {
                try stream.pipeline.syncOperations.addHandler(CallHandler(bound.value))
            }
        }
        try channel.pipeline.syncOperations.addHandlers([ClientFrames(connection), http2, connection])
        let isStopping = state.withLock { state in
            state.connections[ObjectIdentifier(channel)] = channel
            return state.isStopping
        }
        channel.closeFuture.whenComplete { _ in
            self.change { $0.connections[ObjectIdentifier(channel)] = nil }
        }
        if isStopping { channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent()) }
    }

    /// Takes no more calls, and ends those that wait or stream; a connection is closed after its last call.
    public func stop() {
        let channels = state.withLock { state in
            state.isStopping = true
            return Array(state.connections.values)
        }
        for channel in channels { channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent()) }
    }

    /// Closes all connections, whatever is still to be sent, and cancels all calls.
    public func cutOff() {
        isCut.store(true, ordering: .releasing)
        let (channels, tasks) = state.withLock { state in
            state.isStopping = true
            return (Array(state.connections.values), Array(state.tasks.values))
        }
        for channel in channels { channel.close(promise: nil) }
        for task in tasks { task.cancel() }
    }

    /// Waits until no connection is open and no call is carried out.
    public func ended() async {
        await withCheckedContinuation { continuation in
            change { $0.waiters.append(continuation) }
        }
    }

    func started(_ call: CallHandler, _ task: Task<Void, Never>) {
        let id = ObjectIdentifier(call)
        state.withLock { $0.tasks[id] = task }
    }

    func ended(_ call: CallHandler) {
        let id = ObjectIdentifier(call)
        change { $0.tasks[id] = nil }
    }

    private func change(_ body: (inout State) -> Void) {
        let waiters = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            body(&state)
            guard state.connections.isEmpty, state.tasks.isEmpty else { return [] }
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    /// What a call ends with whose method there is not.
    func unknown(_ path: String) -> GRPCStatus {
        let (service, method) = Self.split(path)
        guard services.contains(service) else { return GRPCStatus(.unimplemented, "unknown service \(service)") }
        return GRPCStatus(.unimplemented, "unknown method \(method) for service \(service)")
    }

    private static func split(_ path: String) -> (service: Substring, method: Substring) {
        let name = path.drop { $0 == "/" }
        guard let slash = name.lastIndex(of: "/") else { return (name, "") }
        return (name[..<slash], name[name.index(after: slash)...])
    }
}

// HTTP/2.
extension GRPCConnections {
    /// How much of a request may come before the server has read it.
    private static let window = 256 << 10

    private var connectionConfiguration: NIOHTTP2Handler.ConnectionConfiguration {
        var configuration = NIOHTTP2Handler.ConnectionConfiguration()
        configuration.initialSettings = [
            HTTP2Setting(parameter: .maxConcurrentStreams, value: options.callsPerConnection),
            HTTP2Setting(parameter: .maxHeaderListSize, value: HPACKDecoder.defaultMaxHeaderListSize),
            HTTP2Setting(parameter: .initialWindowSize, value: Self.window),
        ]
        configuration.targetWindowSize = 4 * Self.window
        return configuration
    }

    private static var streamConfiguration: NIOHTTP2Handler.StreamConfiguration {
        var configuration = NIOHTTP2Handler.StreamConfiguration()
        configuration.targetWindowSize = window
        return configuration
    }
}
