import ArgumentParser
import DiscfgCore
import Logging

/// The options that every command has; each has an environment variable, which the option beats.
struct GlobalOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Where configs are kept. (DISCFG_STORE; default: sqlite:)", valueName: "url"))
    var store: String?

    @Option(help: ArgumentHelp("The config. (DISCFG_CFG, then .discfg; default: default)", valueName: "name"))
    var cfg: String?

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "How answers are written. (DISCFG_FORMAT; default: human)", valueName: "format"))
    var format: OutputFormat?

    @Option(help: ArgumentHelp("How much is logged. (DISCFG_LOG_LEVEL; default: warning)", valueName: "level"))
    var logLevel: LogLevel?

    @Option(
        help: ArgumentHelp(
            "Author of changes; “history” selects by it. (DISCFG_AUTHOR; default: login name)", valueName: "name"))
    var author: String?
}

/// A level of logging, as it is written.
enum LogLevel: String, CaseIterable, ExpressibleByArgument, Sendable {
    case trace, debug, info, notice, warning, error, critical

    var level: Logger.Level { Logger.Level(rawValue: rawValue) ?? .warning }
}
