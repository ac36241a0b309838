public import NIOCore

/// The requests of a stream, for one reader.
///
/// Requests are read from the connection when they are asked for: what a client sends ahead fills the window of its stream,
/// and then it must wait.
public struct GRPCRequests: AsyncSequence, Sendable {
    let handler: NIOLoopBound<CallHandler>
    let eventLoop: any EventLoop

    /// Reads one request after another.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let requests: GRPCRequests

        /// The next request; `nil` when the client has no more.
        ///
        /// - Throws: `CancellationError` if the call has ended, or a ``GRPCStatus`` for a message that is not allowed.
        public mutating func next() async throws -> ByteBuffer? {
            let (handler, eventLoop) = (requests.handler, requests.eventLoop)
            return try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    eventLoop.execute { handler.value.take(continuation) }
                }
            } onCancel: {
                eventLoop.execute { handler.value.endReading() }
            }
        }
    }

    /// An iterator; a call has one reader, so only one may be in use.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(requests: self) }
}

/// The responses of a stream.
public struct GRPCResponses: Sendable {
    let handler: NIOLoopBound<CallHandler>
    let eventLoop: any EventLoop

    /// Writes responses, and waits until the client's windows and the socket have taken them.
    ///
    /// - Throws: An error if the call has ended.
    public func write(_ messages: [GRPCMessage]) async throws {
        guard !messages.isEmpty else { return }
        try await withCheckedThrowingContinuation { continuation in
            eventLoop.execute { handler.value.write(messages, continuation) }
        }
    }

    /// Writes a response, and waits until the client's windows and the socket have taken it.
    ///
    /// - Throws: An error if the call has ended.
    public func write(_ message: GRPCMessage) async throws { try await write([message]) }
}
