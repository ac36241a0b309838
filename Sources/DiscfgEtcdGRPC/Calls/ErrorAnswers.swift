#if EtcdGRPC
import DiscfgEtcd
import GRPCCore
import Logging

/// What a client is told of an error.
///
/// Errors that say what they are to the client go as they are. Of any other, the client learns only that there was
/// one, and the log which type it had: what it says may hold a key or a value.
struct ErrorAnswers: Sendable {
    /// What grpc-swift says of a call that has not the one request that its method takes.
    private static let wrongCounts: Set<String> = ["Empty stream.", "Too many messages."]

    let logger: Logger

    func answer(to error: any Error, of call: ServerContext) -> RPCError {
        switch error {
        // grpc-swift's own, for a call with no request or with two: the code for it is another.
        case let error as RPCError where error.code == .internalError && Self.wrongCounts.contains(error.message):
            let message = error.message == "Empty stream." ? "no request" : "more than one request"
            return RPCError(code: .unimplemented, message: message)
        case let error as RPCError: return error
        case let error as any RPCErrorConvertible: return RPCError(error)
        case is CancellationError: return RPCError(EtcdError.stopped)
        default:
            // Nobody reads the answer of a call that was cancelled, and its errors are what cancelling makes of it.
            if !call.cancellation.isCancelled {
                logger.error(
                    "A call failed inside the server",
                    metadata: [
                        "rpc.method": "\(call.descriptor.fullyQualifiedMethod)",
                        "error.type": "\(type(of: error))",
                    ])
            }
            return RPCError(code: .internalError, message: "discfg: something failed inside the server; see its log")
        }
    }
}

extension ErrorAnswers: ServerInterceptor {
    func intercept<Input: Sendable, Output: Sendable>(
        request: StreamingServerRequest<Input>, context: ServerContext,
        next:
            @concurrent @Sendable (StreamingServerRequest<Input>, ServerContext) async throws
            -> StreamingServerResponse<Output>
    ) async throws -> StreamingServerResponse<Output> {
        do {
            var response = try await next(request, context)
            // The messages of a stream are made after this function, and so are most of its errors.
            if case .success(var contents) = response.accepted {
                let producer = contents.producer
                contents.producer = { writer in
                    do {
                        return try await producer(writer)
                    } catch {
                        throw answer(to: error, of: context)
                    }
                }
                response.accepted = .success(contents)
            }
            return response
        } catch {
            throw answer(to: error, of: context)
        }
    }
}
#endif
