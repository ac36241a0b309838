import DiscfgCore

/// Asks before something is deleted for good: the user has to type its name.
struct Confirmation {
    /// What is deleted, as the question says it.
    let subject: String
    let name: String

    /// - Throws: `DiscfgError` when there is nobody to ask, or the answer is another.
    func ask() throws {
        guard Descriptor.input.isTerminal, Descriptor.error.isTerminal else {
            throw DiscfgError.invalid(
                "Deleting \(subject) needs a yes, and there is nobody to ask.", hint: "Add --yes.")
        }
        try Descriptor.error.write(Array("Delete \(subject) for good? Type its name: ".utf8))
        guard readLine() == name else { throw DiscfgError(.conditionFailed, "Nothing was deleted.") }
    }
}
