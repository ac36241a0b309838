import ArgumentParser
import DiscfgCore

/// `discfg edit`: changes a value in an editor.
struct Edit: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "edit",
        abstract: "Change a value in $VISUAL or $EDITOR.",
        discussion: """
            What is not changed is not written. When someone else changed the key
            meanwhile nothing is overwritten, and the file that was edited is kept.

            Example:
              EDITOR=nano discfg edit /app/limits
            """)

    @Argument(help: ArgumentHelp("The key; an absent one is made.", valueName: "key"))
    var key: String

    @Option(
        help: ArgumentHelp("What a new value is: \(ValueType.help)", valueName: "type"),
        completion: .list(ValueType.names), transform: ValueType.init(parsing:))
    var type: ValueType?

    @Option(name: .shortAndLong, help: ArgumentHelp("Why; kept in the history.", valueName: "text"))
    var message: String?

    @OptionGroup
    var globals: GlobalOptions

    func run() async throws {
        let key = try Key(path: key)
        try await globals.withSession { session in
            let editor = try EditedFile.editor(
                session.settings.environment,
                hasTerminal: Descriptor.input.isTerminal && Descriptor.output.isTerminal)
            let old = try await session.current(key)
            var draft = try Draft(old?.value ?? Value(bytes: [], contentType: Value.text), type: type)
            let file = try EditedFile(draft.text, extension: ValueType.fileExtension(of: draft.value))
            do {
                try await file.edit(with: editor)
                guard try draft.take(file.content()) || (old == nil && !draft.value.bytes.isEmpty) else {
                    file.remove()
                    return Output.note("unchanged; nothing was written")
                }
                let result = try await session.commit(
                    [.set(key, draft.value, expiry: .unchanged)],
                    if: [Precondition(key, .revision(old?.modified ?? 0))],
                    message: message)
                let item = result.outcomes.first?.item
                try session.output.answer(
                    Envelope(action: "set", item: item, previous: old, revision: result.revision),
                    human:
                        "set \(key.shown.printable)  revision \(result.revision)  version \(item?.version ?? 0)\n"
                )
                file.remove()
            } catch var error as DiscfgError {
                if let content = try? file.content(), content == draft.text {
                    file.remove()
                    throw error
                }
                error.hint = "Your text is kept in \(file.path)." + (error.hint.map { " " + $0 } ?? "")
                throw error
            }
        }
    }
}

extension Session {
    /// The key as it is now, or `nil` if it is absent.
    fileprivate func current(_ key: Key) async throws -> Item? {
        do {
            return try await store.get(key, in: config, at: nil, consistency: .strong).item
        } catch let error as DiscfgError where error.code == .keyNotFound {
            return nil
        }
    }
}
