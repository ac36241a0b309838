import ArgumentParser
import DiscfgCore

/// `discfg txn`: carries out a transaction.
struct Txn: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "txn",
        abstract: "Change several keys together, under conditions.",
        discussion: """
            The file is JSON. Conditions test one of exists, version, revision and value;
            operations are set, patch, delete, deleteAll and get. When a condition fails,
            “else” is carried out; without one the command exits with 1.

            Example:
              echo '{"if":[{"key":"/lock","exists":false}],
                     "then":[{"set":"/lock","value":"me","ttl":"30s"}]}' | discfg txn -
            """)

    @Argument(help: ArgumentHelp("The file; “-” for standard input.", valueName: "file"), completion: .file())
    var file: String

    @Option(name: .shortAndLong, help: ArgumentHelp("Why; kept in the history.", valueName: "text"))
    var message: String?

    @OptionGroup
    var globals: GlobalOptions

    func run() async throws {
        guard !file.hasPrefix("{") else {
            throw DiscfgError.invalid(
                "The argument is a transaction, not the name of a file.", hint: "Pipe it to “discfg txn -”.")
        }
        let bytes = try LocalFile.read(file)
        let json: JSONValue
        do {
            json = try JSONValue(parsing: bytes)
        } catch {
            throw DiscfgError.invalid("The transaction is not JSON: \(error).", hint: "See “discfg txn --help”.")
        }
        try await globals.withSession { session in
            var transaction = try Transaction(wire: json)
            if let message { transaction.message = message }
            let result = try await session.store.commit(transaction, to: session.config)
            if session.output.isWire || result.failed == nil || !transaction.failure.isEmpty {
                try session.output.answer(human: result.summary) { result.write(to: &$0, session.output.style) }
            }
            if transaction.failure.isEmpty { _ = try result.orThrow() }
        }
    }
}

extension TransactionResult {
    /// What came of the transaction: a line for each operation.
    fileprivate var summary: String {
        let title = failed == nil ? "the conditions held" : "a condition on \(failed?.key.shown ?? "") failed"
        return title.printable + (changed ? "  revision \(revision)\n" : "  nothing changed\n")
            + outcomes.map { outcome in
                if let item = outcome.item {
                    let name = item.key.shown.printable
                    return "    \(name) = \(item.value.summary())  version \(item.version)\n"
                }
                return outcome.previous.isEmpty
                    ? "    absent\n" : outcome.previous.map { "    deleted \($0.key.shown.printable)\n" }.joined()
            }.joined()
    }
}
