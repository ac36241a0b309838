import ArgumentParser
import DiscfgCore

/// `discfg create`: makes a config.
struct Create: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Make a config.",
        discussion: """
            Settings that are left out have their defaults. On DynamoDB the table is made
            too where it is missing, with throughput on demand or as the settings say.

            Examples:
              discfg create production
              discfg create staging '{"retention":{"age":"30d","revisions":1000}}'
              discfg create live '{"ReadCapacityUnits":4,"WriteCapacityUnits":2}'
            """)

    @Argument(help: ArgumentHelp("1 to 64 letters, digits, “.”, “_” and “-”.", valueName: "name"))
    var name: String

    @Argument(help: ArgumentHelp("Settings, as a JSON object.", valueName: "settings-json"))
    var settings: String?

    @OptionGroup
    var globals: GlobalOptions

    func run() async throws {
        let name = try ConfigName(name)
        let settings = try settings.map { try ConfigSettings(json: try .settings($0)) } ?? ConfigSettings()
        try await globals.withSession { session in
            let info = try await session.store.createConfig(name, settings: settings)
            try session.output.answer(human: "created \(name)  revision \(info.revision)\n") {
                info.write(to: &$0, action: "create")
            }
        }
    }
}

extension JSONValue {
    /// Settings that were typed as an argument.
    static func settings(_ text: String) throws(DiscfgError) -> JSONValue {
        do {
            return try JSONValue(parsing: text)
        } catch {
            throw .invalid(
                "The settings are not JSON: \(error).", hint: "Write them as '{\"retention\":{\"age\":\"90d\"}}'.")
        }
    }
}
