import ArgumentParser
import DiscfgCore
import DiscfgDynamoDB

/// `discfg store`: the store itself.
struct StoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "store",
        abstract: "Create, describe or destroy the store itself.",
        discussion: """
            Examples:
              discfg --store dynamodb:discfg store init
              discfg --store dynamodb:discfg store status -f json
            """,
        subcommands: [StoreInit.self, StoreStatus.self, StoreDestroy.self])
}

/// `discfg store init`: makes the store.
struct StoreInit: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Create the store if it does not exist: the DynamoDB table, or the SQLite file.",
        discussion: """
            A table is created with throughput on demand, a stream of its changes, and an
            index of what expires; the command waits until it is ready. An existing store
            is not changed: if it differs from the options, there is a warning.

            Examples:
              discfg --store dynamodb:discfg store init --protect
              discfg --store dynamodb:discfg store init --read-units 4 --write-units 2
            """)

    @Option(help: ArgumentHelp("Provisioned reads a second, instead of on demand.", valueName: "units"))
    var readUnits: Int64?

    @Option(help: ArgumentHelp("Provisioned writes a second, instead of on demand.", valueName: "units"))
    var writeUnits: Int64?

    @Flag(help: "Protect the table against deletion.")
    var protect = false

    @OptionGroup
    var globals: GlobalOptions

    func validate() throws {
        guard (readUnits == nil) == (writeUnits == nil), readUnits ?? 1 > 0, writeUnits ?? 1 > 0 else {
            throw ValidationError("Give both --read-units and --write-units, from 1, or neither.")
        }
    }

    func run() async throws {
        let properties = StoreProperties(settings: throughput, isProtected: protect)
        if properties != StoreProperties() { try globals.requireTable("has neither a throughput nor a protection") }
        try await globals.withSession { session in
            for warning in try await session.administration?.create(properties) ?? [] {
                Output.note("warning: \(warning.message)\nhint: \(warning.hint)")
            }
            let url = session.settings.store.description
            // Whatever kind of store it is, now it must answer.
            let revision = try await session.store.revision(of: .default)
            try session.output.answer(human: "the store is ready: \(url)\n") {
                $0.object {
                    $0.member("action", "init")
                    $0.member("store", url)
                    $0.member("cfgVersion", revision)
                }
            }
        }
    }
}

extension StoreInit {
    private var throughput: [String: JSONValue] {
        guard let readUnits, let writeUnits else { return [:] }
        return TableThroughput.provisioned(readUnits: readUnits, writeUnits: writeUnits).settings
    }
}

/// `discfg store status`: describes the store.
struct StoreStatus: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Describe the store: for DynamoDB the table's state, billing and size.",
        discussion: """
            Example:
              discfg --store dynamodb:discfg store status
            """)

    @OptionGroup
    var globals: GlobalOptions

    /// The fields that are numbers of bytes.
    private static let sizes = ["size", "walSize"]

    func run() async throws {
        try await globals.withSession { session in
            let storage: StorageDescription
            if let administration = session.administration {
                storage = try await administration.status()
            } else {
                storage = try await session.store.info(of: .default).storage
            }
            let fields = [("store", storage.name)] + storage.options.sorted(by: <).map { ($0.key, $0.value) }
            let shown = fields.map { name, value in
                (name: name, value: Self.sizes.contains(name) ? Int64(value).map(ByteCount.text) ?? value : value)
            }
            try session.output.answer(human: Table.fields(shown, for: session.output.terminal)) { writer in
                writer.object { writer in
                    for (name, value) in fields { writer.member(name, value) }
                }
            }
        }
    }
}

/// `discfg store destroy`: deletes the table.
struct StoreDestroy: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "destroy",
        abstract: "Delete the DynamoDB table, with all configs and all history.",
        discussion: """
            Asks you to type its name, unless --yes is given; without a terminal it is
            refused. A protected table is not deleted.

            Example:
              discfg --store dynamodb:trial store destroy --yes
            """)

    @Flag(name: .shortAndLong, help: "Do not ask.")
    var yes = false

    @OptionGroup
    var globals: GlobalOptions

    func run() async throws {
        try globals.requireTable("is not deleted by discfg")
        try await globals.withSession { session in
            guard let administration = session.administration, let subject = administration.subject else { return }
            _ = try await administration.status()
            if !yes {
                try Confirmation(subject: "\(subject.description) with all its configs", name: subject.name).ask()
            }
            try await administration.destroy()
            try session.output.answer(human: "destroyed \(session.settings.store)\n") {
                $0.object {
                    $0.member("action", "destroy")
                    $0.member("store", session.settings.store.description)
                }
            }
        }
    }
}

extension GlobalOptions {
    /// Refuses an operation on the store as a whole if it is not a table, before the store is opened, which may create it.
    fileprivate func requireTable(_ reason: String) throws {
        let store = try settings().store
        guard !store.location.isTable else { return }
        throw DiscfgError(
            .unsupported, "The store \(store) is \(store.location.kind), which \(reason).",
            hint: "Name a DynamoDB table: --store dynamodb:TABLE. A SQLite file needs no command.")
    }
}
