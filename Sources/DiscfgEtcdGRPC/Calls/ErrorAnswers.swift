#if EtcdGRPC
import DiscfgEtcd
import GRPCServing
import Logging
import SwiftProtobuf

/// What a client is told of an error.
///
/// Errors that say what they are to the client go as they are. Of any other, the client learns only that there was
/// one, and the log which type it had: what it says may hold a key or a value.
struct ErrorAnswers: Sendable {
    let logger: Logger

    func answer(to error: any Error, of call: GRPCCall) -> GRPCStatus {
        switch error {
        case let error as GRPCStatus: return error
        case let error as EtcdError: return GRPCStatus(error)
        case is CancellationError: return GRPCStatus(EtcdError.stopped)
        case is BinaryDecodingError:
            return GRPCStatus(.invalidArgument, "discfg: the request is not a message of its type")
        default:
            logger.error(
                "A call failed inside the server",
                metadata: ["rpc.method": "\(call.path.dropFirst())", "error.type": "\(type(of: error))"])
            return GRPCStatus(.internalError, "discfg: something failed inside the server; see its log")
        }
    }
}
#endif
