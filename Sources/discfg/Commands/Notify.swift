import ArgumentParser
import DiscfgCore

/// `discfg notify`: tells others of changes.
struct Notify: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "notify",
        abstract: "Tell SNS, SQS, EventBridge or a webhook of changes.",
        discussion: """
            A running server sends the notifications of its store, and so do the functions
            of a deployment in Lambda: at least once, in the order of the revisions.

            Examples:
              discfg notify add --prefix /payments --to https://example.com/hook
              discfg notify ls
            """,
        subcommands: [NotifyAdd.self, NotifyList.self, NotifyRemove.self, NotifyTest.self, NotifyReplay.self])
}

/// `discfg notify add`: adds a notification.
struct NotifyAdd: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Send the changes from now on to a target.",
        discussion: """
            What is sent is a CloudEvent with the revision, who changed which keys, and
            why; values only with --with-values. Webhooks are signed as Standard Webhooks
            has it; without a secret one is made, and shown this once.

            Examples:
              discfg notify add --to sns:arn:aws:sns:eu-west-1:123456789012:changes
              discfg notify add --to sqs:https://sqs.eu-west-1.amazonaws.com/123456789012/q
              discfg notify add --to eventbridge:default --prefix /payments
              discfg notify add --to https://example.com/hook --secret-file secret.txt
            """)

    @Option(
        help: ArgumentHelp("sns:ARN, sqs:URL, eventbridge:BUS or https://….", valueName: "target"),
        transform: { try NotificationTarget($0) })
    var to: NotificationTarget

    @Option(help: ArgumentHelp("Only this key, or what is in this directory.", valueName: "path"))
    var prefix = "/"

    @Flag(help: "Send values too, and not only which keys changed.")
    var withValues = false

    @Option(help: ArgumentHelp("What webhooks are signed with; others may see it in the list of processes."))
    var secret: String?

    @Option(
        help: ArgumentHelp("A file with that secret; “-” is standard input.", valueName: "path"), completion: .file())
    var secretFile: String?

    @Option(help: ArgumentHelp("A name for the notification; by default one is made.", valueName: "name"))
    var id: String?

    @Flag(help: "Allow a webhook to a private address or by plain HTTP; the process that sends must allow it too.")
    var allowPrivateWebhooks = false

    @OptionGroup
    var globals: GlobalOptions

    func validate() throws {
        guard secret == nil || secretFile == nil else {
            throw ValidationError("The secret is given twice; use --secret or --secret-file.")
        }
    }

    func run() async throws {
        let secret = try secretFile.map { try Self.line(of: $0) } ?? secret
        let rule = try NotificationRule(id: id, to: to, prefix: prefix, withValues: withValues, secret: secret)
        try await globals.withNotifications(allowingPrivate: allowPrivateWebhooks) { session in
            let kept = try await session.notifications.addNotification(rule, to: session.config)
            let made = secret == nil ? kept.secret.map { "secret: \($0.printable)\n" } ?? "" : ""
            try session.output.answer(human: "added \(kept.id.printable), from revision \(kept.after ?? 0) on\n\(made)")
            {
                writer in
                writer.object { writer in
                    writer.member("action", "add")
                    writer.name("notification")
                    kept.write(to: &writer, withSecret: secret == nil)
                }
            }
        }
    }

    /// The first line of a file, without what ends it.
    private static func line(of file: String) throws -> String {
        let bytes = try LocalFile.read(file)
        return String(decoding: bytes.prefix { $0 != 0x0A && $0 != 0x0D }, as: UTF8.self)
    }
}

/// `discfg notify ls`: lists notifications.
struct NotifyList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ls",
        abstract: "List the notifications, how far each has come, and what was given up.",
        discussion: """
            Example:
              discfg notify ls -f json
            """)

    @OptionGroup
    var globals: GlobalOptions

    func run() async throws {
        try await globals.withNotifications { session in
            let statuses = try await session.notifications.notifications(of: session.config)
            var table = Table([
                .init(title: "NAME"), .init(title: "PREFIX"), .init(title: "SENT", isNumber: true),
                .init(title: "GIVEN UP", isNumber: true), .init(title: "TO"), .init(title: "STATE"),
            ])
            for status in statuses {
                let count = "\(status.deadLetters.count)" + (status.hasMoreDeadLetters ? "+" : "")
                table.add([
                    status.rule.id, status.rule.prefix, "\(status.sent)", count, "\(status.rule.target)", status.state,
                ])
            }
            let letters = statuses.flatMap { status in
                status.deadLetters.map { "\(status.rule.id): revision \($0.revision) was given up: \($0.reason)\n" }
            }.map(\.printableLine)
            try session.output.answer(
                human: table.lines(for: session.output.terminal) + letters.joined()
            ) { writer in
                writer.object { writer in
                    writer.name("notifications")
                    writer.array { for status in statuses { status.write(to: &$0) } }
                }
            }
        }
    }
}

/// `discfg notify rm`: removes a notification.
struct NotifyRemove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rm", abstract: "Remove a notification, and what was given up of it.",
        discussion: """
            Example:
              discfg notify rm payments
            """)

    @Argument(help: ArgumentHelp("The notification.", valueName: "name"))
    var id: String

    @OptionGroup
    var globals: GlobalOptions

    func run() async throws {
        try await globals.withNotifications { session in
            try await session.notifications.removeNotification(id, from: session.config)
            try session.answer("removed", "remove", id)
        }
    }
}

/// `discfg notify test`: sends a test.
struct NotifyTest: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test", abstract: "Send one notification that says it is a test, and tell what came of it.",
        discussion: """
            Example:
              discfg notify test payments
            """)

    @Argument(help: ArgumentHelp("The notification.", valueName: "name"))
    var id: String

    @Flag(help: "Send webhooks to private addresses and by plain HTTP too. (DISCFG_ALLOW_PRIVATE_WEBHOOKS=1)")
    var allowPrivateWebhooks = false

    @OptionGroup
    var globals: GlobalOptions

    func run() async throws {
        try await globals.withNotifications(allowingPrivate: allowPrivateWebhooks) { session in
            try await session.notifications.testNotification(id, in: session.config)
            try session.answer("sent a test to", "test", id)
        }
    }
}

/// `discfg notify replay`: sends again what was given up.
struct NotifyReplay: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay", abstract: "Send again what was given up, oldest first.",
        discussion: """
            What is taken now is forgotten; what is refused again stays. It ends
            after a quarter of a minute, and says whether there are more.

            Example:
              discfg notify replay payments
            """)

    @Argument(help: ArgumentHelp("The notification.", valueName: "name"))
    var id: String

    @Flag(help: "Send webhooks to private addresses and by plain HTTP too. (DISCFG_ALLOW_PRIVATE_WEBHOOKS=1)")
    var allowPrivateWebhooks = false

    @OptionGroup
    var globals: GlobalOptions

    func run() async throws {
        try await globals.withNotifications(allowingPrivate: allowPrivateWebhooks) { session in
            let result = try await session.notifications.replayNotifications(id, in: session.config)
            let more = result.hasMore ? "; there are more" : ""
            try session.output.answer(human: "sent \(result.sent) again, \(result.failed) refused\(more)\n") {
                result.write(to: &$0)
            }
            if result.failed > 0 { throw ExitCode(3) }
        }
    }
}

extension GlobalOptions {
    fileprivate func withNotifications(
        allowingPrivate: Bool = false, _ body: (Session) async throws -> Void
    ) async throws {
        var settings = try settings()
        if allowingPrivate { settings.allowsPrivateWebhooks = true }
        try await Session.with(settings, expiry: .left, body)
    }
}

extension Session {
    fileprivate func answer(_ human: String, _ action: String, _ id: String) throws {
        try output.answer(human: "\(human) \(id.printable)\n") { writer in
            writer.object {
                $0.member("action", action)
                $0.member("id", id)
            }
        }
    }
}

extension NotificationStatus {
    /// In a few words.
    fileprivate var state: String {
        if let failure {
            return "revision \(failure.revision) refused \(failure.attempts) times, next try \(failure.next.short)"
        }
        return sent < revision ? "\(revision - sent) revisions to look at" : "up to date"
    }
}

extension String {
    fileprivate var printableLine: String { String(dropLast()).printable + "\n" }
}
