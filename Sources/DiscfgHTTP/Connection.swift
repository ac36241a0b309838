public import DiscfgCore
public import Hummingbird
public import Logging
public import NIOCore

/// The context of a request: Hummingbird's, the connection, and the caller that a gateway has authenticated.
public struct DiscfgRequestContext: RequestContext {
    /// Hummingbird's part of the context, which its router fills in.
    public var coreContext: CoreRequestContextStorage
    /// The connection that the request came by.
    let connection: Connection
    /// The caller that a gateway has authenticated; `nil` if there is none.
    let caller: Caller?
    /// Whether an answer may wait for a change; not if each second of waiting is paid for.
    let mayWait: Bool
    /// The part of the server's memory that the request's body holds; the responder sets it.
    var hold: MemoryHold?
    /// The memory for answers, from which streams take; the responder sets it.
    var answers = MemoryBudget(.max)
    /// How slowly the request's body may come.
    var pace = BodyPace()

    /// The context of a request that came over a connection of this server; it has no authenticated caller.
    public init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        connection = Connection(channel: source.channel)
        (caller, mayWait) = (nil, true)
    }

    /// The context of a request that a gateway has passed on.
    ///
    /// - Parameters:
    ///   - caller: The caller that the gateway has authenticated; `nil` if it has authenticated none.
    ///   - logger: The logger of Hummingbird.
    public init(fromGateway caller: Caller?, logger: Logger) {
        coreContext = CoreRequestContextStorage(source: GatewaySource(logger: logger))
        connection = Connection(channel: nil)
        (self.caller, mayWait) = (caller, false)
    }

    private struct GatewaySource: RequestContextSource {
        let logger: Logger
    }
}

/// A client's connection, for handlers that write nothing for a long time and would not notice that the client is gone.
struct Connection: Sendable {
    /// `nil` if a gateway has it.
    fileprivate let channel: (any Channel)?

    /// What closes the connection when the body of a request comes too slowly.
    func timer(_ pace: BodyPace) -> BodyTimer? { channel.map { BodyTimer($0, pace) } }

    /// Runs something for as long as the client is there.
    ///
    /// That the client closed only its side is noticed where the connection has a `ConnectionMonitor`.
    /// - Returns: `nil` when the client closed the connection, or its side of it, first.
    /// - Throws: What the body throws.
    func whileOpen<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws -> Value? {
        guard let channel else { return try await body() }
        guard let monitor = try? await channel.pipeline.handler(type: ConnectionMonitor.self).get() else {
            // None was put in; or the connection is closed already, and has lost its handlers.
            let closed = Gate()
            channel.closeFuture.whenComplete { _ in closed.open() }
            return try await closed.bound(body)
        }
        return try await monitor.closed.bound(body)
    }
}

/// Notices when a client has closed its connection, or will send nothing more; goes into the pipeline of every connection.
public final class ConnectionMonitor: ChannelInboundHandler, RemovableChannelHandler, Sendable {
    /// The monitor passes on every message as it is.
    public typealias InboundIn = NIOAny

    /// Opens when the client has gone.
    let closed = Gate()
    private let pace: BodyPace

    /// A monitor with the standard rate for the rest of a body whose request is answered already.
    public convenience init() { self.init(pace: BodyPace()) }

    /// A monitor with a rate of its own for what a client sends of a request that is answered already.
    package init(pace: BodyPace) { self.pace = pace }

    /// Adds the handler that checks requests before Hummingbird gets them.
    public func handlerAdded(context: ChannelHandlerContext) {
        RequestCheck.add(to: context.pipeline.syncOperations, pace: pace)
    }

    /// Notices that the client has closed its side of the connection.
    public func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case ChannelEvent.inputClosed = event { closed.open() }
        context.fireUserInboundEventTriggered(event)
    }

    /// Notices that the connection is closed.
    public func channelInactive(context: ChannelHandlerContext) {
        closed.open()
        context.fireChannelInactive()
    }

    /// Resumes all waiting requests: without the monitor nothing would notice the end.
    public func handlerRemoved(context: ChannelHandlerContext) { closed.open() }
}
