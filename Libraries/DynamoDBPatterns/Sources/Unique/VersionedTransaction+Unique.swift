extension VersionedTransaction {
    /// Claims a value for an owner, if the transaction is committed.
    ///
    /// - Parameters:
    ///   - value: The value, 1 to 512 bytes.
    ///   - owner: The identity of the item that has the value; the same owner may claim a value again.
    ///   - constraint: The constraint.
    /// - Throws: `PatternError` with code `invalidArgument`. The commit throws one with code `taken`, and nothing is written,
    ///   if the value belongs to another owner; a `TransactionConflict` goes first.
    public mutating func claim(_ value: String, for owner: String, in constraint: UniqueConstraint) throws {
        let (key, write) = try constraint.claim(value, for: owner)
        try add(write, of: key) { _ in constraint.taken() }
    }

    /// Frees a value, if the transaction is committed: with the deletion of its item, for example.
    ///
    /// - Parameters:
    ///   - value: The value; one that is free already stays free.
    ///   - owner: The owner that it belongs to.
    ///   - constraint: The constraint.
    /// - Throws: As `claim`.
    public mutating func release(_ value: String, of owner: String, in constraint: UniqueConstraint) throws {
        let (key, write) = try constraint.release(value, of: owner)
        try add(write, of: key) { _ in constraint.taken() }
    }

    /// Claims a new value and frees the old one, if the transaction is committed.
    ///
    /// - Parameters:
    ///   - old: The value so far.
    ///   - new: The value from now on; the same one is only claimed.
    ///   - owner: The owner of both.
    ///   - constraint: The constraint.
    /// - Throws: As `claim`.
    public mutating func move(from old: String, to new: String, of owner: String, in constraint: UniqueConstraint)
        throws
    {
        try claim(new, for: owner, in: constraint)
        // By bytes, as DynamoDB compares: two spellings of one accent are two values.
        if !old.utf8.elementsEqual(new.utf8) { try release(old, of: owner, in: constraint) }
    }
}
