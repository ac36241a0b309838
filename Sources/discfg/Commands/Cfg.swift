import ArgumentParser

/// `discfg cfg`: everything about configs in one place.
struct Cfg: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cfg",
        abstract: "Create, delete and describe configs.",
        discussion: """
            Examples:
              discfg cfg create production
              discfg cfg update production '{"retention":{"age":"30d"}}'
            """,
        subcommands: [
            Create.self, CfgDelete.self, CfgUpdate.self, Use.self, Which.self, Info.self, CfgList.self,
        ])
}

/// `discfg cfg list`: the same as `discfg cfgs`.
struct CfgList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List the configs of the store.")

    @OptionGroup
    var globals: GlobalOptions

    func run() async throws { try await Cfgs.list(globals) }
}
