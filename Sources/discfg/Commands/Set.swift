import ArgumentParser
import DiscfgCore

/// `discfg set`: writes a key; not named `Set`, which is the standard library's.
struct SetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Set a key.",
        usage: "discfg set [<cfg>] <key> <value> [<options>]",
        discussion: """
            Three arguments name the config first. VALUE is “-” for standard input or
            “@FILE” for a file; write “@@x” for a text that begins with “@”, and “--”
            before a value that begins with “-”.

            Examples:
              discfg set /db/host localhost -m "local for now"
              discfg set --type number /limits/low -- -5
              discfg set /tls/cert @cert.pem --if-absent
            """)

    @Argument(help: ArgumentHelp("The config, if not that of --cfg; the key; its value.", valueName: "[cfg] key value"))
    var arguments: [String] = []

    @Option(
        name: .shortAndLong, help: ArgumentHelp("Take the value from a file; VALUE is left out.", valueName: "file"),
        completion: .file())
    var data: String?

    @Option(
        help: ArgumentHelp("What the value is: \(ValueType.help)", valueName: "type"),
        completion: .list(ValueType.names), transform: ValueType.init(parsing:))
    var type: ValueType?

    @Option(
        help: ArgumentHelp("How long the key stays, such as 30s; “keep” for as before.", valueName: "duration"),
        transform: Operation.Expiry.init(parsing:))
    var ttl: Operation.Expiry?

    @OptionGroup(title: "Conditions")
    var conditions: Conditions

    @Option(name: .shortAndLong, help: ArgumentHelp("Why; kept in the history.", valueName: "text"))
    var message: String?

    @OptionGroup
    var globals: GlobalOptions

    private var positionals: Positionals {
        get throws {
            try Positionals(
                arguments, names: data == nil ? ["KEY", "VALUE"] : ["KEY"],
                hint: data == nil
                    ? "VALUE can be “-” for standard input, or “@FILE”; before one that begins with “-” write “--”."
                    : "With --data there is no VALUE.")
        }
    }

    func validate() throws { _ = try positionals }

    func run() async throws {
        let positionals = try positionals
        let key = try Key(path: positionals.values[0])
        let source = data.map { $0 == "-" ? ValueSource.input : .file($0) } ?? ValueSource(positionals.values[1])
        let value = try source.value(type: type)
        let preconditions = try conditions.preconditions(on: key)
        try await globals.withSession(config: positionals.config) { session in
            let result = try await session.commit(
                [.set(key, value, expiry: ttl ?? .never)], if: preconditions, message: message)
            let (item, previous) = (result.outcomes.first?.item, result.outcomes.first?.previous.first)
            try session.output.answer(
                Envelope(action: "set", item: item, previous: previous, revision: result.revision),
                human: "set \(key.shown.printable)  revision \(result.revision)  version \(item?.version ?? 0)\n")
        }
    }
}
