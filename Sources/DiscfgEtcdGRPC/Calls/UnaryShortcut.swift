#if EtcdGRPC
import GRPCCore
import GRPCProtobuf
import SwiftProtobuf

/// A method of one request and one response that is answered without grpc-swift's executor of calls.
///
/// The executor writes head, message and status one after the other, and each write is a turn between the call and
/// its connection. Here they are written at once, for the calls that are made all the time.
/// A client's deadline starts no timer: a client that gives up resets the stream, and these calls are short.
struct UnaryShortcut<Bytes: GRPCContiguousBytes & Sendable>: Sendable {
    typealias Stream = RPCStream<
        RPCAsyncSequence<RPCRequestPart<Bytes>, any Error>, RPCWriter<RPCResponsePart<Bytes>>.Closable
    >

    let answer: @Sendable (Stream, ServerContext) async -> Void

    init<Input: Message, Output: Message>(
        errors: ErrorAnswers, limit: MessageLimit,
        _ handler: @escaping @Sendable (Input, Metadata, ServerContext) async throws -> Output
    ) {
        answer = { stream, context in
            var parts: [RPCResponsePart<Bytes>]
            do {
                let (metadata, input) = try await Self.request(of: stream, as: Input.self, limit)
                let output = try await handler(input, metadata, context)
                let bytes: Bytes = try ProtobufSerializer<Output>().serialize(output)
                parts = [.metadata([:]), .message(bytes), .status(Status(code: .ok, message: ""), [:])]
            } catch {
                let error = errors.answer(to: error, of: context)
                parts = [.status(Status(code: Status.Code(error.code), message: error.message), error.metadata)]
            }
            // A write fails when the client is gone: then there is nobody to tell.
            try? await stream.outbound.write(contentsOf: parts)
            await stream.outbound.finish()
        }
    }

    /// The metadata and the one message of a request.
    private static func request<Input: Message>(
        of stream: Stream, as: Input.Type, _ limit: MessageLimit
    ) async throws -> (Metadata, Input) {
        var metadata: Metadata?
        var input: Input?
        for try await part in stream.inbound {
            switch part {
            case .metadata(let received): metadata = received
            case .message(let bytes):
                guard input == nil else { throw RPCError(code: .unimplemented, message: "more than one request") }
                try limit.check(bytes)
                input = try ProtobufDeserializer<Input>().deserialize(bytes)
            }
        }
        guard let metadata, let input else { throw RPCError(code: .unimplemented, message: "no request") }
        return (metadata, input)
    }
}
#endif
