import ArgumentParser
import DiscfgCore

/// What the user is told when a command fails, and what the process exits with.
struct Failure {
    let text: String
    let status: Int32
    /// Whether it is none: help and the like, which were asked for.
    var isSuccess: Bool { status == 0 }

    /// The failure that an error comes to; `words` are those that were parsed.
    init(_ error: any Error, words: [String] = []) {
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
            text = status == 3 ? Self.lines("\(error)", hint: nil) : Self.parserText(for: error, words)
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

    private static func parserText(for error: any Error, _ words: [String]) -> String {
        let text = Discfg.fullMessage(for: error).printableLines
        let message = text.hasPrefix("Error: ") ? "error: " + hinted(text.dropFirst(7), words) : text
        return message.isEmpty || message.hasSuffix("\n") ? message : message + "\n"
    }
}

extension Failure {
    /// The parser's text about an option that the command does not have, with a hint of our own: the parser suggests whatever
    /// has few other letters, and no option with another name.
    private static func hinted(_ text: Substring, _ words: [String]) -> String {
        guard let found = text.prefixMatch(of: /Unknown option '(-[^' ]*)'[^\n]*/) else { return String(text) }
        let command = CommandDefinition.named(words, below: CommandDefinition(of: Discfg.self))
        let meant = Synonyms.option(for: String(found.1), of: command)
        return "Unknown option “\(found.1)”." + (meant.map { "\nhint: Did you mean “\($0)”?" } ?? "")
            + text[found.range.upperBound...]
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
