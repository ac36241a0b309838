import ArgumentParser
import DiscfgCore

/// What the user is told when a command fails, and what the process exits with.
struct Failure {
    let text: String
    let status: Int32
    /// Whether it is none: help and the like, which were asked for.
    var isSuccess: Bool { status == 0 }

    init(_ error: any Error) {
        switch error {
        case let error as DiscfgError:
            text = Self.lines(error.message, hint: error.hint)
            status = error.code.exitStatus
        case let code as ExitCode:
            text = ""
            status = code.rawValue
        case is CancellationError:
            text = ""
            status = 130
        default:
            let code = Discfg.exitCode(for: error)
            status = code.isSuccess ? 0 : code == .validationFailure ? 2 : 3
            text = status == 3 ? Self.lines("\(error)", hint: nil) : Self.parserText(for: error)
        }
    }

    /// Tells the user, and ends the process.
    func exit() -> Never {
        // Nothing to do if stderr is closed.
        try? (isSuccess ? Descriptor.output : .error).write(Array(text.utf8))
        CurrentProcess.end(status)
    }

    private static func lines(_ message: String, hint: String?) -> String {
        "error: \(message.printable)\n" + (hint.map { "hint: \($0.printable)\n" } ?? "")
    }

    private static func parserText(for error: any Error) -> String {
        let text = Discfg.fullMessage(for: error).printableLines
        let message = text.hasPrefix("Error: ") ? "error: " + text.dropFirst(7) : text
        return message.isEmpty || message.hasSuffix("\n") ? message : message + "\n"
    }
}

extension DiscfgError.Code {
    /// What the process exits with: 1 not found or condition failed, 2 usage, 3 store.
    var exitStatus: Int32 {
        switch self {
        case .keyNotFound, .conditionFailed, .configNotFound, .configExists, .compacted, .futureRevision, .notJSON,
            .leaseNotFound, .leaseExists, .notificationNotFound, .pathNotFound:
            1
        case .invalidName, .tooLarge, .invalidRequest, .unsupported, .forbidden: 2
        default: 3
        }
    }
}
