import DiscfgCore

/// Asks before something is deleted for good: the user has to type its name.
struct Confirmation {
    /// What is deleted, as the question says it.
    let subject: String
    let name: String

    /// - Throws: `DiscfgError` if there is no terminal, or the answer is not the name.
    func ask() throws {
        guard Descriptor.input.isTerminal, Descriptor.error.isTerminal else {
            throw DiscfgError.invalid(
                "Deleting \(subject) needs confirmation, and there is no terminal to ask on.", hint: "Add --yes.")
        }
        try Descriptor.error.write(Array("Delete \(subject)? This cannot be undone. Type its name: ".utf8))
        guard readLine() == name else { throw DiscfgError(.conditionFailed, "Nothing was deleted.") }
    }
}
