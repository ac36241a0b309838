#if EtcdGRPC
import DiscfgCore
import DiscfgEtcd
import GRPCCore

/// etcd's `Watch` service.
struct WatchCalls: Etcdserverpb_Watch.ServiceProtocol {
    let calls: EtcdCalls
    /// The memory for answers; a stream ends if it does not suffice for events.
    let answers: MemoryBudget

    func watch(
        request: StreamingServerRequest<Etcdserverpb_WatchRequest>, context: ServerContext
    ) async throws -> StreamingServerResponse<Etcdserverpb_WatchResponse> {
        try calls.stream(request.metadata, context) { service, writer in
            let watches = WatchStream(service)
            defer { watches.close() }
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                // A client that has nothing more to ask is still told what happens.
                tasks.addTask { try await Self.hand(request.messages, to: watches) }
                // The next answers are asked for when these are on their way, so that a slow client holds up only itself.
                tasks.addTask {
                    while let responses = try await watches.next() {
                        // The events, and the messages that are made of them.
                        let weight = responses.reduce(0) { $0 + 2 * $1.weight }
                        guard let hold = answers.hold(part: weight) else { throw EtcdError.streamWithoutMemory }
                        defer { hold.release() }
                        try await writer.write(contentsOf: responses.map { Etcdserverpb_WatchResponse($0) })
                    }
                }
                // Not `waitForAll`, which would wait for the rest when one has failed.
                while try await tasks.next() != nil {}
            }
        }
    }

    /// Hands over what is asked; not faster than it can be answered.
    private static func hand(
        _ messages: RPCAsyncSequence<Etcdserverpb_WatchRequest, any Error>, to watches: WatchStream
    ) async throws {
        for try await message in messages {
            if let request = try WatchRequest(message) { await watches.receive(request) }
        }
    }
}
#endif
