import AWSClient
import Logging

extension Logger {
    /// Warns of a failure by its type and code, and not by what it says, which may be an item's content.
    func warn(_ message: Logger.Message, of error: any Error, _ metadata: Logger.Metadata) {
        var metadata = metadata
        metadata["error.type"] = "\(type(of: error))"
        if let error = error as? PatternError { metadata["error.code"] = "\(error.code.rawValue)" }
        if let error = error as? AWSError { metadata["error.code"] = "\(error.code.rawValue)" }
        warning(message, metadata: metadata)
    }
}
