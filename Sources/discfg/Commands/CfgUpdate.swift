import ArgumentParser
import DiscfgCore

/// `discfg cfg update`: changes settings.
struct CfgUpdate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "update",
        abstract: "Change settings of a config.",
        discussion: """
            The settings are merged into those that the config has; null puts one back to
            its default. On DynamoDB the throughput of the table can be set too.

            Examples:
              discfg cfg update production '{"retention":{"revisions":1000}}'
              discfg cfg update live '{"ReadCapacityUnits":8,"WriteCapacityUnits":4}'
              discfg cfg update live '{"BillingMode":"PAY_PER_REQUEST"}'
            """)

    @Argument(help: ArgumentHelp("The config.", valueName: "name"))
    var name: String

    @Argument(help: ArgumentHelp("The settings to change, as a JSON object.", valueName: "settings-json"))
    var settings: String

    @OptionGroup
    var globals: GlobalOptions

    func run() async throws {
        let patch = try JSONValue.settings(settings)
        try await globals.withSession(config: name) { session in
            let info = try await session.store.updateConfig(session.config, patch: patch)
            try session.output.answer(human: info.details(for: session.output.terminal)) {
                info.write(to: &$0, action: "update")
            }
        }
    }
}
