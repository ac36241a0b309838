import DiscfgCore
import Subprocess

/// What a watch does with each commit: prints it, or runs a command for each of its changes.
struct ChangeAction {
    let session: Session
    /// The command; empty to print.
    let command: [String]

    func perform(_ commit: Commit) async throws {
        if command.isEmpty { return try print(commit) }
        for change in commit.changes { try await run(for: change, of: commit) }
    }

    private func print(_ commit: Commit) throws {
        let output = session.output
        switch output.format {
        case .silent: break
        case .json: try output.document(JSONWriter.bytes { commit.write(to: &$0, output.style) })
        case .yaml:
            try output.raw(Array("---\n".utf8))
            try output.document(JSONWriter.bytes { commit.write(to: &$0, output.style) })
        case .human:
            for change in commit.changes {
                try output.human(
                    "\(output.terminal.mark(String(commit.revision)))  \(change.line(for: output.terminal))\n")
            }
        }
    }

    private func run(for change: Change, of commit: Commit) async throws {
        let value = change.item?.value.bytes ?? []
        var variables: [Environment.Key: String?] = [:]
        for (name, text) in Self.environment(for: change, of: commit, in: session.settings) {
            if let key = Environment.Key(rawValue: name) { variables[key] = .some(text) }
        }
        var options = PlatformOptions()
        // A watch that is ended asks its command to end, and gives it time for that.
        options.teardownSequence = [.gracefulShutDown(allowedDurationToNextStep: .seconds(5))]
        do {
            let result = try await Subprocess.run(
                .name(command[0]), arguments: Arguments(Array(command.dropFirst())),
                environment: .inherit.updating(variables), platformOptions: options,
                input: .inputWriter, output: .currentStandardOutput, error: .currentStandardError
            ) { execution in
                // A command need not read the value.
                _ = try? await execution.standardInputWriter.write(value)
                try? await execution.standardInputWriter.finish()
            }
            if !result.terminationStatus.isSuccess, !Task.isCancelled {
                Output.note(
                    "warning: \(command[0]): \(result.terminationStatus.phrase), at revision \(commit.revision)")
            }
        } catch let error as SubprocessError {
            try Task.checkCancellation()
            Output.note("warning: \(command[0]) could not be run, at revision \(commit.revision): \(error)")
        }
    }

    /// The variables that tell a command what changed; those that do not apply are taken out.
    ///
    /// Store and config are those of the watch, so that a discfg among the commands works on the same; its author is its own.
    static func environment(for change: Change, of commit: Commit, in settings: Settings) -> [String: String?] {
        let text = change.item?.value.text.flatMap { $0.utf8.count > 100_000 || $0.utf8.contains(0) ? nil : $0 }
        return [
            "DISCFG_STORE": settings.store.description, "DISCFG_CFG": settings.config.name.description,
            "DISCFG_KEY": change.key.bytes.contains(0) ? change.key.escapedName : change.key.name,
            "DISCFG_KIND": change.kind.rawValue, "DISCFG_VALUE": text, "DISCFG_REVISION": String(commit.revision),
            "DISCFG_VERSION": change.item.map { String($0.version) }, "DISCFG_CHANGED_BY": commit.author.withoutZero,
            "DISCFG_MESSAGE": commit.message.withoutZero,
        ]
    }
}

extension String {
    /// The text without zero characters, at which a variable would end.
    fileprivate var withoutZero: String { filter { $0 != "\0" } }
}

extension TerminationStatus {
    /// The status as a phrase.
    var phrase: String {
        switch self {
        case .exited(let code): "exited with \(code)"
        case .signaled(let number): "was ended by signal \(number)"
        }
    }
}
