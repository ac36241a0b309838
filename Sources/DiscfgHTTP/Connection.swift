public import DiscfgCore
public import Hummingbird
public import Logging
public import NIOCore

/// What a request comes with: Hummingbird's own, the connection, and what a gateway knows of the caller.
public struct DiscfgRequestContext: RequestContext {
    public var coreContext: CoreRequestContextStorage
    /// The connection that the request came by.
    let connection: Connection
    /// The caller that a gateway has authenticated; `nil` if there is none.
    let caller: Caller?
    /// Whether an answer may be held back until there is something to tell: not where each second of waiting is paid for.
    let mayWait: Bool
    /// What the request's body holds of the server's memory; the responder sets it.
    var hold: MemoryHold?
    /// The memory for answers, from which streams take; the responder sets it.
    var answers = MemoryBudget(.max)
    /// How slowly the request's body may come.
    var pace = BodyPace()

    public init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        connection = Connection(channel: source.channel)
        (caller, mayWait) = (nil, true)
    }

    /// What a request comes with that a gateway has passed on.
    ///
    /// - Parameters:
    ///   - caller: The caller that the gateway has authenticated; `nil` if it has authenticated none.
    ///   - logger: Where Hummingbird logs.
    public init(fromGateway caller: Caller?, logger: Logger) {
        coreContext = CoreRequestContextStorage(source: GatewaySource(logger: logger))
        connection = Connection(channel: nil)
        (self.caller, mayWait) = (caller, false)
    }

    private struct GatewaySource: RequestContextSource {
        let logger: Logger
    }
}

/// A client's connection, for those who write nothing for a long time and would not notice that the client is gone.
struct Connection: Sendable {
    /// `nil` where a gateway has it.
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
    public typealias InboundIn = NIOAny

    /// Opens when the client has gone.
    let closed = Gate()
    private let pace: BodyPace

    public convenience init() { self.init(pace: BodyPace()) }

    /// A monitor with a rate of its own for what a client sends of a request that is answered already.
    package init(pace: BodyPace) { self.pace = pace }

    public func handlerAdded(context: ChannelHandlerContext) {
        RequestCheck.add(to: context.pipeline.syncOperations, pace: pace)
    }

    public func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case ChannelEvent.inputClosed = event { closed.open() }
        context.fireUserInboundEventTriggered(event)
    }

    public func channelInactive(context: ChannelHandlerContext) {
        closed.open()
        context.fireChannelInactive()
    }

    public func handlerRemoved(context: ChannelHandlerContext) { closed.open() }
}
