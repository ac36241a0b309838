import DiscfgCore
import Logging

/// What the global options come to: an option beats its variable, which beats `.discfg`, which beats the default.
struct Settings: Sendable {
    let store: StoreURL
    let config: ConfigChoice
    let format: OutputFormat
    let logging: LogLevel
    let environment: [String: String]
    /// Whether webhooks may go to private addresses, and by plain HTTP.
    var allowsPrivateWebhooks: Bool
    /// The store, if an option named it.
    let storeOption: String?
    private let authorOption: String?

    var logLevel: Logger.Level { logging.level }

    /// Who makes changes; asks the system only when it is needed.
    var author: String {
        let named = authorOption ?? environment["LOGNAME"].nonEmpty ?? environment["USER"].nonEmpty
        return named ?? CurrentProcess.loginName ?? ""
    }

    /// The caller of everything that a command does.
    ///
    /// A process that can open a store can write any author to it, so the name needs no other proof. A server does not
    /// believe it: there the name is only claimed.
    var caller: Caller { Caller(author, provenBy: .localUser) }

    /// Puts options and variables together; `config` is what an argument names, `directory` if `.discfg` is looked for.
    ///
    /// - Throws: `DiscfgError` that names the option, variable or file that is wrong.
    init(
        _ options: GlobalOptions, config: String? = nil, environment: [String: String], directory: String
    ) throws(DiscfgError) {
        self.environment = environment
        storeOption = options.store
        store = try StoreURL(
            options.store ?? environment["DISCFG_STORE"].nonEmpty ?? "sqlite:", environment: environment)
        self.config = try ConfigChoice(
            argument: config, option: options.cfg, environment: environment, directory: directory)
        format = try Self.choice(options.format, else: "DISCFG_FORMAT", in: environment) ?? .human
        logging = try Self.choice(options.logLevel, else: "DISCFG_LOG_LEVEL", in: environment) ?? .warning
        allowsPrivateWebhooks = ["1", "true"].contains(environment["DISCFG_ALLOW_PRIVATE_WEBHOOKS"])
        authorOption = options.author ?? environment["DISCFG_AUTHOR"].nonEmpty
    }

    /// What the option says, or else the variable.
    private static func choice<Choice: CaseIterable & RawRepresentable<String>>(
        _ option: Choice?, else name: String, in environment: [String: String]
    ) throws(DiscfgError) -> Choice? {
        if let option { return option }
        guard let text = environment[name].nonEmpty else { return nil }
        guard let choice = Choice(rawValue: text) else {
            let choices = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            throw .invalid("The variable \(name) says “\(text)”.", hint: "There are: \(choices).")
        }
        return choice
    }
}

extension String? {
    /// The text, unless it is empty: an empty variable counts as none.
    var nonEmpty: String? { self?.isEmpty == false ? self : nil }
}

/// Services hold settings, and ServiceLifecycle logs its services: the environment may have credentials.
extension Settings: CustomStringConvertible, CustomReflectable {
    var description: String { "settings" }

    var customMirror: Mirror { Mirror(self, children: []) }
}
