import DiscfgCore
import DiscfgNotifications
import Logging
import Metrics

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// An open store, with the config that a command works on and the way it answers.
struct Session: Sendable {
    let settings: Settings
    let output: Output
    /// What the user of this process opened; a server determines the caller of each request, and uses it on behalf of them.
    let opened: OpenStore
    private let caller: Caller

    /// The store, for the user of this process.
    var store: CallerStore { opened.store.acting(as: caller) }
    /// The notifications, for the user of this process.
    var notifications: CallerNotifications { opened.notifications.acting(as: caller) }
    /// The time by which what is in the store ends.
    var time: TimeSource { opened.time }
    /// The store, unless each call is passed on to a server.
    var local: ConfigService? { opened.local }
    /// The store, if this process removes what is overdue or too old from it.
    var maintained: ConfigService? { opened.maintained }
    /// What an operator does with the store; `nil` for a store without that.
    var administration: (any StoreAdministration)? { opened.administration }
    /// What sends notifications, where the store is in this process.
    var notifier: Notifier? { opened.notifier }

    var config: ConfigName { settings.config.name }

    /// Whether keys that are overdue are committed as expired first.
    enum Expiry {
        /// The command does not look at the log: what is overdue is absent for it anyway.
        case left
        /// The command reads the log, and no server may be running to have written to it.
        case committed
    }

    /// Opens a store, does the work, and closes it again.
    static func with(
        _ settings: Settings, expiry: Expiry, metrics: any MetricsFactory = NOOPMetricsHandler.instance,
        use: StoreUse = StoreUse(), _ body: (Session) async throws -> Void
    ) async throws {
        var logger = Logger(label: "discfg", factory: { StreamLogHandler.standardError(label: $0) })
        logger.logLevel = settings.logLevel
        let opened = try OpenStore(settings, metrics: metrics, use: use, logger: logger)
        let output = Output(
            format: settings.format, terminal: Terminal(.output, environment: settings.environment),
            time: opened.time)
        do {
            let session = Session(
                settings: settings, output: output, opened: opened, caller: settings.caller)
            if expiry == .committed {
                // As far as that is possible: on a file that cannot be written, reading still works.
                _ = try? await opened.maintained?.sweep(
                    settings.config.name, leasesOverdueBy: ConfigService.overdueMargin)
            }
            try await body(session)
            // Where no server ever runs, commands keep the history from growing without end.
            _ = try? await opened.maintained?.enforceRetentionAfterCommits(in: settings.config.name)
        } catch {
            try? await opened.close()
            throw settings.completed(error)
        }
        try await opened.close()
    }

    /// Commits one transaction, which must meet its conditions.
    func commit(
        _ operations: [Operation], if conditions: [Precondition] = [], message: String?
    ) async throws -> TransactionResult {
        let transaction = Transaction(if: conditions, then: operations, message: message ?? "")
        return try await store.commit(transaction, to: config).orThrow()
    }
}

extension GlobalOptions {
    /// What the options and the environment of this process come to.
    func settings(config: String? = nil) throws -> Settings {
        try Settings(
            self, config: config, environment: ProcessInfo.processInfo.environment, directory: CurrentProcess.directory)
    }

    /// Opens the store that the options name, and does the work.
    func withSession(
        config: String? = nil, expiry: Session.Expiry = .left, _ body: (Session) async throws -> Void
    ) async throws {
        try await Session.with(try settings(config: config), expiry: expiry, body)
    }
}
