import ArgumentParser
import DiscfgCore

/// `discfg delete`: deletes a key or a subtree.
struct Delete: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Delete a key, or all below a prefix.",
        usage: "discfg delete [<cfg>] <key> [<options>]",
        discussion: """
            Prints how many keys were deleted; what was deleted stays in the history.

            Examples:
              discfg delete /db/host --if-version 3
              discfg delete --prefix /db -m "moved to /database"
            """)

    @Argument(help: ArgumentHelp("The config, if not that of --cfg; the key.", valueName: "[cfg] key"))
    var arguments: [String] = []

    @Flag(help: "Delete the key and everything below it.")
    var prefix = false

    @OptionGroup(title: "Conditions")
    var conditions: Conditions

    @Option(name: .shortAndLong, help: ArgumentHelp("Why; kept in the history.", valueName: "text"))
    var message: String?

    @OptionGroup
    var globals: GlobalOptions

    func validate() throws { _ = try Positionals(arguments, names: ["KEY"]) }

    func run() async throws {
        let positionals = try Positionals(arguments, names: ["KEY"])
        let path = positionals.values[0]
        try await globals.withSession(config: positionals.config) { session in
            let envelope = try await prefix ? deleteAll(path, in: session) : deleteOne(Key(path: path), in: session)
            let count = envelope.deleted ?? 1
            try session.output.answer(
                envelope, human: "deleted \(count) key\(count == 1 ? "" : "s")  revision \(envelope.revision)\n")
        }
    }

    private func deleteOne(_ key: Key, in session: Session) async throws -> Envelope {
        let result = try await session.commit(
            [.delete(key)], if: try conditions.preconditions(on: key), message: message)
        guard let previous = result.outcomes.first?.previous.first else {
            return try await session.explaining(key, "Delete all of them with “discfg delete --prefix KEY”.") {
                throw DiscfgError.noKey(key, in: session.config)
            }
        }
        return Envelope(action: "delete", previous: previous, revision: result.revision)
    }

    private func deleteAll(_ path: String, in session: Session) async throws -> Envelope {
        let selection = try KeySelection.subtree(path)
        let preconditions = try conditions.isEmpty ? [] : conditions.preconditions(on: try Key(path: path))
        var envelope = Envelope(action: "delete", revision: 0)
        do {
            let result = try await session.commit([.deleteAll(selection)], if: preconditions, message: message)
            (envelope.deleted, envelope.revision) = (result.outcomes.first?.previous.count ?? 0, result.revision)
        } catch let error as DiscfgError where error.code == .tooLarge && preconditions.isEmpty {
            (envelope.deleted, envelope.revision) = try await deleteInSteps(path, selection, in: session)
        }
        guard envelope.deleted != 0 else {
            throw DiscfgError(
                .keyNotFound, "There is nothing at “\(selection.path)” or below it in config “\(session.config)”.",
                hint: "See what there is with “discfg ls -r”.")
        }
        return envelope
    }

    /// Deletes what is too much for one commit.
    private func deleteInSteps(
        _ path: String, _ selection: KeySelection, in session: Session
    ) async throws -> (count: Int, revision: Revision) {
        Output.note("note: these are too many keys for one commit; they are deleted in several")
        var count = 0
        let query = ListQuery(path, isRecursive: true, limit: 5000, keysOnly: true)
        for try await page in session.pages(of: query) {
            count += try await delete(page.items.map(\.key)[...], in: session)
        }
        // The key of that name itself, and what was set meanwhile.
        let rest = try await session.commit([.deleteAll(selection)], message: message)
        return (count + (rest.outcomes.first?.previous.count ?? 0), rest.revision)
    }

    /// Deletes keys in as many commits as it takes: how large their values are is known only to the store.
    private func delete(_ keys: ArraySlice<Key>, in session: Session) async throws -> Int {
        if keys.isEmpty { return 0 }
        do {
            let result = try await session.commit(keys.map { .delete($0) }, message: message)
            return result.outcomes.count { !$0.previous.isEmpty }
        } catch let error as DiscfgError where error.code == .tooLarge && keys.count > 1 {
            let half = keys.count / 2
            return try await delete(keys.prefix(half), in: session) + delete(keys.dropFirst(half), in: session)
        }
    }
}
