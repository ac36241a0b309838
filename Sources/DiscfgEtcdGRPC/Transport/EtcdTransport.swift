#if EtcdGRPC
import GRPCCore
import GRPCNIOTransportHTTP2Posix
import Synchronization

/// The transport of grpc-swift, with shortcuts for some methods, and with an end for every stream at shutdown.
final class EtcdTransport: ServerTransport {
    typealias Base = HTTP2ServerTransport.Custom<PlaintextListener>
    typealias Bytes = Base.Bytes

    private let base: Base
    /// By fully qualified method name, such as `etcdserverpb.KV/Range`.
    private let shortcuts: [String: UnaryShortcut<Bytes>]
    /// Maximum number of bytes of a message with a value.
    private let messageBytes: Int
    private let isStopping = Atomic(false)

    init(_ base: Base, shortcuts: [String: UnaryShortcut<Bytes>], messageBytes: Int) {
        self.base = base
        self.messageBytes = messageBytes
        self.shortcuts = shortcuts
    }

    /// The address that is listened on, as soon as there is one; nil if there never was, or not any more.
    var listeningAddress: GRPCNIOTransportHTTP2Posix.SocketAddress? {
        get async { await base.listeningAddress }
    }

    func configure(context: GRPCServerContext) {
        base.configure(context: context)
    }

    func listen(
        streamHandler: @escaping @concurrent @Sendable (RPCStream<Inbound, Outbound>, ServerContext) async -> Void
    ) async throws {
        try await base.listen { [self] stream, context in
            if let shortcut = shortcuts[stream.descriptor.fullyQualifiedMethod] {
                await shortcut.answer(stream, context)
            } else {
                // The base cancels the calls that it knows when shutdown begins. A client that has not heard of it yet
                // can begin another, which must end as well.
                if isStopping.load(ordering: .acquiring) { context.cancellation.cancel() }
                await streamHandler(checked(stream), context)
            }
        }
    }

    /// The call, with its messages checked before they are decoded.
    private func checked(_ stream: RPCStream<Inbound, Outbound>) -> RPCStream<Inbound, Outbound> {
        let limit = MessageLimit(of: stream.descriptor.fullyQualifiedMethod, large: messageBytes)
        let parts = stream.inbound.map { part in
            if case .message(let bytes) = part { try limit.check(bytes) }
            return part
        }
        return RPCStream(
            descriptor: stream.descriptor, inbound: RPCAsyncSequence(wrapping: parts), outbound: stream.outbound)
    }

    func beginGracefulShutdown() {
        isStopping.store(true, ordering: .releasing)
        base.beginGracefulShutdown()
    }
}
#endif
