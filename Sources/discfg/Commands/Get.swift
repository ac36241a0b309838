import ArgumentParser
import DiscfgCore

/// `discfg get`: prints a value.
struct Get: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Print the value of a key.",
        usage: "discfg get [<cfg>] <key> [<options>]",
        discussion: """
            The value stands alone on standard output; a text that does not end in a
            newline gets one.

            Examples:
              discfg get /db/host
              discfg get production /db/host --rev 7
              discfg get /features --path /beta/enabled
            """)

    @Argument(help: ArgumentHelp("The config, if not that of --cfg; the key.", valueName: "[cfg] key"))
    var arguments: [String] = []

    @Option(name: .customLong("rev"), help: ArgumentHelp("Read as of this revision.", valueName: "n"))
    var revision: Revision?

    @Option(help: ArgumentHelp("Of a JSON value, only what this JSON Pointer names.", valueName: "pointer"))
    var path: String?

    @Flag(help: "Print what is known of the key beside its value.")
    var detailed = false

    @Flag(name: .shortAndLong, help: "Print exactly the bytes of the value.")
    var noNewline = false

    @Flag(help: "Read what is newest, at twice the cost on a remote store.")
    var consistent = false

    @OptionGroup
    var globals: GlobalOptions

    func validate() throws { _ = try Positionals(arguments, names: ["KEY"]) }

    func run() async throws {
        let positionals = try Positionals(arguments, names: ["KEY"])
        let key = try Key(path: positionals.values[0])
        let pointer = try path.map { try JSONPointer($0) }
        try await globals.withSession(config: positionals.config) { session in
            var reading = try await session.explaining(key, at: revision, "List them with “discfg ls KEY”.") {
                try await session.store.get(
                    key, in: session.config, at: revision, consistency: consistent ? .strong : .eventual)
            }
            if let pointer { reading.item.value = try reading.item.value.part(at: pointer, of: key) }
            if session.output.isHuman, !detailed {
                try session.output.raw(Self.text(of: reading.item.value, bare: pointer != nil, exact: noNewline))
            } else {
                try session.output.answer(
                    Envelope(action: "get", item: reading.item, revision: reading.revision),
                    human: reading.details(for: session.output))
            }
        }
    }

    /// The bytes to print: of a part of a JSON value, a string without its quotes.
    static func text(of value: Value, bare: Bool, exact: Bool) -> [UInt8] {
        let string = bare ? (try? value.parsedJSON())?.string : nil
        let bytes = string.map { Array($0.utf8) } ?? value.bytes
        let isText = value.contentType != Value.octets && value.text != nil
        return exact || !isText || bytes.last == 0x0A ? bytes : bytes + [0x0A]
    }
}

extension Session {
    /// Does what needs a key; if there is none but keys below it, the error says that.
    ///
    /// `hint` says what to do about them, with `KEY` for the key.
    func explaining<Result>(
        _ key: Key, at revision: Revision? = nil, _ hint: String, _ work: () async throws -> Result
    ) async throws -> Result {
        do {
            return try await work()
        } catch var error as DiscfgError where error.code == .keyNotFound {
            let query = ListQuery(key.shown, at: revision, limit: 1, keysOnly: true)
            // If that fails too, the first error is the one to see.
            if let below = try? await store.list(query, in: config), !below.entries.isEmpty {
                error.message = "There is no key “\(key)” in config “\(config)”, but there are keys below it."
                error.hint = hint.replacing("KEY", with: Variables.quoted(key.shown))
            }
            throw error
        }
    }
}

extension Value {
    /// The part of a JSON value that a pointer names.
    fileprivate func part(at pointer: JSONPointer, of key: Key) throws(DiscfgError) -> Value {
        guard let part = try parsedJSON().value(at: pointer) else {
            throw DiscfgError(
                .pathNotFound, "The value of “\(key)” has nothing at “\(pointer)”.",
                hint: "See the whole value with “discfg get \(key.shown)”.")
        }
        return Value(part)
    }
}

extension Reading {
    /// What is known of the key, one thing to a line.
    fileprivate func details(for output: Output) -> String {
        var fields = [
            ("key", item.key.shown), ("value", item.value.summary(limit: 1000)), ("type", item.value.contentType),
            ("size", String(item.value.bytes.count)), ("version", String(item.version)),
            ("revision", String(item.modified)), ("created", String(item.created)), ("modified", item.modifiedAt.short),
        ]
        if !item.author.isEmpty { fields.append(("by", item.author)) }
        if let expiry = item.expiry {
            fields.append(("expires", "\(expiry.short) (in \(item.timeLeft(from: output.style.now)))"))
        }
        return Table.fields(fields.map { (name: $0.0, value: $0.1) }, for: output.terminal)
    }
}
